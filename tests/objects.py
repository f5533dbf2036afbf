"""objects.py OBJECTS KERNELS: which instruction set extensions the library's object files use.

OBJECTS is a file with the path of every object, a line each. KERNELS has the sources of those that are compiled for
more than the x86-64 baseline: the end of the path, and the compiler flags that say for what (-mavx2, ..). Each object
is disassembled and given to GNU as again, with exactly these extensions allowed: the assembler says what does not
belong. A file of the level avx512vl keeps to ymm. Every object must leave the stack without execute permission, and
what was assembled must be marked for control-flow enforcement and begin its functions with endbr64. Status: 0, 1 (with
the instructions), or 77 when this cannot be looked at, with the reason."""

import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
# Detection asks for OSXSAVE before it reads XCR0.
PROBE = {"x86/cpu.c.o": ["-mxsave"]}
# What an older CPU executes as another instruction with the same result: rep bsf of a number that is not zero.
SAME = re.compile(r"^tzcnt\b")
COMMENT = re.compile(r"\s+#.*$")
SYMBOL = re.compile(r"\s*<[^>]*>")
LINE = re.compile(r"^\s*[0-9a-f]+:\t(.*)$")
BRANCH = re.compile(r"^(j\w+|call|callq|jmp|jmpq|jrcxz|loop)\b")
PADDING = re.compile(r"^(data16\s|cs\s)*nop|^xchg\s+%ax,%ax")


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def instructions(path):
    listing = run("objdump", "-d", "--no-show-raw-insn", path)
    if listing.returncode != 0:
        sys.exit("objdump %s: %s" % (path, listing.stderr))
    for line in listing.stdout.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        text = SYMBOL.sub("", COMMENT.sub("", match.group(1))).strip()
        if text and not PADDING.match(text) and not SAME.match(text):
            yield text


def assembler_input(texts, flags):
    """Branches, whose targets mean nothing here, become a jump to the next line."""
    lines = [".arch generic64", ".arch .ibt"]
    lines += [".arch ." + flag[2:] for flag in flags if "=" not in flag]
    first = len(lines) + 1
    for text in texts:
        plain = re.sub(r"^(bnd|notrack)\s+", "", text)
        direct = BRANCH.match(plain) and "*" not in plain
        lines.append("jmp 1f;1:" if direct else plain)
    return first, "\n".join(lines) + "\n"


def refused(path, texts, flags):
    """The instructions that need more than the flags allow, and those that could not be judged."""
    first, source = assembler_input(texts, flags)
    result = run("as", "--64", "-o", os.devnull, "-", input=source)
    bad = []
    for line in result.stderr.splitlines():
        match = re.match(r"^{standard input}:(\d+): Error: (.*)$", line)
        if match:
            bad.append("%s: %s" % (texts[int(match.group(1)) - first], match.group(2)))
    if result.returncode != 0 and not bad:
        bad.append("as: " + result.stderr)
    return bad


def notes(path):
    """What is wrong with the object's notes."""
    sections = run("readelf", "-SW", path).stdout
    stack = [line for line in sections.splitlines() if ".note.GNU-stack" in line]
    if not stack:
        yield "no .note.GNU-stack"
    elif re.search(r"\bX\b", stack[0].split("PROGBITS", 1)[-1]):
        yield "asks for an executable stack"
    if path.endswith(".S.o"):
        properties = run("readelf", "-nW", path).stdout
        for feature in ("IBT", "SHSTK"):
            if feature not in properties:
                yield "not marked for " + feature
        yield from bare_entries(path)


def bare_entries(path):
    """The functions that do not begin with endbr64."""
    functions = set(re.findall(r"\bFUNC\b.*\s(\w+)$", run("readelf", "-sW", path).stdout, re.M))
    listing = run("objdump", "-d", "--no-show-raw-insn", path).stdout
    for name, first in re.findall(r"^[0-9a-f]+ <(\w+)>:\n\s*[0-9a-f]+:\t(\S+)", listing, re.M):
        if name in functions and first != "endbr64":
            yield name + " begins with " + first


def check(path, flags):
    with open(path, "rb") as file:
        if file.read(4) != b"\x7fELF":
            print("skipped: %s is no ELF object (link-time optimization?)" % path)
            sys.exit(SKIPPED)
    texts = list(instructions(path))
    faults = refused(path, texts, flags) + list(notes(path))
    if "avx512vl" in os.path.basename(path):
        faults += [text + ": zmm" for text in texts if "%zmm" in text]
    for fault in faults[:10]:
        print("%s: %s" % (path, fault))
    return texts, faults


def main():
    for tool in ("objdump", "as", "readelf"):
        if shutil.which(tool) is None:
            print("skipped: no %s here" % tool)
            return SKIPPED
    objects, kernels = (open(name, encoding="utf-8").read().splitlines() for name in sys.argv[1:3])
    kernels = PROBE | {words[0] + ".o": words[1:] for words in map(str.split, kernels)}
    unused = [end for end in kernels if not any(path.endswith("/" + end) for path in objects)]
    if unused:
        sys.exit("no object of " + ", ".join(unused))
    native = os.environ.get("SEALANE_BASELINE_FLAGS", "")
    if re.search(r"-march|-mcpu|-mavx|-msse[34]|-fsanitize|-flto", native):
        print("skipped: the baseline was changed by the flags " + native)
        return SKIPPED
    n_texts = n_faults = 0
    for path in objects:
        flags = [flag for end in kernels if path.endswith("/" + end) for flag in kernels[end]]
        texts, faults = check(path, flags)
        n_texts += len(texts)
        n_faults += len(faults)
    print("%d objects, %d instructions, %d faults" % (len(objects), n_texts, n_faults))
    return 1 if n_faults or not n_texts else 0


if __name__ == "__main__":
    sys.exit(main())
