# SPDX-License-Identifier: BSD-3-Clause
"""Installed as libmpi2dd-NAME.so-gdb.py beside each libmpi2dd-NAME.so: GDB runs it when a program loads that library, if
the user allows this (add-auto-load-safe-path)."""

import os

import gdb


def _load():
    library = gdb.current_objfile()
    if library is None:
        return
    folder = os.path.dirname(os.path.realpath(library.filename))
    script = os.path.normpath(os.path.join(folder, "..", "share", "mpidbg", "gdb", "mpidbg.py"))
    if os.path.exists(script):
        with open(script) as f:
            exec(compile(f.read(), script, "exec"), {"__name__": "mpidbg", "__file__": script})


_load()
