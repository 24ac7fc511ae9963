# SPDX-License-Identifier: BSD-3-Clause
# Variables of every handle type, while all is alive.
print world
print no_comm
print grid
print/r grid == solver.comm
print freed
print stale
print never
print group
print no_group
print empty
print column
print row
print record
print no_type
print pending
print persistent
print none
print status
print/r status.MPI_TAG
print add
print max
print info
print no_info
print handler
print fatal
print win
print file
print no_file
print message
print solver
print library
