# SPDX-License-Identifier: BSD-3-Clause
"""The effect of `source mpidbg.py`. It may be repeated."""

import inspect

import gdb

from . import processes

_done = False


def _dedent(modules):
    """GDB before 12 shows the help of a class as it is indented in the source."""
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, (gdb.Command, gdb.Function)) and value.__doc__:
                value.__doc__ = inspect.cleandoc(value.__doc__)


def setup(here):
    global _done
    if _done:
        return
    _done = True
    processes.start(here)
    from . import commands, cores, deadlock, events, frames, functions, handles, jobs, printers, where

    _dedent((commands, cores, deadlock, events, functions, handles, jobs, where))
    commands.register()
    jobs.register()
    deadlock.register()
    cores.register()
    events.register()
    handles.register()
    printers.register()
    functions.register()
    frames.register()
    where.register()
