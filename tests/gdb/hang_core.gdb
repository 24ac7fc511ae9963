# SPDX-License-Identifier: BSD-3-Clause
# gdb PROGRAM CORE
mpi where
mpi queues
frame function main
print requests
