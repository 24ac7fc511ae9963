# SPDX-License-Identifier: BSD-3-Clause
"""Many ranks in one GDB: `mpi attach-all` and `mpi rank LIST COMMAND`. The mpidbg command is run to find the processes of
the job."""

import json
import os
import shutil
import socket
import subprocess

import gdb

from . import plugin, processes, threads
from .commands import Usage, numbers, one_line

_ranks = {}  # (inferior number, pid) -> rank, of attach-all


def command():
    """Path of mpidbg: next to the library, in the bin directory of its prefix, or in PATH."""
    library = os.path.realpath(processes.library().path)
    folder = os.path.dirname(library)
    for path in (os.path.join(folder, "mpidbg"), os.path.join(folder, "..", "bin", "mpidbg")):
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    found = shutil.which("mpidbg")
    if not found:
        raise plugin.Error("the mpidbg command is not beside %s and not in PATH" % library)
    return found


def run(words, limit_s):
    """Run a subcommand of mpidbg. @return its end, with what it has printed"""
    return subprocess.run(
        [command()] + words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        timeout=limit_s,
        check=False,
    )


def processes_of(pid):
    """(processes, problems) of the job of the launcher or rank @p pid."""
    answer = run(["procs", "--json", "--job", str(pid)], 60)
    try:
        job = json.loads(answer.stdout)
    except ValueError:
        words = answer.stderr.strip().splitlines()
        raise plugin.Error(words[-1] if words else "mpidbg procs --job %d says nothing" % pid)
    # If mpirun runs a rank under GDB, the launcher lists this GDB, and mpidbg a process that GDB traces: it is an
    # inferior already.
    own = os.getpid()
    found = [process for process in job.get("processes", []) if process.get("pid") != own]
    return found, [words for words in job.get("problems", []) if "is being traced by PID %d " % own not in words]


def rank_of(inferior):
    """The rank of an inferior: from attach-all, otherwise from the process itself; None: unknown."""
    known = _ranks.get((inferior.num, inferior.pid))
    if known is not None:
        return known
    return processes.rank(inferior)


class AttachAll(gdb.Command):
    """Attach to every rank of a job, one inferior for each.

    Usage: mpi attach-all [PID]

    PID is that of the launcher (mpirun) or of any rank; the default is that of the current inferior. Attaching stops a process.
    Processes on other hosts, and those that cannot be attached to, are listed. Afterwards use `mpi rank 0,2-4 COMMAND` and
    `mpi queues --inferior all`; `detach inferiors` or leaving GDB resumes the processes."""

    name = "mpi attach-all"

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    @one_line
    def invoke(self, argument, from_tty):
        self.dont_repeat()
        words = gdb.string_to_argv(argument)
        if len(words) > 1:
            raise Usage("at most one process id is taken")
        if words and not words[0].isdigit():
            raise Usage("%s is not a process ID" % words[0])
        pid = int(words[0]) if words else gdb.selected_inferior().pid
        if not pid:
            raise Usage("the process id of a launcher or of a rank is needed")
        found, problems = processes_of(pid)
        if not found:
            raise plugin.Error("; ".join(problems) or "no other process of process %d's job is known" % pid)
        current = gdb.selected_inferior()
        first, attached = current if current.threads() else None, 0
        for i, process in enumerate(found):
            name = "rank %s (process %s)" % (process.get("rank", "?"), process.get("pid", "?"))
            if from_tty:
                gdb.write("\rattaching: %d of %d" % (i + 1, len(found)))
                gdb.flush()
            try:
                inferior = self._attach(process)
            except (gdb.error, plugin.Error) as error:
                problems.append("%s: %s" % (name, error))
                continue
            attached += 1
            if process.get("rank") is not None:
                _ranks[(inferior.num, inferior.pid)] = process["rank"]
            first = first or inferior
        if from_tty:
            gdb.write("\r")
        gdb.write("attached to %d of %d processes\n" % (attached, len(found)))
        for problem in problems:
            gdb.write("mpi attach-all: %s\n" % problem, gdb.STDERR)
        if first:
            threads.select(first)

    @staticmethod
    def _attach(process):
        if not process.get("pid"):
            raise plugin.Error("its process id is not known")
        if process.get("host") and process["host"] != socket.gethostname() and not process.get("state"):
            raise plugin.Error("on host %s" % process["host"])
        for inferior in gdb.inferiors():
            if inferior.pid == process["pid"]:
                return inferior
        free = [inferior for inferior in gdb.inferiors() if not inferior.pid and not inferior.progspace.filename]
        if free:
            inferior = free[0]
        else:
            before = {i.num for i in gdb.inferiors()}
            gdb.execute("add-inferior -no-connection", to_string=True)
            inferior = next(i for i in gdb.inferiors() if i.num not in before)
        gdb.execute("inferior %d" % inferior.num, to_string=True)
        try:
            gdb.execute("attach %d" % process["pid"], to_string=True)
        except gdb.error:
            if not free:
                gdb.execute("inferior 1", to_string=True)
                gdb.execute("remove-inferiors %d" % inferior.num, to_string=True)
            raise
        return inferior


class Rank(gdb.Command):
    """Run a command for some ranks, as `thread apply` does for threads.

    Usage: mpi rank LIST|all [-q] [-c] [-s] COMMAND

    LIST is as 0,2-4. -q: no headings; -c: print errors and continue; -s: as -c, silently. The inferior of each rank is made
    current for the command; the previous selection is restored afterwards. If there are several worlds, as after
    MPI_Comm_spawn, a number selects that rank of each world."""

    name = "mpi rank"

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_RUNNING)

    def complete(self, text, word):
        """Complete the list, the flags, then the command as GDB does."""
        words = text.split(" ")
        if len(words) < 2:
            return [w for w in ("all",) if w.startswith(text)]
        flags = ("-q", "-c", "-s")
        if words[-1].startswith("-") and all(w in flags for w in words[1:-1]):
            return [flag[len(words[-1]) - len(word or "") :] for flag in flags if flag.startswith(words[-1])]
        rest = text[len(words[0]) + 1 :]
        while rest[:3] in ("-q ", "-c ", "-s "):
            rest = rest[3:]
        if not rest:
            return gdb.COMPLETE_NONE
        before = len(rest) - len(word or "")
        return [line[before:] for line in gdb.execute("complete " + rest, to_string=True).splitlines()]

    @one_line
    def invoke(self, argument, from_tty):
        self.dont_repeat()
        text, _, rest = argument.strip().partition(" ")
        flags = set()
        rest = rest.lstrip()
        while rest[:2] in ("-q", "-c", "-s") and (len(rest) == 2 or rest[2] == " "):
            flags.add(rest[1])
            rest = rest[2:].lstrip()
        if not text or not rest:
            raise Usage("a list of ranks and a command are needed")
        processes.library()
        present = {}
        for inferior in gdb.inferiors():
            rank = rank_of(inferior) if inferior.threads() else None
            if rank is not None:
                present.setdefault(rank, []).append(inferior)
        wanted = sorted(present) if text == "all" else numbers(text)
        if not wanted:
            raise Usage("no inferior is an MPI process")
        missing = [rank for rank in wanted if rank not in present]
        if missing:
            raise Usage("no inferior is rank %s (mpi attach-all makes one for each)" % ", ".join(map(str, missing)))
        with threads.Selection():
            for rank in wanted:
                for inferior in sorted(present[rank], key=lambda inferior: inferior.num):
                    self._apply(inferior, rank, rest, flags)

    @staticmethod
    def _apply(inferior, rank, command_line, flags):
        if gdb.selected_inferior().num != inferior.num:
            threads.select(inferior)
        try:
            out = gdb.execute(command_line, to_string=True)
        except gdb.error as error:
            if "s" in flags:
                return
            if "c" not in flags:
                raise
            out = "%s\n" % error
        if "s" in flags and not out:
            return
        if "q" not in flags:
            gdb.write("\nrank %d (inferior %d, process %d):\n" % (rank, inferior.num, inferior.pid))
        gdb.write(out)


def register():
    AttachAll()
    Rank()
