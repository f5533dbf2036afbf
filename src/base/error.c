/* error.c: texts for enum sealane_error. */
#include <sealane/error.h>

const char *sealane_strerror(int error)
{
    switch (error) {
    case SEALANE_OK:
        return "success";
    case SEALANE_EINVAL:
        return "an argument is out of its range, or a context was copied, wiped or never made";
    case SEALANE_EOVERLAP:
        return "input and output overlap without being equal, or overlap AAD or tag";
    case SEALANE_ESPACE:
        return "too little headroom, tailroom or capacity";
    case SEALANE_ELENGTH:
        return "message too long, or datagram shorter than its format";
    case SEALANE_EFORGED:
        return "packet is not authentic";
    case SEALANE_EREPLAY:
        return "packet was seen before or is too old";
    case SEALANE_ELIMIT:
        return "key is used up: counter, failed openings or age";
    case SEALANE_ENOKEY:
        return "no key with this id, or none to send on";
    case SEALANE_EFORMAT:
        return "header, padding or inner length is not of this format";
    default:
        return "not an error of sealane";
    }
}
