# SPDX-License-Identifier: BSD-3-Clause
# No rank has finished an MPI call for 5 s: mpi2dd-run lets each call MPI2DD_breakpoint, in a thread of the library.
mpi catch hang
run
-thread 1
mpi where
mpi calls
-kill
