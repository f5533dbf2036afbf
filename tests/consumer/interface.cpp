// interface.cpp: interface.c in C++. Built by ../installed.sh.
#include "interface.c"
