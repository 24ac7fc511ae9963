# SPDX-License-Identifier: BSD-3-Clause
# A GDB without Python reads the next line as a GDB command and stops there with an error.
info = "mpidbg: this GDB has no Python; use one that has (in Debian the package gdb, not gdb-minimal)"
"""MPI inside GDB: `source mpidbg.py`, then `help mpi`.

The answers come from libmpidbg.so, which is loaded into GDB: from $MPIDBG_LIBRARY, from a path relative to this file (a
build or an installation), or from the search path of the dynamic loader.
"""

import os
import sys

import gdb

# Not __file__: a Python script that sources this file leaves it as its own path.
_here = os.path.dirname(os.path.realpath(sys._getframe().f_code.co_filename))
if _here not in sys.path:
    sys.path.insert(0, _here)

try:
    from mpidbg_gdb import setup
except SyntaxError as error:  # this Python is too old
    raise gdb.GdbError("mpidbg: GDB has Python %s; 3.7 or later is needed (%s)" % (sys.version.split()[0], error))

setup.setup(_here)
