# SPDX-License-Identifier: BSD-3-Clause
# Variables of every handle type, of a program that runs under GDB.
-set startup-with-shell off
-set environment LD_PRELOAD @PRELOAD@
-set environment OMPI_MCA_osc @OSC@
-break values_here
-run @DIR@/data
-up
info pretty-printer global mpidbg
+values_shown
-frame 0
-continue
bt -frame-arguments all 2
frame 1
info locals
disable pretty-printer global mpidbg;MPI_Op
info locals
-disable pretty-printer
print/x sizeof(comm) == sizeof(MPI_Comm)
-enable pretty-printer
-continue
-up
print solver.halo
