# SPDX-License-Identifier: BSD-3-Clause
# MPI_T from inside GDB: values of MPI_Init, then of a refresh; the variable of the MPI library was set in the environment.
-set startup-with-shell off
-set environment LD_PRELOAD @PRELOAD@
-set environment @SETTING@
-break printed_here
-run
mpi vars pvars *live_comm
mpi vars cvars mpi2dd_track_wh*
mpi vars cvars *@CVAR@
print (int)MPI2DD_refresh() > 0
mpi vars pvars *live_comm
mpi vars cvars *@CVAR@
mpi vars categories MPI2DD_obj*
mpi vars events *spawned
mpi vars cvars nonsense
mpi vars nonsense
complete mpi vars c
complete mpi vars --
-generate-core-file @DIR@/core
-kill
-shell tests/support/job_ended @DIR@
-core-file @DIR@/core
mpi vars pvars *live_comm
mpi vars cvars *@CVAR@
print (int)MPI2DD_refresh()
