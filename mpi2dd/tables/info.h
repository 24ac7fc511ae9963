/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file info.h
 * MPI2DD_info from the load of the library on: the plugin's path, our extension. No MPI is needed.
 */
#ifndef M2D_INFO_H
#define M2D_INFO_H

/** A field of MPI2DD_info, to be read or written by one atomic access: the structure is packed, but aligned (info.c). */
#define M2D_INFO_FIELD(field)                                                                                          \
	((__typeof__(MPI2DD_info.field) *)((char *)&MPI2DD_info + offsetof(struct MPI2DD_INFO, field)))

/** Address of the registry of MPI objects (track_layout.h), or NULL: into MPI2DD_EXTENSION. At any time, also in a constructor. */
void m2d_info_set_registry(const void *registry);

/** Does MPI2DD_GATE=1 stand in the environment? Taken when the library was loaded. */
int m2d_info_has_gate(void);
extern int m2d_gate;

/**
 * After the real MPI_Init: Open MPI has variables of the same names, which are ours where we come first; under a debugger
 * that started the job through MPIR it has just written the paths of its own plugins into them.
 */
void m2d_info_keep_locations(void);

#endif /* M2D_INFO_H */
