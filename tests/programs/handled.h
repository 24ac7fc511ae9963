/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file handled.h
 * What a call returns that has failed, after an error handler of the program has returned.
 */
#ifndef HANDLED_H
#define HANDLED_H

#include <mpi.h>

/*
 * MPICH since 4.3 returns MPI_SUCCESS (MPIR_call_errhandler(), src/mpi/errhan/errutil.c), without the in-target library
 * too. Nothing outside of the handler shows that the call has failed.
 */
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40300000
#define HANDLED_IS_SUCCESS 1
#else
#define HANDLED_IS_SUCCESS 0
#endif

/*
 * Open MPI 6.0.0rc2 returns MPI_SUCCESS from one MPI_Waitall in a thousand that has failed, without the in-target
 * library and with MPI_ERRORS_RETURN too; the request keeps its handle. 5.0.10 did so once.
 */
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
#define WAITALL_MAY_HIDE_ERROR 1
#else
#define WAITALL_MAY_HIDE_ERROR HANDLED_IS_SUCCESS
#endif

#endif /* HANDLED_H */
