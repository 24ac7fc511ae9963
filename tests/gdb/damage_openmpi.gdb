# SPDX-License-Identifier: BSD-3-Clause
# The library's own memory.
-break printed_here
-run
-up
print workers
set {long}((char *)&ompi_mpi_communicators + 112) = 0x10
print workers
mpi comms
set {long}workers = 0x10
print workers
set {char[64]}requests[0] = "damaged"
print requests[0]
set {long}&ompi_mpi_communicators = 0
mpi queues
print both
mpi where
mpi print workers
print $mpi_size(workers)
print $mpi_comm_name(workers)
info mpi
set var *(int *)&ompi_mpi_state = 1000
mpi queues
pipe mpi doctor | sed -n 2,3p
mpi where
print workers
print $mpi_rank()
info mpi
