# SPDX-License-Identifier: BSD-3-Clause
# mpi2dd-run mpirun -n 1 gdb -nx -batch -x mpi2dd_spawn.gdb --args ./a.out : -n 1 ./a.out
# Rank 0 runs under GDB and spawns a world: the breakpoint tells that, and the table where the new world is.
set pagination off
set confirm off
set breakpoint pending on
set follow-fork-mode parent
break MPI2DD_breakpoint
run
printf "> debug_state %d: %d processes", MPI2DD_info.debug_state, MPI2DD_info.proctable_size
printf ", %d other worlds\n", MPI2DD_info.metadirectory_size
continue
printf "> debug_state %d: %d processes", MPI2DD_info.debug_state, MPI2DD_info.proctable_size
printf ", %d other worlds\n", MPI2DD_info.metadirectory_size
set $m = ((struct MPI2DD_DIRECTORYENTRY *)MPI2DD_info.metadirectory_table)[0]
printf "> metadirectory of another world: pid %d on %s, %s\n", $m.pid, (char *)$m.host_name, (char *)$m.executable_name
add-inferior
inferior 2
eval "attach %d", $m.pid
set $p = ((struct MPI2DD_PROCDESC *)MPI2DD_info.proctable)[0]
set $s = *(struct MPI2DD_SPAWNDESC *)$p.spawn_desc
printf "> its rank %d: pid %d on %s, world %s\n", $p.rank, $p.pid, (char *)$p.host_name, (char *)$p.comm_world_id
printf "> spawned by rank %d of world %s, call %d\n", $s.parent_rank, (char *)$s.parent_comm_world_id, $s.sequence
detach
inferior 1
delete
continue
printf "> exit code %d\n", $_exitcode
