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
mpi frame
print left
mpi snapshot @DIR@/gdb.json
mpi report @DIR@/gdb.html
shell grep -c 'mismatch: rank 0 waits for a message from rank 3' @DIR@/gdb.html
shell @BUILD@/mpidbg deadlock --snapshot @DIR@/gdb.json | head -1
mpi snapshot @DIR@/none/gdb.json
mpi report
