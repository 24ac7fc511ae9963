# SPDX-License-Identifier: BSD-3-Clause
# gdb PROGRAM CORE
mpi where
mpi queues
frame function main
print requests
mpi frame
mpi cores @CORE@
info mpi
mpi rank 0 -q mpi frame
mpi cores @DIR@/none
