/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file info.h
 * MPI2DD_info from the load of the library on: the plugin's path and the vendor extension. MPI need not be initialized.
 */
#ifndef M2D_INFO_H
#define M2D_INFO_H

/** Pointer to a field of MPI2DD_info for one atomic access: the structure is packed, but aligned in info.c. */
#define M2D_INFO_FIELD(field)                                                                                          \
	((__typeof__(MPI2DD_info.field) *)((char *)&MPI2DD_info + offsetof(struct MPI2DD_INFO, field)))

/**
 * Write the address of the registry of MPI objects (track_layout.h), or NULL, to MPI2DD_EXTENSION. May be called at any
 * time, also in a constructor.
 */
void m2d_info_set_registry(const void *registry);

/** 1: MPI2DD_GATE=1 was in the environment when the library was loaded. */
int m2d_info_has_gate(void);
extern int m2d_gate;

/**
 * Restore our plugin path after the real MPI_Init. Open MPI defines variables of the same names as ours; under a
 * debugger that started the job through MPIR, its MPI_Init writes the paths of its own plugins into them.
 */
void m2d_info_restore_locations(void);

#endif /* M2D_INFO_H */
