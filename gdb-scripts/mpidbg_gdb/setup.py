# SPDX-License-Identifier: BSD-3-Clause
"""The effect of `source mpidbg.py`. It may be repeated."""

from . import processes

_done = False


def setup(here):
    global _done
    if _done:
        return
    _done = True
    processes.start(here)
    from . import commands, deadlock, events, frames, functions, handles, jobs, printers, where

    commands.register()
    jobs.register()
    deadlock.register()
    events.register()
    handles.register()
    printers.register()
    functions.register()
    frames.register()
    where.register()
