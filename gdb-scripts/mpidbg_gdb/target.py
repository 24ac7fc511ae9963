# SPDX-License-Identifier: BSD-3-Clause
"""An inferior as plugin.py wants a target. The only file, with threads.py, that asks GDB about the program."""

import re
import socket
import time

import gdb


class InC:
    """Expressions in here are C, whatever the program is written in."""

    def __enter__(self):
        self._before = gdb.parameter("language")
        if self._before != "c":
            gdb.execute("set language c", to_string=True)

    def __exit__(self, *_):
        if self._before != "c":
            gdb.execute("set language %s" % self._before, to_string=True)


class Target:
    def __init__(self, inferior):
        self.inferior = inferior
        self.word_bytes = gdb.lookup_type("void").pointer().sizeof
        self.big_endian = "big endian" in gdb.execute("show endian", to_string=True)

    # ---- what the plugin asks ---------------------------------------------------------------------------

    def read(self, address, n):
        try:
            return self.inferior.read_memory(address, n).tobytes()
        except (gdb.error, gdb.MemoryError, OverflowError, ValueError):
            return None

    def write(self, address, data):
        """Into the program's memory, for the flags that a debugger sets. Raises gdb.error."""
        self.inferior.write_memory(address, data)

    def symbol(self, name):
        """Global symbols only: "::" skips what is local to the selected frame."""
        with InC():
            try:
                return int(gdb.parse_and_eval("&::%s" % name)) & ((1 << (8 * self.word_bytes)) - 1)
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

    # ---- what the heading says ----------------------------------------------------------------------------

    def connection(self):
        """ "native", "core", "remote" ..., None: no process."""
        connection = getattr(self.inferior, "connection", None)
        if connection is not None:
            return connection.type
        return "core" if self.core() else "native" if self.inferior.pid else None

    @staticmethod
    def core():
        """Path of the core that is looked at, or None."""
        words = gdb.execute("info files", to_string=True).partition("Local core dump file:")[2]
        match = re.search(r"`(.*)', file type", words)
        return match.group(1) if match else None

    def facts(self):
        """What only the debugger knows of the process: options of mpidbg_describe()."""
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
