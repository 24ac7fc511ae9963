# SPDX-License-Identifier: BSD-3-Clause
"""Source locations as text. Only this file, target.py and threads.py query GDB about the program."""

import os

import gdb


def _function_at(pc):
    """The innermost block of a function, including inlined functions."""
    block = gdb.block_for_pc(pc)
    while block and not block.function:
        block = block.superblock
    return block


def _is_binding(symtab):
    """Is it a header of the C++ bindings, openmpi/ompi/mpi/cxx/comm_inln.h or mpich/mpicxx.h?"""
    return "/ompi/mpi/cxx/" in symtab.filename or symtab.filename.endswith("/mpicxx.h")


def _without_parameters(name):
    """f(int, g (*)(char)) const is f."""
    end = name.rfind(")")
    depth = 0
    for i in range(end, -1, -1):
        depth += {")": 1, "(": -1}.get(name[i], 0)
        if depth == 0:
            return name[:i] if i > 0 and not name.startswith("(anonymous", i) else name
    return name


def place(address):
    """Text for the location of a return address; the line is that of the call."""
    pc = address - 1
    block = _function_at(pc)
    if block and block.start == pc and block.function.symtab:
        # No call ends at the first byte of a function: the address is that of the function itself.
        symtab, line = block.function.symtab, block.function.line
    else:
        found = gdb.find_pc_line(pc)
        symtab, line = found.symtab, found.line
    # For an inlined function of the C++ bindings GDB has no line, only symbol + 0x12.
    if symtab and _is_binding(symtab):
        line = 0
    if block and symtab and line:
        return "%s at %s:%d" % (_without_parameters(block.function.name), os.path.basename(symtab.filename), line)
    words = gdb.execute("info symbol 0x%x" % address, to_string=True).partition(" in section")[0]
    if words.startswith("No symbol"):
        return None
    name, plus, offset = words.partition(" + ")
    return "%s+0x%x" % (_without_parameters(name), int(offset) if plus else 0)
