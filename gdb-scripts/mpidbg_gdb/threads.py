# SPDX-License-Identifier: BSD-3-Clause
"""Threads of an inferior for mpidbg_describe(): the MPI function each is in, its stack, its registers."""

import os
import re

import gdb

from . import plugin

FRAMES_MAX = 256
_C_NAME = re.compile(r"^(?:wrap_M2D_)?P?(MPI_[A-Z][A-Za-z0-9_]*)$")  # wrap_M2D_: in the in-target library
_FORTRAN_NAME = re.compile(r"^p?mpi_([a-z0-9_]+?)(?:_f08ts_|_f08_|_f_|__|_)$")
_LIBRARIES = ("libmpi", "libpmpi", "libompi", "libopen-", "libopen_mpi", "mca_", "libmca_")


def mpi_name(function):
    """ "MPI_Recv" for MPI_Recv, PMPI_Recv and the names of Fortran compilers; None: no MPI function."""
    if not function:
        return None
    if function == "ompi_mpi_finalize":  # Open MPI 4.1: MPI_Finalize jumps to it and leaves no frame of its own
        return "MPI_Finalize"
    match = _C_NAME.match(function)
    if match:
        return match.group(1)
    match = _FORTRAN_NAME.match(function)
    return "MPI_" + match.group(1).capitalize() if match else None


def is_fortran_name(function):
    """Is it a Fortran binding, which takes the addresses of its arguments?"""
    return bool(function) and not _C_NAME.match(function) and bool(_FORTRAN_NAME.match(function))


def is_library(pc):
    name = gdb.solib_name(pc)
    return bool(name) and os.path.basename(name).startswith(_LIBRARIES)


_SYSTEM = (
    "libc.",
    "libc-",
    "libpthread",
    "ld-linux",
    "ld-2",
    "libm.",
    "librt",
    "libdl",
    "libstdc++",
    "libgcc_s",
    "libgfortran",
)
_SYSTEM += ("libgomp", "libuc", "libpmix", "libfabric", "libevent", "libhwloc", "libpython")


def is_programs_own(pc):
    """Is the address in the program, or in a library that is neither MPI's nor the system's?"""
    name = os.path.basename(gdb.solib_name(pc) or "")
    return not name.startswith(_LIBRARIES + _SYSTEM) and name != "linux-vdso.so.1"


def frames_of():
    """Frames of the selected thread, innermost first; an invalid stack ends at its last valid frame."""
    ret = []
    try:
        frame = gdb.newest_frame()
        while frame is not None and len(ret) < FRAMES_MAX:
            ret.append(frame)
            frame = frame.older()
    except gdb.error:
        pass
    return ret


def called_function(return_address):
    """Name of the function called by the call before a return address (host/called.c); None: unknown."""

    def slot(code, at):
        return at + len(code) + int.from_bytes(code[-4:], "little", signed=True)

    def word(address):
        return int.from_bytes(bytes(memory.read_memory(address, 8)), "little")

    memory = gdb.selected_inferior()
    try:
        if not gdb.selected_frame().architecture().name().startswith("i386:x86-64"):
            return None
        code = bytes(memory.read_memory(return_address - 6, 6))
        if code[:2] == b"\xff\x15":
            targets = [word(slot(code, return_address - 6))]
        elif code[1] == 0xE8:
            targets = [slot(code[1:], return_address - 5)]
            entry = bytes(memory.read_memory(targets[0], 11))
            skipped = 4 * (entry[:4] == b"\xf3\x0f\x1e\xfa")
            skipped += entry[skipped] == 0xF2
            if entry[skipped : skipped + 2] == b"\xff\x25":
                targets.insert(0, word(slot(entry[skipped : skipped + 6], targets[0] + skipped)))
        else:
            return None
    except gdb.error:
        return None
    for target in targets:
        symbol, _, rest = gdb.execute("info symbol 0x%x" % target, to_string=True).partition(" in section ")
        if rest and " + " not in symbol:
            return symbol
    return None


def mpi_frame(frames):
    """
    (index, name) of the MPI call made by the program: searched from the innermost MPI function outwards through the library. If
    no frame has such a name (as after a tail call), the frame whose caller has called an MPI function.
    """
    found = None
    for i, frame in enumerate(frames):
        name = mpi_name(frame.name())
        if name:
            found = (i, name)
        elif found and not is_library(frame.pc()):
            break
    for i, frame in enumerate(frames[1:]):
        if not found and is_library(frames[i].pc()) and not is_library(frame.pc()):
            name = mpi_name(called_function(frame.pc()))
            found = (i, name) if name else None
    return found


def _line(frame):
    name = frame.name()
    place = frame.find_sal()
    if name and place.symtab and place.line:
        return "%s at %s:%d" % (name, os.path.basename(place.symtab.filename), place.line)
    if name:
        return name
    library = gdb.solib_name(frame.pc())
    return "?? in %s" % os.path.basename(library) if library else "?? at 0x%x" % frame.pc()


_MASK = (1 << 64) - 1


def _sp(frame):
    return int(frame.read_register("sp")) & _MASK


def _registers(frame):
    """General registers that hold integers or addresses."""
    ret = []
    for register in frame.architecture().registers("general"):
        try:
            ret.append(int(frame.read_register(register)) & _MASK)
        except (gdb.error, TypeError, ValueError):
            continue
    return ret


def number_of(thread):
    """The system's thread id, as used by the plugin."""
    return thread.ptid[1] or thread.ptid[2] or thread.num


def _describe(thread):
    number = number_of(thread)
    frames = frames_of()
    lines = [_line(frame) for frame in frames]
    found = mpi_frame(frames)
    if not found:
        return plugin.Thread(number, backtrace=lines)
    index, name = found
    try:
        low = _sp(frames[0])
        high = _sp(frames[index + 1]) if index + 1 < len(frames) else low + 4096
    except gdb.error:
        low = high = 0
    if high <= low:
        low = high = 0
    return plugin.Thread(number, name, (low, high), lines, _registers(frames[0]))


class Selection:
    """Context that restores the selected inferior, thread and frame."""

    def __enter__(self):
        self._inferior = gdb.selected_inferior()
        self._thread = gdb.selected_thread()
        try:
            self._frame = gdb.selected_frame() if self._thread else None
        except gdb.error:
            self._frame = None
        return self

    def __exit__(self, *_):
        if self._thread is not None and self._thread.is_valid():
            self._thread.switch()
            if self._frame is not None and self._frame.is_valid():
                self._frame.select()
        elif gdb.selected_inferior().num != self._inferior.num and self._inferior.is_valid():
            select(self._inferior)


def in_order(inferior):
    """Threads of an inferior, the first first. GDB 18 has reversed the order of inferior.threads()."""
    return sorted(inferior.threads(), key=lambda thread: thread.num)


def select(inferior):
    """Make an inferior current, with its first thread selected if it has any."""
    threads = in_order(inferior)
    if threads:
        threads[0].switch()
    else:
        gdb.execute("inferior %d" % inferior.num, to_string=True)


def of(inferior):
    """All threads of the current inferior. Running ones are omitted."""
    ret = []
    with Selection():
        for thread in in_order(inferior):
            if thread.is_running():
                continue
            thread.switch()
            ret.append(_describe(thread))
    return ret
