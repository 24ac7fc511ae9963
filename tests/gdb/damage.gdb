# SPDX-License-Identifier: BSD-3-Clause
# Memory that was damaged from inside GDB: what was said before is not said again, and nothing worse than a line.
-set startup-with-shell off
-set environment LD_PRELOAD @PRELOAD@
-break printed_here
-run
-up
print both
set var both.comm = (MPI_Comm)0x10101010
print both.comm
set var both.comm = (MPI_Comm)0
print both.comm
set var both.comm = MPI_COMM_WORLD_AGAIN
mpi print both.comm
print $mpi_size(both.comm)
print $mpi_comm_name(both)
print requests[0]
