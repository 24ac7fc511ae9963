# SPDX-License-Identifier: BSD-3-Clause
# Two ranks, two inferiors: one goes on, what was said of it is dropped, and the other stays where it is.
mpi attach-all @LAUNCHER@
info mpi
mpi rank 0,1 -q print shown
mpi rank 0,1 print $mpi_comm_name(shown)
mpi comms
-break reached
mpi rank 0 -q set var released = 1
continue
mpi rank 0,1 -q print shown
mpi rank 0,1 print $mpi_comm_name(shown)
mpi comms --inferior all
-delete
# GDB takes `world` and `shown` from the inferior that is current now, whichever process comes there.
mpi rank 1 -q break reached if $mpi_rank() == 1 && $mpi_size(world) == 2 && $_streq($mpi_comm_name(shown), "step 2")
mpi rank all -q set var released = 2
-set schedule-multiple on
continue
print $mpi_rank()
print shown
mpi rank 1 -q mpi comms
