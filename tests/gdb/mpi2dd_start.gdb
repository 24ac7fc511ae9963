# SPDX-License-Identifier: BSD-3-Clause
# gdb -nx -batch -x mpi2dd_start.gdb --args mpi2dd-run --gate mpirun -n 2 ./a.out
# The job starts under GDB: the starter says where its processes are, each is acquired inside MPI_Init, and let go.
set pagination off
set confirm off
set breakpoint pending on
set follow-fork-mode parent
break MPI2DD_breakpoint
run
printf "> starter: debug_state %d, mpi_flags %#x\n", MPI2DD_info.debug_state, MPI2DD_info.mpi_flags
printf "> starter: metadirectory is pid %d", MPI2DD_info.meta_pid
printf " on %s, %s\n", (char *)MPI2DD_info.meta_host_name, (char *)MPI2DD_info.meta_executable_name
# The starter may see this as long as we are there.
set var MPI2DD_info.debugger_flags |= 2
set $meta = MPI2DD_info.meta_pid
add-inferior
inferior 2
eval "attach %d", $meta
printf "> metadirectory: debug_state %d, mpi_flags %#x\n", MPI2DD_info.debug_state, MPI2DD_info.mpi_flags
printf "> metadirectory: %d processes", MPI2DD_info.proctable_size
printf ", %d other directories, %d other worlds\n", MPI2DD_info.directory_size, MPI2DD_info.metadirectory_size
set $i = 0
while $i < MPI2DD_info.proctable_size
	set $p = ((struct MPI2DD_PROCDESC *)MPI2DD_info.proctable)[$i]
	printf "> rank %d: pid %d on %s", $p.rank, $p.pid, (char *)$p.host_name
	printf ", %s, spawned %d", (char *)$p.executable_name, $p.spawn_desc != 0
	printf ", world %s\n", (char *)$p.comm_world_id
	if $p.rank == 1
		set $other = $p.pid
	end
	set $i = $i + 1
end
# Each rank waits inside MPI_Init until this bit is set in it.
set var MPI2DD_info.debugger_flags |= 1
detach
eval "attach %d", $other
printf "> rank 1: mpi_flags %#x, metadirectory is rank 0: %d\n", MPI2DD_info.mpi_flags, MPI2DD_info.meta_pid == $meta
set var MPI2DD_info.debugger_flags |= 1
detach
inferior 1
delete
continue
printf "> starter: exit code %d\n", $_exitcode
