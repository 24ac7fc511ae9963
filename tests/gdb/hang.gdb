# SPDX-License-Identifier: BSD-3-Clause
# A job that hangs: gdb -p of a rank.
bt
mpi where
mpi queues
frame function main
print requests
print ring
print/r ring
print ($mpi_size(ring) == 4 && $_streq($mpi_comm_name(ring), "ring"))
print $mpi_rank()
mpi attach-all
info mpi
mpi rank all -q mpi where
mpi deadlock
