# SPDX-License-Identifier: BSD-3-Clause
"""`mpi cores`: the cores of a job, one inferior each."""

import json
import os

import gdb

from . import jobs, plugin, threads
from .commands import Usage, one_line

LIST_S = 600


def _listed(paths):
    """(processes, problems) of these folders and files, in the order of their ranks."""
    answer = jobs.run(["procs", "--json", "--cores", *paths], LIST_S)
    try:
        job = json.loads(answer.stdout)
    except ValueError:
        words = answer.stderr.strip().splitlines()
        raise plugin.Error(words[-1].replace("mpidbg: ", "", 1) if words else "mpidbg procs says nothing")
    return [process for process in job.get("processes", []) if process.get("core")], job.get("problems", [])


def _open(process, program):
    """Open a core in a new inferior, or in the current one if that is empty."""
    inferior = gdb.selected_inferior()
    if inferior.pid:
        known = {i.num for i in gdb.inferiors()}
        gdb.execute("add-inferior -no-connection", to_string=True)
        inferior = next(i for i in gdb.inferiors() if i.num not in known)
        gdb.execute("inferior %d" % inferior.num, to_string=True)
    if program:
        gdb.execute("file %s" % program, to_string=True)
    gdb.execute("core-file %s" % os.path.abspath(process["core"]), to_string=True)
    return inferior


class Cores(gdb.Command):
    """Open the cores of a job, one inferior for each, in the order of the ranks.

    Usage: mpi cores DIR|FILE...

    The program is that of the first inferior (`file PROGRAM`), or the one that each core names. Afterwards use `mpi deadlock`,
    `mpi rank all -q mpi where` and `mpi queues --inferior all`."""

    name = "mpi cores"

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_FILES, gdb.COMPLETE_FILENAME)

    @one_line
    def invoke(self, argument, _from_tty):
        self.dont_repeat()
        paths = [os.path.expanduser(path) for path in gdb.string_to_argv(argument)]
        if not paths:
            raise Usage("a folder with cores, or core files, are needed")
        given = gdb.selected_inferior().progspace.filename
        found, problems = _listed(paths)
        if not found:
            raise plugin.Error("; ".join(problems) or "no core is there")
        opened, first = 0, None
        for process in found:
            program = given or process.get("executable")
            try:
                inferior = _open(process, program if program and os.path.isfile(program) else None)
            except gdb.error as error:
                problems.append("%s: %s" % (process["core"], error))
                continue
            opened += 1
            first = first or inferior
        gdb.write("opened %d of %d cores\n" % (opened, len(found)))
        for problem in problems:
            gdb.write("%s: %s\n" % (self.name, problem), gdb.STDERR)
        if first:
            threads.select(first)


def register():
    Cores()
