# SPDX-License-Identifier: BSD-3-Clause
# A GDB without Python takes the next line for a command of its own, and ends with it.
info = "mpidbg: this GDB has no Python; use one that has (in Debian the package gdb, not gdb-minimal)"
"""MPI inside GDB: `source mpidbg.py`, then `help mpi`.

The answers come from libmpidbg.so, which is loaded into GDB: from $MPIDBG_LIBRARY, from beside this file (a build or
an installation), or as the loader finds it.
"""

import os
import sys

import gdb

_here = os.path.dirname(os.path.realpath(__file__))
if _here not in sys.path:
    sys.path.insert(0, _here)

try:
    from mpidbg_gdb import setup
except SyntaxError as error:  # a Python that is older than ours
    raise gdb.GdbError("mpidbg: GDB has Python %s; 3.7 or later is needed (%s)" % (sys.version.split()[0], error))

setup.setup(_here)
