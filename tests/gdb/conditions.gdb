# SPDX-License-Identifier: BSD-3-Clause
# Conditions of breakpoints: ranks, communicators, arguments of a library without debug information.
-set startup-with-shell off
-set environment LD_PRELOAD @PRELOAD@
print $mpi_rank()
-tbreak main
-run
print $mpi_type_name(column)
break MPI_Irecv if $_streq($mpi_type_name($mpi_arg("datatype")), "MPI_INT")
tbreak MPI_Comm_dup if $mpi_size($mpi_arg("comm")) > 1
tbreak MPI_Sendrecv if $mpi_arg("recvtag") == -1 && $mpi_arg("sendtag") == 3
continue
print $mpi_arg("sendcount")
print $mpi_arg("recvtype")
print $mpi_arg("comm")
print $mpi_arg("nonsense")
continue
print $mpi_arg("count")
print $mpi_arg("datatype")
print $mpi_type_name($mpi_arg("datatype"))
print $mpi_comm_name($mpi_arg("comm"))
print $mpi_rank() == 0
-delete
-break printed_here
-continue
print $mpi_arg("count")
-up
print $mpi_type_name(record)
print $mpi_type_name(types[1])
print $mpi_comm_name(workers)
print $mpi_comm_name(number)
print $mpi_size(status)
print $mpi_size()
