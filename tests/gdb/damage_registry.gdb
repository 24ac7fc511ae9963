# SPDX-License-Identifier: BSD-3-Clause
# The in-target library's memory: MPI2DD_info, then a field of a record's, then all of its head. Every command says it in a line.
-set startup-with-shell off
-set environment LD_PRELOAD @PRELOAD@
-break printed_here
-run
-up
print column
set var MPI2DD_info.proctable_size = -1
pipe mpi procs | tail -n 2
set var MPI2DD_info.proctable_size = 1
set var MPI2DD_info.proctable = (void *)8
pipe mpi procs | tail -n 2
set var MPI2DD_info.version = 77
mpi gate open
mpi catch directory
pipe mpi doctor | grep MPI2DD
mpi attach-all
print column
-python damage = lambda at, n: gdb.selected_inferior().write_memory(int(gdb.parse_and_eval("(long)&MPI2DD_registry")) + at, b"\xa5" * n)
# behind the cookie and the sizes
python damage(64, 192)
+damaged
python damage(0, 64)
+damaged
