# SPDX-License-Identifier: BSD-3-Clause
# Everything that can be stopped at, in one process; the process that it spawns is attached to at once.
mpi catch start
mpi catch -t spawn
mpi catch accept
mpi catch connect
mpi catch join
mpi catch abort
-tbreak main
-run
mpi catch -t directory
continue
bt
continue
mpi catch -t metadirectory
continue
bt 1
continue
bt
mpi attach-all
info mpi
mpi rank all mpi where
mpi rank 0 -q print other
detach inferior 2
continue
bt 1
continue
bt 1
continue
bt 1
continue
bt 1
complete mpi catch a
-kill
