# SPDX-License-Identifier: BSD-3-Clause
"""Convenience functions for expressions and conditions: break solve if $mpi_rank() == 3"""

import gdb

from . import plugin, processes


class MpiRank(gdb.Function):
    """$mpi_rank(): rank of the current process in MPI_COMM_WORLD; an error outside of MPI_Init and MPI_Finalize."""

    def __init__(self):
        super().__init__("mpi_rank")

    def invoke(self):
        try:
            rank = processes.session(gdb.selected_inferior()).rank()
        except plugin.Error as error:
            raise gdb.GdbError("$mpi_rank: %s" % error)
        if rank < 0:
            raise gdb.GdbError("$mpi_rank: the process has no rank: no MPI process, or not initialised")
        return rank


def register():
    MpiRank()
