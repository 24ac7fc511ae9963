# SPDX-License-Identifier: BSD-3-Clause
# Every command once, on a rank that waits in MPI_Recv.
bt
mpi where
mpi queues
mpi comms
pipe mpi doctor | sed -n 2,6p
pipe mpi procs | grep -v "^  " | tr -s " " | cut -d " " -f 1,2,4
mpi calls
mpi handles comm
mpi vars pvars *live_comm
info mpi
frame function main
pipe mpi print ring | sed -n 2,8p
pipe mpi print requests[0] | sed -n 2,12p
print ring
print requests
print $mpi_rank()
print $mpi_size(ring)
print $mpi_comm_name(ring)
print $mpi_arg("tag")
