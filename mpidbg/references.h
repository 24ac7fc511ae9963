/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file references.h
 * Writes references to other objects: as a name, within a line, or as a fact.
 */
#ifndef MPIDBG_REFERENCES_H
#define MPIDBG_REFERENCES_H

#include "describe.h"

/** Name of the object with this handle; "" none or not known. */
void mpidbg_handle_name(struct mpidbg_description *d, enum mdl_handle_kind kind, struct mdl_num handle,
			char ret[MDL_NAME_BYTES]);

/**
 * The same for a reference: looked up by number, because the object may have been freed and its handle value
 * reused. Without a number the handle value is used.
 *
 * @return false: the program has freed the object; the name is the one it had
 */
bool mpidbg_referred(struct mpidbg_description *d, enum mdl_handle_kind kind, struct mdl_num handle, struct mdl_num id,
		     char ret[MDL_NAME_BYTES]);

/** Name of the object with this number. */
void mpidbg_number_name(struct mpidbg_description *d, enum mdl_handle_kind kind, uint64_t id, char ret[MDL_NAME_BYTES]);

/**
 * A datatype for use within a line: its name, "MPI_Type_create_f90_integer(7)", or "datatype #117". @return true:
 * it is a name
 */
bool mpidbg_type_words(struct mpidbg_description *d, uint64_t id, char ret[MDL_NAME_BYTES]);

/** Write the number of an object; in text in the form that queries accept. */
void mpidbg_number_fact(struct mpidbg_description *d, const char *key, struct mdl_num number);

/**
 * Write a fact that is a reference. If the object has a number and was freed, text says so after its name; in JSON
 * the handle is null with the reason.
 */
void mpidbg_ref_fact(struct mpidbg_description *d, const char *key, enum mdl_handle_kind kind, struct mdl_num handle,
		     struct mdl_num id);

/** Write " on ring" for a handle, if @p before is " on ". Nothing if the name is unknown. */
void mpidbg_summary_name(struct mpidbg_description *d, const char *before, enum mdl_handle_kind kind,
			 struct mdl_num handle);

#endif /* MPIDBG_REFERENCES_H */
