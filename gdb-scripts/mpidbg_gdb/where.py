# SPDX-License-Identifier: BSD-3-Clause
"""`mpi where`: a backtrace with the arguments of the MPI call; `mpi frame`: the program's own frame."""

import json
import re

import gdb

from . import plugin, processes, threads, waits
from .commands import Usage, one_line

_FRAME = re.compile(r"^#\d+ ")


def call_of(inferior, number):
    """The plugin's text for the call of a thread, and an error; None: no call, or unknown."""
    _, text, error = processes.describe(inferior, plugin.CALLS, brief=1)
    for line in text.splitlines():
        thread, _, words = line.partition(": ")
        if thread == str(number):
            return words, None
    return None, error


_LOOP = "_PyEval_EvalFrameDefault"
_CPYTHON = re.compile("_?Py[A-Z]|Py_")


def python_of(inferior, number):
    """Python functions of a thread, innermost first, and the C function before which they stand; None: after the last line.

    There is one pair for each activation of CPython's evaluation loop. When that function is not on the stack
    (docs/limits.md), all Python functions stand before the one that started Python."""
    try:
        _, text, _ = processes.describe(inferior, plugin.QUEUES, format=1)
    except plugin.Error:  # show the backtrace even without the library
        return []
    found = [call for call in (json.loads(text).get("calls") or [] if text else []) if call.get("thread") == number]
    if not found or not found[0].get("python"):
        return []
    functions = [frame.get("function") for frame in found[0]["python"]]
    groups = []
    group = []
    for line in found[0].get("backtrace") or []:
        if line.startswith("?? (a Python frame") or any(name and line.startswith(name + " at ") for name in functions):
            group.append(line)
        elif group or line.startswith(_LOOP):
            groups.append((re.split(r"[ .]", line)[0], group))
            group = []
    if group:
        groups.append((None, group))
    return groups


class Where(gdb.Command):
    """Show a backtrace with the arguments of the MPI call: peer, tag, communicator, requests.

    Usage: mpi where [ARGUMENTS OF bt]

    With the in-target library the arguments are those of the call. Without it they are those of the operation for which the
    thread waits. Functions of a Python program precede those of CPython that execute them. `thread apply all mpi where` and
    `mpi rank all mpi where` show all threads and ranks."""

    name = "mpi where"

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def complete(self, text, word):
        return [w for w in ("-full", "-no-filters", "-frame-arguments", "full") if w.startswith(word or text)]

    @one_line
    def invoke(self, argument, _from_tty):
        self.dont_repeat()
        thread = gdb.selected_thread()
        if thread is None:
            raise plugin.Error(
                "inferior %d has no process: run or attach to one, or load a core" % gdb.selected_inferior().num
            )
        frames = threads.frames_of()
        found = threads.mpi_frame(frames)
        # now, because GDB may find the frames anew when the process is read: "Frame is invalid"
        runs_python = any(_CPYTHON.match(frame.name() or "") for frame in frames)
        wait = None if found else waits.of_selected()
        words, error = call_of(gdb.selected_inferior(), threads.number_of(thread)) if found else (None, None)
        python = []
        if runs_python:
            python = python_of(gdb.selected_inferior(), threads.number_of(thread))
        shown = gdb.execute("bt " + argument, to_string=True)
        for line in shown.splitlines(keepends=True):
            if python and python[0][0] and _FRAME.match(line) and re.search(r"\b%s \(" % python[0][0], line):
                for function in python.pop(0)[1]:
                    gdb.write("      %s\n" % function)
            gdb.write(line)
            if found and words and _FRAME.match(line) and re.search(r"\bP?%s \(" % re.escape(found[1]), line):
                gdb.write("      => %s\n" % words)
                words = None
        if python and not python[0][0]:
            for function in python[0][1]:
                gdb.write("      %s\n" % function)
        if not found:
            gdb.write("the thread is in no MPI function%s\n" % (": it " + wait if wait else ""))
        elif words:  # the frame is not in the part selected by the arguments of bt
            gdb.write("      => %s\n" % words)
        elif error:
            raise plugin.Error(error)


class Frame(gdb.Command):
    """Select the innermost frame of the program's own: neither of the MPI library nor of the system's.

    Usage: mpi frame

    A function of a shared library of yours is the program's. Afterwards `info locals`, `print` and `list` show where MPI was
    called."""

    name = "mpi frame"

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    @one_line
    def invoke(self, argument, _from_tty):
        self.dont_repeat()
        if argument.strip():
            raise Usage("takes no arguments")
        frames = threads.frames_of()
        found = threads.mpi_frame(frames)
        for frame in frames[found[0] + 1 if found else 0 :]:
            if frame.type() != gdb.SIGTRAMP_FRAME and frame.name() and threads.is_programs_own(frame.pc()):
                frame.select()
                gdb.execute("frame")
                return
        raise plugin.Error("no frame of the stack is the program's own")


def register():
    Where()
    Frame()
