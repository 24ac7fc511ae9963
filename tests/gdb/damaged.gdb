# SPDX-License-Identifier: BSD-3-Clause
# What is asked after the registry was damaged.
print column
print both
print $mpi_rank()
print $mpi_size(workers)
print $mpi_comm_name(workers)
print $mpi_type_name(column)
mpi handles
mpi calls
mpi print workers
mpi vars pvars *live_comm
mpi queues
mpi comms
mpi where
pipe mpi doctor | sed -n 2,3p
info mpi
