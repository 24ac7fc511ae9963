/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpit_weak.h
 * The functions of MPI_T that Open MPI 4.1 lacks, declared weak: they are there when the library is preloaded. Bare
 * they are not, and a program that calls one dies of it.
 */
#ifndef MPIT_WEAK_H
#define MPIT_WEAK_H

#include <mpi.h>

#include "../../include/mpi2dd_mpit.h"

#pragma weak MPI_T_source_get_num
#pragma weak MPI_T_source_get_info
#pragma weak MPI_T_source_get_timestamp
#pragma weak MPI_T_event_get_num
#pragma weak MPI_T_event_get_info
#pragma weak MPI_T_event_get_index
#pragma weak MPI_T_event_handle_alloc
#pragma weak MPI_T_event_handle_set_info
#pragma weak MPI_T_event_handle_get_info
#pragma weak MPI_T_event_register_callback
#pragma weak MPI_T_event_callback_set_info
#pragma weak MPI_T_event_callback_get_info
#pragma weak MPI_T_event_handle_free
#pragma weak MPI_T_event_set_dropped_handler
#pragma weak MPI_T_event_read
#pragma weak MPI_T_event_copy
#pragma weak MPI_T_event_get_timestamp
#pragma weak MPI_T_event_get_source
#pragma weak MPI_T_category_get_num_events
#pragma weak MPI_T_category_get_events
#pragma weak PMPI_T_source_get_timestamp
#pragma weak PMPI_T_event_read
#pragma weak PMPI_T_event_copy
#pragma weak PMPI_T_event_get_timestamp
#pragma weak PMPI_T_event_get_source

#endif /* MPIT_WEAK_H */
