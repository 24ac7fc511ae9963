# SPDX-License-Identifier: BSD-3-Clause
# Unprepared ranks whose messages UCX matches: the queues are read from UCX.
mpi queues
mpi comms
mpi calls
