/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi2dd_mpit.h
 * The parts of MPI_T (MPI 4.1, chapter 16.3) that the mpi.h of Open MPI 4 and 5 and of MPICH 3 lacks: events,
 * sources, event lists of categories, and their error codes. Include it after mpi.h; if mpi.h has them (MPICH 4,
 * Open MPI 6), it declares nothing. The functions are defined by libmpi2dd-*.so: link with it, or preload it and
 * look them up at run time.
 *
 * The values are those of Open MPI's development branch, so that a program compiled with this header remains correct
 * when its Open MPI gains events. Callback types are function types, as in MPI 4.1; a parameter of one is a pointer.
 */
#ifndef MPI2DD_MPIT_H
#define MPI2DD_MPIT_H

#include <mpi.h>

#if !defined(OPEN_MPI) && !defined(MPI_ABI_VERSION) && !defined(MPI_T_ERR_NOT_ACCESSIBLE)
#define MPI_T_ERR_NOT_ACCESSIBLE 79 /* MPICH 4.0 lacks the code of MPI 4.1; MPICH 4.1 has this number for it */
#endif

#if (defined(OPEN_MPI) && defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 6) ||                                    \
	(!defined(OPEN_MPI) && MPI_VERSION < 4)

#ifdef __cplusplus
extern "C" {
#endif

#ifdef OPEN_MPI
#define MPI_T_ERR_NOT_ACCESSIBLE 81 /**< cannot be reached now, or in this callback */
#define MPI_T_ERR_NOT_SUPPORTED  82 /**< the source offers no such thing */
#elif !defined(MPI_T_ERR_NOT_SUPPORTED)
#define MPI_T_ERR_NOT_SUPPORTED 78 /* the value in MPICH 4.0 */
#endif

/** A registration of event type, object and callbacks; MPI_T_event_handle_alloc(). */
typedef unsigned long *MPI_T_event_registration;
/** An event as a callback sees it; valid during that callback only. */
typedef unsigned long *MPI_T_event_instance;

#define MPI_T_EVENT_REGISTRATION_NULL ((MPI_T_event_registration)0)

/** What a callback may do, from "anything" to "only what a signal handler may". Each includes the ones before it. */
typedef enum MPI_T_cb_safety {
	MPI_T_CB_REQUIRE_NONE = 0,
	MPI_T_CB_REQUIRE_MPI_RESTRICTED,
	MPI_T_CB_REQUIRE_THREAD_SAFE,
	MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE
} MPI_T_cb_safety;

/** Do the timestamps of a source's events ever decrease, in the order of the callbacks? */
typedef enum MPI_T_source_order { MPI_T_SOURCE_ORDERED = 0, MPI_T_SOURCE_UNORDERED } MPI_T_source_order;

typedef void MPI_T_event_cb_function(MPI_T_event_instance event_instance, MPI_T_event_registration event_registration,
				     MPI_T_cb_safety cb_safety, void *user_data);
typedef void MPI_T_event_free_cb_function(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
					  void *user_data);
typedef void MPI_T_event_dropped_cb_function(MPI_Count count, MPI_T_event_registration event_registration,
					     int source_index, MPI_T_cb_safety cb_safety, void *user_data);

#define MPI2DD_MPIT_DECLARE(name, params)                                                                              \
	int MPI_T_##name params;                                                                                       \
	int PMPI_T_##name params

MPI2DD_MPIT_DECLARE(source_get_num, (int *num_sources));
MPI2DD_MPIT_DECLARE(source_get_info,
		    (int source_index, char *name, int *name_len, char *desc, int *desc_len,
		     MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks, MPI_Info *info));
MPI2DD_MPIT_DECLARE(source_get_timestamp, (int source_index, MPI_Count *timestamp));

MPI2DD_MPIT_DECLARE(event_get_num, (int *num_events));
MPI2DD_MPIT_DECLARE(event_get_info,
		    (int event_index, char *name, int *name_len, int *verbosity, MPI_Datatype array_of_datatypes[],
		     MPI_Aint array_of_displacements[], int *num_elements, MPI_T_enum *enumtype, MPI_Info *info,
		     char *desc, int *desc_len, int *bind));
MPI2DD_MPIT_DECLARE(event_get_index, (const char *name, int *event_index));
MPI2DD_MPIT_DECLARE(event_handle_alloc,
		    (int event_index, void *obj_handle, MPI_Info info, MPI_T_event_registration *event_registration));
MPI2DD_MPIT_DECLARE(event_handle_set_info, (MPI_T_event_registration event_registration, MPI_Info info));
MPI2DD_MPIT_DECLARE(event_handle_get_info, (MPI_T_event_registration event_registration, MPI_Info *info_used));
MPI2DD_MPIT_DECLARE(event_register_callback,
		    (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info,
		     void *user_data, MPI_T_event_cb_function *event_cb_function));
MPI2DD_MPIT_DECLARE(event_callback_set_info,
		    (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info));
MPI2DD_MPIT_DECLARE(event_callback_get_info,
		    (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info *info_used));
MPI2DD_MPIT_DECLARE(event_handle_free, (MPI_T_event_registration event_registration, void *user_data,
					MPI_T_event_free_cb_function *free_cb_function));
MPI2DD_MPIT_DECLARE(event_set_dropped_handler, (MPI_T_event_registration event_registration,
						MPI_T_event_dropped_cb_function *dropped_cb_function));
MPI2DD_MPIT_DECLARE(event_read, (MPI_T_event_instance event_instance, int element_index, void *buffer));
MPI2DD_MPIT_DECLARE(event_copy, (MPI_T_event_instance event_instance, void *buffer));
MPI2DD_MPIT_DECLARE(event_get_timestamp, (MPI_T_event_instance event_instance, MPI_Count *event_timestamp));
MPI2DD_MPIT_DECLARE(event_get_source, (MPI_T_event_instance event_instance, int *source_index));

MPI2DD_MPIT_DECLARE(category_get_num_events, (int cat_index, int *num_events));
MPI2DD_MPIT_DECLARE(category_get_events, (int cat_index, int len, int indices[]));

#undef MPI2DD_MPIT_DECLARE

#ifdef __cplusplus
}
#endif

#endif

#endif /* MPI2DD_MPIT_H */
