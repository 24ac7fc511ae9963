# SPDX-License-Identifier: BSD-3-Clause
# The same, started with mpi2dd-run.
mpi where
frame function main
print requests
mpi calls
mpi handles request
mpi print requests[0]
