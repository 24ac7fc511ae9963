# SPDX-License-Identifier: BSD-3-Clause
"""`mpi deadlock`, `mpi snapshot`, `mpi report`: the state of the process of each inferior is written as a snapshot
(docs/json.md), which the mpidbg command analyzes."""

import json
import shutil
import socket
import tempfile
import time

import gdb

from . import jobs, plugin, processes, snapshot_format
from .commands import Parser, completions, inferiors, one_line

COMMAND_S = 600  # timeout; a job of several thousand ranks is analyzed in seconds


def _ask(inferior, what, problems, **options):
    """The answer of the plugin for an inferior, as JSON; {}: none, with the reason in problems."""
    code, text, error = processes.describe(inferior, what, format=1, **options)
    if text:
        return json.loads(text)
    if code != plugin.SUCCESS and problems is not None:
        problems.append("inferior %d: %s" % (inferior.num, error or "nothing is known of it"))
    return {}


def _objects(inferior, kind):
    """The windows or files that the in-target library has recorded; None: not recorded, or incomplete."""
    kinds = _ask(inferior, plugin.HANDLES, None, kind=kind).get("handles") or [{}]
    return None if not kinds[0].get("recorded") or kinds[0].get("not_recorded") else kinds[0].get("objects")


def _process(inferior, problems):
    ret = _ask(inferior, plugin.QUEUES, problems, all=1, most_messages=snapshot_format.MESSAGES_MAX)
    ret.setdefault("pid", inferior.pid)
    for communicator in ret.get("communicators", []):
        for name in ("members", "remote_members"):
            if isinstance(communicator.get(name), list):
                communicator[name] = snapshot_format.pack_members(communicator[name])
    if not isinstance(ret.get("rank"), int):
        rank = jobs.rank_of(inferior)
        if rank is not None:
            ret["rank"] = rank
            ret.pop("rank_why", None)
    calls = _ask(inferior, plugin.CALLS, None, all=1)
    if isinstance(calls.get("calls"), list) and calls.get("recorded") is not False:
        ret["recorded_calls"] = calls["calls"]
    if isinstance(calls.get("partitioned"), list):
        ret["partitioned"] = calls["partitioned"]
    for name, kind in (("windows", "win"), ("files", "file")):
        objects = _objects(inferior, kind)
        if isinstance(objects, list):
            ret[name] = objects
    return ret


def snapshot(found):
    """(processes, problems) of some inferiors. Processes of one MPI_COMM_WORLD have one number."""
    problems, worlds, listed = [], {}, []
    for inferior in found:
        process = _process(inferior, problems)
        world = process.get("world")
        key = world.get("job") if isinstance(world, dict) else None
        process["world_number"] = worlds.setdefault(key, len(worlds))
        listed.append(process)
    return listed, problems


def write_snapshot(file, given):
    """Write the snapshot of these inferiors. @return its problems"""
    listed, problems = snapshot(inferiors(given))
    if not any(isinstance(process.get("rank"), int) for process in listed):
        raise plugin.Error("no inferior is a process of MPI whose rank is known")
    head = {"time": int(time.time()), "host": socket.gethostname(), "job": {}}
    snapshot_format.write(file, head, listed, problems)
    file.flush()
    return problems


class OfInferiors(gdb.Command):
    """A command for the processes of all inferiors, or of some."""

    name = None
    flags = ("--inferior",)

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_DATA, gdb.COMPLETE_NONE)

    def complete(self, text, word):
        return completions(text, word, self.flags)

    def parser(self):
        parser = Parser(prog=self.name, add_help=False)
        parser.add_argument("-i", "--inferior", default="all")
        return parser

    def warn(self, problems):
        for problem in problems:
            gdb.write("%s: %s\n" % (self.name, problem), gdb.STDERR)

    def run(self, given, words, needs_output):
        """Run a subcommand of mpidbg with a snapshot, and print what it prints."""
        with tempfile.NamedTemporaryFile("w", prefix="mpidbg-", suffix=".json") as file:
            self.warn(write_snapshot(file, given.inferior))
            answer = jobs.run([words[0], "--snapshot", file.name] + words[1:], COMMAND_S)
        gdb.write(answer.stdout)
        said = [line.replace("mpidbg: ", "", 1) for line in answer.stderr.strip().splitlines()]
        if needs_output and not answer.stdout:
            raise plugin.Error(said[-1] if said else "mpidbg %s says nothing" % words[0])
        self.warn(said)
        return answer.returncode


class Deadlock(OfInferiors):
    """Say why the job hangs: ranks that wait for each other, missing ranks, mismatches, and where in the program.

    Usage: mpi deadlock [--json] [--inferior LIST|all]

    Analyzes the stopped processes of all inferiors; `mpi attach-all` makes an inferior for each rank. A rank that is not
    among them is treated as able to make progress. `mpidbg deadlock --job PID` reads a running job twice, and therefore
    also detects ranks that have made progress in between. --json prints the format of docs/json.md."""

    name = "mpi deadlock"
    flags = ("--json", "--inferior")

    @one_line
    def invoke(self, argument, _from_tty):
        self.dont_repeat()
        parser = self.parser()
        parser.add_argument("-j", "--json", action="store_true")
        given = parser.parse_args(gdb.string_to_argv(argument))
        self.run(given, ["deadlock"] + ["--json"] * given.json, True)


class ToFile(OfInferiors):
    """Base of the commands that write a file."""

    @one_line
    def invoke(self, argument, _from_tty):
        self.dont_repeat()
        parser = self.parser()
        parser.add_argument("file")
        given = parser.parse_args(gdb.string_to_argv(argument))
        if self.write(given):
            gdb.write("%s is written\n" % given.file)


class Snapshot(ToFile):
    """Store the state of the ranks in a file, for mpidbg diff, deadlock, stacks and report.

    Usage: mpi snapshot [--inferior LIST|all] FILE

    An existing file is replaced."""

    name = "mpi snapshot"

    def write(self, given):
        with tempfile.TemporaryFile("w+") as text:  # nothing is left of a snapshot that fails
            self.warn(write_snapshot(text, given.inferior))
            text.seek(0)
            try:
                with open(given.file, "w", encoding="utf-8") as file:
                    shutil.copyfileobj(text, file)
            except OSError as error:
                raise plugin.Error("%s: %s" % (given.file, error.strerror))
        return True


class Report(ToFile):
    """Write the verdict, the wait-for graph, the stacks and queues of the ranks as an HTML page.

    Usage: mpi report [--inferior LIST|all] FILE"""

    name = "mpi report"

    def write(self, given):
        return self.run(given, ["report", "-o", given.file], False) == 0


def register():
    Deadlock()
    Snapshot()
    Report()
