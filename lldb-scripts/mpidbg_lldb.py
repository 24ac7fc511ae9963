# SPDX-License-Identifier: BSD-3-Clause
"""
The command "mpi" in LLDB: it runs mpidbg on the process that LLDB debugs, and on its job.

    (lldb) command script import /usr/local/share/mpidbg/lldb/mpidbg_lldb.py
    (lldb) mpi queues
    (lldb) mpi deadlock

A process has one tracer. LLDB lets go of it, stopped as it is, mpidbg reads it, and LLDB attaches again. Breakpoints stay; the
numbers of threads and values of expressions ($0) may change.
"""
import os
import shutil
import signal
import subprocess

import lldb

OF_JOB = ("deadlock", "procs", "stacks", "snapshot", "report", "explain", "diff")
OF_PROCESS = ("queues", "comms", "calls", "handles", "print", "vars", "doctor")


def program():
    """The command: MPIDBG, the one that belongs to this file, or the one in PATH."""
    here = os.path.dirname(os.path.realpath(__file__))
    for path in (
        os.environ.get("MPIDBG"),
        os.path.join(here, "../../../bin/mpidbg"),
        os.path.join(here, "../build/mpidbg"),
    ):
        if path and os.access(path, os.X_OK):
            return path
    return shutil.which("mpidbg")


def wait_for_stop(debugger, process):
    """After attaching, until LLDB has seen the stop."""
    listener = debugger.GetListener()
    event = lldb.SBEvent()
    for _ in range(100):
        if process.GetState() == lldb.eStateStopped:
            return True
        listener.WaitForEvent(1, event)
    return False


def attach_again(debugger, target, pid):
    """@return an error text, or None"""
    error = lldb.SBError()
    was_async = debugger.GetAsync()
    debugger.SetAsync(False)
    process = target.AttachToProcessWithID(lldb.SBListener(), pid, error)
    debugger.SetAsync(was_async)
    if not error.Success() or not process.IsValid():
        return f"process {pid} cannot be attached to again ({error.GetCString()}); it is stopped: process attach --pid {pid}"
    wait_for_stop(debugger, process)
    os.kill(pid, signal.SIGCONT)  # for when the user lets it run
    return None


def mpi(debugger, command, result, _):
    """mpi SUBCOMMAND [OPTION]...: what mpidbg says of this process (queues, comms, calls, handles, print, vars, doctor), or of
    its job (deadlock, procs, stacks, explain RANK, report -o FILE)."""
    words = command.split()
    target = debugger.GetSelectedTarget()
    process = target.GetProcess()
    path = program()
    if not words or words[0] not in OF_JOB + OF_PROCESS:
        result.SetError("mpi: which of " + ", ".join(OF_PROCESS + OF_JOB) + "?")
        return
    if not path:
        result.SetError("mpi: no command mpidbg: set MPIDBG to its path")
        return
    pid = process.GetProcessID()
    if not process.IsValid() or process.GetState() != lldb.eStateStopped or process.GetPluginName() != "gdb-remote":
        result.SetError("mpi: no live process of this machine is stopped here; for a core: mpidbg queues --core FILE")
        return
    os.kill(pid, signal.SIGSTOP)  # it stays stopped when LLDB has let go of it: LLDB 14 has no "keep stopped" for Linux
    error = process.Detach()
    if not error.Success():
        result.SetError("mpi: LLDB cannot let go of the process: " + str(error.GetCString()))
        return
    about = ["--job" if words[0] in OF_JOB else "-p", str(pid)]
    environment = {**os.environ, "MPIDBG_DEBUGGER": f"{os.getpid()} lldb {pid}"}
    answer = subprocess.run(
        [path, *words, *about],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    problem = attach_again(debugger, target, pid)
    result.AppendMessage(answer.stdout.rstrip("\n"))
    if problem:
        result.SetError("mpi: " + problem)


def __lldb_init_module(debugger, _):
    debugger.HandleCommand(f"command script add -o -f {__name__}.mpi mpi")
