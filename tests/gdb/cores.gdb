# SPDX-License-Identifier: BSD-3-Clause
# a folder with the cores of a job
mpi cores @CORES@
info mpi
mpi rank all -q mpi where
mpi deadlock
