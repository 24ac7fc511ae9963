# SPDX-License-Identifier: BSD-3-Clause
"""`mpi deadlock`: why the job hangs. The state of the process of each inferior is written as a snapshot (docs/json.md), which
the mpidbg command analyzes."""

import json
import socket
import subprocess
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


class Deadlock(gdb.Command):
    """Say why the job hangs: ranks that wait for each other, missing ranks, mismatches, and where in the program.

    Usage: mpi deadlock [--json] [--inferior LIST|all]

    Analyzes the stopped processes of all inferiors; `mpi attach-all` makes an inferior for each rank. A rank that is not
    among them is treated as able to make progress. `mpidbg deadlock --job PID` reads a running job twice, and therefore
    also detects ranks that have made progress in between. --json prints the format of docs/json.md."""

    name = "mpi deadlock"

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_DATA, gdb.COMPLETE_NONE)

    def complete(self, text, word):
        return completions(text, word, ("--json", "--inferior"))

    @one_line
    def invoke(self, argument, _from_tty):
        self.dont_repeat()
        parser = Parser(prog=self.name, add_help=False)
        parser.add_argument("-j", "--json", action="store_true")
        parser.add_argument("-i", "--inferior", default="all")
        given = parser.parse_args(gdb.string_to_argv(argument))
        listed, problems = snapshot(inferiors(given.inferior))
        if not any(isinstance(process.get("rank"), int) for process in listed):
            raise plugin.Error("no inferior is a process of MPI whose rank is known")
        for problem in problems:
            gdb.write("%s: %s\n" % (self.name, problem), gdb.STDERR)
        with tempfile.NamedTemporaryFile("w", prefix="mpidbg-", suffix=".json") as file:
            head = {"time": int(time.time()), "host": socket.gethostname(), "job": {}}
            snapshot_format.write(file, head, listed, problems)
            file.flush()
            answer = subprocess.run(
                [jobs.command(), "deadlock", "--snapshot", file.name] + ["--json"] * given.json,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                universal_newlines=True,
                timeout=COMMAND_S,
                check=False,
            )
        gdb.write(answer.stdout)
        words = [line.replace("mpidbg: ", "", 1) for line in answer.stderr.strip().splitlines()]
        if not answer.stdout:
            raise plugin.Error(words[-1] if words else "mpidbg deadlock says nothing")
        for line in words:
            gdb.write("%s: %s\n" % (self.name, line), gdb.STDERR)


def register():
    Deadlock()
