#!/usr/bin/env python3
"""branches.py LIST: looks through the AVX-512 kernels of a list of objects (objects.txt), which valgrind does not know,
for what would make time depend on data. Fails on
  * a branch whose flags come from vector or mask registers (ptest, kortest, comiss, ..), or from a general register that
    was taken from one and computed with since: only lengths and counts may decide,
  * a gather or scatter, and an address made of such a register.
Registers are followed through straight code; memory, calls and places that are jumped to end a trace. The C code of bursts
has a packet in every lane, and its lengths, pointers and numbers as well: there a function may have a few branches on
lanes, and addresses are not judged. What it does indeed, step by step, test_trace.c sees."""
import re
import subprocess
import sys

VECTOR_FLAGS = re.compile(r'^(v?ptest|k(or)?test[bwdq]|vtestp[sd]|v?u?comis[sd])')
FROM_VECTOR = re.compile(r'^(v?mov[dq]|v?pextr[bwdq]|kmov[bwdq]|v?(p?)movmsk\w*|v?p?movmskb)$')
SETS_FLAGS = re.compile(r'^(cmp|test|sub|add|dec|inc|and|or|xor|neg|shl|shr|sar|bt|adc|sbb|bzhi|imul|mul|rol|ror)[bwlq]?$')
NO_EFFECT = re.compile(r'^(nop|endbr64|cs|data16|push|pop|vzeroupper|vzeroall)')
GENERAL = re.compile(r'%(r[a-ds][xipl]|r[sd]i|rbp|rsp|r\d+[dwb]?|e[a-ds][xipl]|e[sd]i|[a-d][lhx]|[sd]il?|[sb]pl?)\b')

# Bursts in C: branches of one function on lengths in lanes (burst_mac.h: rows of a packet's heads, or of its last column,
# that are no blocks).
LANES = re.compile(r'/burst_\w+\.c\.o$')
BRANCHES_ON_LANES = 2


def family(register):
    r = register.lstrip('%')
    m = re.match(r'r(\d+)', r)
    if m:
        return m.group(1)
    r = re.sub(r'^[re]', '', r)
    return {'al': 'ax', 'ah': 'ax', 'bl': 'bx', 'bh': 'bx', 'cl': 'cx', 'ch': 'cx', 'dl': 'dx', 'dh': 'dx',
            'sil': 'si', 'dil': 'di', 'bpl': 'bp', 'spl': 'sp'}.get(r, r)


def operands(text):
    return [o.strip() for o in re.split(r',(?![^(]*\))', text)] if text else []


LINE = re.compile(r'^\s+[0-9a-f]+:\t(?:(?:rep|lock|bnd|notrack|cs) )*(\S+)\s*([^#<]*)')


def parked(dump):
    """Pairs of a function and a vector register that it only uses to keep a general one: its one write is a move."""
    writes, function = {}, '?'
    for line in dump.splitlines():
        if re.match(r'^[0-9a-f]+ <.*>:$', line):
            function = line.split('<')[1][:-2]
        m = LINE.match(line)
        into = operands(m.group(2).strip())[-1:] if m else []
        for number in re.findall(r'^%[xyz]mm(\d+)', ''.join(into)):
            writes.setdefault((function, number), []).append(m.group(1) + ' ' + m.group(2))
    return {where for where, all_of in writes.items() if len(all_of) == 1 and re.match(r'v?movq %r', all_of[0])}


def check(path):
    bad, tainted, flags, function = [], set(), None, '?'
    decided = {}
    targets = set()
    dump = subprocess.run(['objdump', '-dr', '--no-show-raw-insn', path], capture_output=True, text=True, check=True).stdout
    kept = parked(dump)
    for m in re.finditer(r'\tj\w+\s+([0-9a-f]+) <', dump):
        targets.add(m.group(1))
    for line in dump.splitlines():
        m = re.match(r'^[0-9a-f]+ <(.*)>:$', line)
        if m:
            function, tainted, flags = m.group(1), set(), None
            continue
        m = LINE.match(line)
        if not m or 'R_X86_64' in line:
            continue
        op, ops = m.group(1), operands(m.group(2).strip())
        if line.split(':')[0].strip() in targets:
            tainted, flags = set(), None
        if NO_EFFECT.match(op):
            continue
        at = f'{path}: {function}: {line.strip()}'
        if re.match(r'^v?p?(gather|scatter)', op) and not LANES.search(path):
            bad.append('gather or scatter: ' + at)
        for o in ops:
            if '(' not in o or op.startswith('lea') or LANES.search(path):
                continue
            if any(family(r) in tainted for r in GENERAL.findall(o[o.index('('):])):
                bad.append('address of data: ' + at)
        if re.match(r'^j(?!mp)', op):
            if flags is not None:
                decided.setdefault(function, []).append(f'branch on {flags}: ' + at)
            continue
        if op.startswith(('call', 'jmp', 'ret')):
            tainted, flags = set(), None
            continue
        if VECTOR_FLAGS.match(op):
            flags = 'vector or mask registers'
            continue
        used = any(family(r) in tainted for o in ops for r in GENERAL.findall(o))
        if SETS_FLAGS.match(op):
            flags = 'data' if used else None
        if not ops or re.match(r'^(cmp|test)', op):
            continue
        into = ops[-1]
        if used and into[2:4] == 'mm':
            kept.discard((function, into[4:]))
        if not GENERAL.fullmatch(into):
            continue
        to = family(into)
        if FROM_VECTOR.match(op) and re.search(r'%([xyz]mm|k[0-7])', ops[0]):
            (tainted.discard if (function, ops[0][4:]) in kept else tainted.add)(to)
        elif op.startswith('xor') and len(ops) == 2 and ops[0] == ops[1]:
            tainted.discard(to)
        elif op.startswith(('mov', 'lea')) and '%' in ops[0]:
            plain = '(' in ops[0] and not op.startswith('lea')
            if not plain and any(family(r) in tainted for r in GENERAL.findall(ops[0])):
                tainted.add(to)
            else:
                tainted.discard(to)
        elif op.startswith('mov'):
            tainted.discard(to)
        elif op.startswith('mulx') and len(ops) == 3:
            for o in ops[1:]:
                (tainted.add if used or 'dx' in tainted else tainted.discard)(family(o))
        elif used:
            tainted.add(to)
    for branches in decided.values():
        if len(branches) > (BRANCHES_ON_LANES if LANES.search(path) else 0):
            bad += branches
    return bad


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        paths = f.read().split()
    objects = [a for a in paths if re.search(r'/(aead|poly1305|chacha|burst)\w*avx512', a)]
    if not objects:
        sys.exit('branches.py: no AVX-512 object in the list')
    bad = [b for o in objects for b in check(o)]
    print('\n'.join(bad[:30]) or f'{len(objects)} objects: every branch is on lengths and counts')
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
