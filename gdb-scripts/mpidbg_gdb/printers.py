# SPDX-License-Identifier: BSD-3-Clause
"""Pretty-printers: a variable of a handle type prints with a description. `info pretty-printer`, `disable pretty-printer
global mpidbg`, `print/r`. The text comes from the plugin and is cached until the process may have run or was written to."""

import gdb
import gdb.printing

from . import handles, plugin, processes

CACHE_MAX = 65536


class Line:
    """What GDB prints for one value."""

    def __init__(self, text):
        self._text = text

    def to_string(self):
        return self._text


_warned = False


def has_library():
    """Whether the library is available; an error is printed once if it is not."""
    global _warned
    try:
        processes.library()
        return True
    except plugin.Error as error:
        if not _warned:
            gdb.write("mpidbg: MPI handles are printed as plain values: %s\n" % error, gdb.STDERR)
        _warned = True
        return False


def line_of(value, kind):
    """The plugin's line for a value; None: GDB prints the value in its own way."""
    inferior = gdb.selected_inferior()
    if not inferior.pid or not has_library():  # not threads(): processes.session()
        return None
    try:
        text = handles.value_text(value, kind, False)
        session = processes.session(inferior, running_threads=True)
        cache = session.lines
        # The key of a status is its bytes, because its address does not identify it.
        key = (
            (kind, text)
            if kind != "status"
            else (kind, text, bytes(session.target.read(int(value.address), value.type.sizeof) or b""))
        )
        if key not in cache:
            if len(cache) > CACHE_MAX:
                cache.clear()
            cache[key] = session.describe(plugin.HANDLE, kind=kind, value=text, brief=1)[1].rstrip("\n")
        return cache[key] or None
    except (plugin.Error, handles.Usage, gdb.error, RuntimeError, ValueError, OverflowError):
        return None


class Printers(gdb.printing.PrettyPrinter):
    """One subprinter for each type, so that each can be disabled."""

    def __init__(self):
        types = [gdb.printing.SubPrettyPrinter(name) for name in handles.TYPES]
        super().__init__("mpidbg", types)
        self._enabled = {handles.TYPES[entry.name]: entry for entry in types}

    def __call__(self, value):
        kind = handles.kind_of_type(value.type)
        if kind is None or not self._enabled[kind].enabled or value.is_optimized_out:
            return None
        text = line_of(value, kind)
        return Line(text) if text else None


def register():
    gdb.printing.register_pretty_printer(None, Printers(), replace=True)
