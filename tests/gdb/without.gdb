# SPDX-License-Identifier: BSD-3-Clause
# libmpidbg.so is not there: every command says what to do; values are printed as GDB prints them.
-break printed_here
-run
-up
-python import os; os.environ["MPIDBG_LIBRARY"] = "/nonexistent/libmpidbg.so"
mpi queues
mpi comms
mpi doctor
mpi procs
mpi where
mpi calls
mpi handles
mpi vars
mpi print workers
mpi attach-all
mpi deadlock
mpi rank 0 bt
mpi gate open
mpi catch directory
info mpi
print $mpi_rank()
print $mpi_size(workers)
print $mpi_comm_name(workers)
print $mpi_type_name(column)
print $mpi_arg("tag")
print number
print workers
print column
