# SPDX-License-Identifier: BSD-3-Clause
"""An inferior as a target of plugin.py. Only this file, places.py and threads.py query GDB about the program."""

import os
import re
import socket
import time

import gdb

from . import places

_PLAIN = re.compile(r" is at (0x[0-9a-f]+) in a file compiled without debugging")


class InC:
    """Inside this context, expressions are C, whatever the language of the program."""

    def __enter__(self):
        self._before = gdb.parameter("language")
        if self._before != "c":
            gdb.execute("set language c", to_string=True)

    def __exit__(self, *_):
        if self._before != "c":
            gdb.execute("set language %s" % self._before, to_string=True)


def c_type(name):
    """A type by its C name. (In a Fortran frame GDB 16 has no "int".) Raises gdb.error."""
    with InC():
        try:
            return gdb.lookup_type(name)
        except gdb.error:  # before GDB 12 it takes the language in which Python was entered
            return gdb.parse_and_eval("(%s *)0" % name).type.target()


class Target:
    def __init__(self, inferior):
        self.inferior = inferior
        self.word_bytes = c_type("void").pointer().sizeof
        self.big_endian = "big endian" in gdb.execute("show endian", to_string=True)

    # ---- callbacks of the plugin ---------------------------------------------------------------------------

    def read(self, address, n):
        try:
            return self.inferior.read_memory(address, n).tobytes()
        except (gdb.error, gdb.MemoryError, OverflowError, ValueError):
            return None

    def write(self, address, data):
        """Write to the program's memory, for flags that a debugger sets. Raises gdb.error."""
        self.inferior.write_memory(address, data)

    def symbol(self, name):
        """Global symbols only: "::" skips symbols local to the selected frame."""
        thread = gdb.selected_thread()
        with InC():
            try:
                # Most symbols have no debug information; for them an expression takes 100 times as long as a command. But a
                # command that fails while a breakpoint's condition is evaluated ends the user's `continue`.
                found = None
                if thread and not thread.is_running():
                    found = _PLAIN.search(gdb.execute("info address " + name, to_string=True))
                at = int(found.group(1), 16) if found else int(gdb.parse_and_eval("&::%s" % name))
                return at & ((1 << (8 * self.word_bytes)) - 1)
            except gdb.error:
                return None

    def type(self, name):
        for spelling in (name, "struct " + name, "union " + name, "enum " + name):
            try:
                return gdb.lookup_type(spelling).strip_typedefs()
            except gdb.error:
                continue
        return None

    @staticmethod
    def field(found, name):
        for field in found.fields():
            if field.name == name and hasattr(field, "bitpos") and not field.bitsize and field.bitpos % 8 == 0:
                return field.bitpos // 8
        return -1

    @staticmethod
    def bytes(found):
        return found.sizeof

    @staticmethod
    def rank():
        return -1

    place = staticmethod(places.place)

    # ---- facts for the heading ----------------------------------------------------------------------------

    def connection(self):
        """ "native", "core", "remote" ..., None: no process."""
        connection = getattr(self.inferior, "connection", None)
        if connection is not None:
            return connection.type
        return "core" if self.core() else "native" if self.inferior.pid else None

    @staticmethod
    def core():
        """Path of the core, or None."""
        words = gdb.execute("info files", to_string=True).partition("Local core dump file:")[2]
        match = re.search(r"`(.*)', file type", words)
        return match.group(1) if match else None

    def facts(self):
        """Facts that only the debugger knows: options of mpidbg_describe()."""
        ret = {}
        kind = self.connection()
        if self.inferior.pid > 0:
            ret["pid"] = self.inferior.pid
        executable = self.inferior.progspace.filename if self.inferior.progspace else None
        if executable:
            ret["executable"] = executable
        if kind == "native":
            ret["host"] = socket.gethostname()
            ret["now_ns"] = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            ret["now_s"] = int(time.time())
        if kind == "core":
            core = self.core()
            if core:
                ret["core"] = core
        return ret


# Registers of integer and address arguments, in order; further arguments are on the stack, a word each.
_ARGUMENTS = {
    "i386:x86-64": ("rdi", "rsi", "rdx", "rcx", "r8", "r9"),
    "aarch64": ("x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"),
}
_ENTRY_BYTES = 16  # size of the first instructions of a function, during which arguments have not moved


def argument(frame, number):
    """Argument @p number of the innermost frame's function; None: it is past its first instructions."""
    registers = _ARGUMENTS.get(frame.architecture().name())
    words = gdb.execute("info symbol 0x%x" % frame.pc(), to_string=True).partition(" in section")[0]
    offset = words.partition(" + ")[2] or "0"
    if not registers or not offset.isdigit() or int(offset) > _ENTRY_BYTES:
        return None
    if number < len(registers):
        return int(frame.read_register(registers[number]))
    older = frame.older()
    if older is None:
        return None
    word = c_type("void").pointer().sizeof
    at = (int(older.read_register("sp")) & ((1 << 64) - 1)) + word * (number - len(registers))
    order = "big" if "big endian" in gdb.execute("show endian", to_string=True) else "little"
    return int.from_bytes(gdb.selected_inferior().read_memory(at, word).tobytes(), order)
