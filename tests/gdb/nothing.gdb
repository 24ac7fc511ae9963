# SPDX-License-Identifier: BSD-3-Clause
# A program without MPI, and no process at all: every command says so in a line.
mpi queues
mpi comms
mpi doctor
mpi procs
mpi where
mpi calls
mpi handles
mpi vars
mpi print 1 as comm
mpi attach-all
mpi deadlock
mpi deadlock 1
mpi rank 0 bt
mpi gate open
info mpi
print $mpi_rank()
print $mpi_size(1)
print $mpi_comm_name(1)
print $mpi_type_name(1)
print $mpi_arg("tag")
-starti
mpi queues
mpi comms
pipe mpi doctor | sed -n 2p
mpi procs
mpi where 1
mpi calls
mpi handles
mpi vars
mpi print $pc as comm
mpi rank all bt
mpi deadlock
mpi gate open
mpi catch directory
print $mpi_rank()
print $mpi_size(1)
print $mpi_comm_name(1)
print $mpi_type_name(1)
print $mpi_arg("tag")
info mpi
mpi catch
mpi vars nonsense
mpi handles nonsense
mpi where nonsense
mpi rank 0
mpi gate nonsense
mpi attach-all nonsense
mpi print
mpi print nonsense
info mpi nonsense
