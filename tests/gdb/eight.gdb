# SPDX-License-Identifier: BSD-3-Clause
# Eight ranks, eight inferiors: each has its own state.
mpi attach-all @LAUNCHER@
info mpi
mpi rank all -q print $mpi_rank()
mpi rank 0,5-7 -q mpi where
mpi rank 2-3 print $mpi_rank() + 1
mpi rank 7 print nonsense
mpi rank 6-7 -c print nonsense
mpi rank 6-7 -s print nonsense
mpi rank 9 bt
mpi queues --inferior 1,8
-inferior 1
kill
info mpi
mpi rank 0 bt
mpi rank 1 -q print $mpi_rank()
