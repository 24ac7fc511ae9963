# SPDX-License-Identifier: BSD-3-Clause
"""Stops at events of a job: `mpi catch spawn`, and `mpi gate open` for ranks that wait in MPI_Init."""

import gdb

from . import plugin, processes
from .commands import Parser, Usage, inferiors, one_line

# States and flags of MPI2DD (include/mpi2dd.h).
STATES = {
    "start": (1, "the processes of this world exist"),
    "spawn": (2, "processes have been spawned"),
    "connect": (3, "this process has connected to another job"),
    "accept": (4, "another job has connected to this process"),
    "join": (5, "this process has joined another one over a socket"),
    "directory": (6, "a directory of processes has changed"),
    "metadirectory": (7, "the list of worlds has changed"),
    "abort": (8, "this process is about to abort"),
    "hang": (128, "no process of the job has finished an MPI call for long"),
}
FLAG_GATE, FLAG_DIRECTORY_EVENTS = 0x01, 0x04
FLAGS_OFFSET = 8  # of debugger_flags in MPI2DD_info


def set_flag(session, flag):
    """Set a bit of debugger_flags. @return the flags before."""
    info = session.mpi2dd()
    order = "big" if session.target.big_endian else "little"
    flags = info["debugger_flags"]
    session.target.write(info["info_addr"] + FLAGS_OFFSET, (flags | flag).to_bytes(4, order))
    return flags


class Catchpoint(gdb.Breakpoint):
    """At MPI2DD_breakpoint, for one state."""

    def __init__(self, name, temporary):
        super().__init__("MPI2DD_breakpoint", gdb.BP_BREAKPOINT, internal=False, temporary=temporary)
        self._name = name
        self.silent = False

    def stop(self):
        try:
            session = processes.session(gdb.selected_inferior(), running_threads=True)
            info = session.mpi2dd()
            number, words = STATES[self._name]
            if info["debug_state"] != number:
                return False
            if self._name in ("directory", "metadirectory"):
                words += ": processes %d, directories %d, other worlds %d" % (
                    info["n_procs"],
                    info["n_directories"],
                    info["n_metadirectories"],
                )
            elif self._name in ("spawn", "connect", "accept", "join"):
                words += ": %d other world%s known here; mpi attach-all attaches to them" % (
                    info["n_metadirectories"],
                    "" if info["n_metadirectories"] == 1 else "s",
                )
            elif self._name == "abort" and info["abort_string"]:
                words += ": " + info["abort_string"]
            rank = session.rank()
            gdb.write("\nmpi catch %s: %s%s\n" % (self._name, "rank %d: " % rank if rank >= 0 else "", words))
        except plugin.Error as error:
            gdb.write("mpi catch %s: %s\n" % (self._name, error), gdb.STDERR)
        return True


class Catch(gdb.Command):
    """Stop at an event of the job.

    Usage: mpi catch [-t] start|spawn|connect|accept|join|directory|metadirectory|abort|hang

    start: MPI_Init has completed the tables of this world; spawn, connect, accept, join: on the root of the call, after it has
    succeeded; directory, metadirectory: a table of this process has changed; abort: before MPI_Abort; hang:
    raised by mpi2dd-run --hang --on-hang break. -t: only once. The program needs the in-target library: start it with mpi2dd-run.
    The stop is a breakpoint: use `info breakpoints`, `delete`."""

    name = "mpi catch"

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_BREAKPOINTS)

    def complete(self, text, word):
        return [name for name in STATES if name.startswith(word or "")]

    @one_line
    def invoke(self, argument, _from_tty):
        self.dont_repeat()
        words = gdb.string_to_argv(argument)
        temporary = "-t" in words
        words = [word for word in words if word != "-t"]
        if len(words) != 1 or words[0] not in STATES:
            raise Usage("one of %s is needed" % ", ".join(STATES))
        name = words[0]
        if name in ("directory", "metadirectory"):
            set_flag(processes.session(gdb.selected_inferior()), FLAG_DIRECTORY_EVENTS)
        pending = gdb.parameter("breakpoint pending")
        if pending is None:  # ask: the library may not be loaded yet
            gdb.execute("set breakpoint pending on")
        try:
            Catchpoint(name, temporary)
        finally:
            if pending is None:
                gdb.execute("set breakpoint pending auto")


class Gate(gdb.Command):
    """Let ranks of a job started with mpi2dd-run --gate leave MPI_Init.

    Usage: mpi gate open [--inferior LIST|all]

    In a job that was started with mpi2dd-run --gate every rank waits in MPI_Init until a debugger opens the gate. The rank
    runs when it is continued."""

    name = "mpi gate"

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_RUNNING)

    def complete(self, text, word):
        return [w for w in ("open",) if w.startswith(word or "")]

    @one_line
    def invoke(self, argument, _from_tty):
        self.dont_repeat()
        parser = Parser(prog=self.name, add_help=False)
        parser.add_argument("what", choices=["open"])
        parser.add_argument("-i", "--inferior")
        given = parser.parse_args(gdb.string_to_argv(argument))
        for inferior in inferiors(given.inferior):
            before = processes.with_session(inferior, lambda session: set_flag(session, FLAG_GATE))
            gdb.write(
                "inferior %d: the gate %s\n" % (inferior.num, "was open already" if before & FLAG_GATE else "is open")
            )


def register():
    Catch()
    Gate()
