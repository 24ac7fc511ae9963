/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file references.h
 * Writes references to other objects: the name alone, within a sentence, or as a fact.
 */
#ifndef MPIDBG_REFERENCES_H
#define MPIDBG_REFERENCES_H

#include "describe.h"

/** Name of the object with this handle; "" none or not known. */
void mpidbg_handle_name(struct mpidbg_description *d, enum mdl_handle_kind kind, struct mdl_num handle,
			char ret[MDL_NAME_BYTES]);

/**
 * The same of an object that another one refers to: by its number, for it may have been freed, and its handle's value
 * may be that of another object now. Without a number the handle value is used.
 *
 * @return false: the application has freed it; the name is that which it had
 */
bool mpidbg_referred(struct mpidbg_description *d, enum mdl_handle_kind kind, struct mdl_num handle, struct mdl_num id,
		     char ret[MDL_NAME_BYTES]);

/** Name of the object of that number. */
void mpidbg_number_name(struct mpidbg_description *d, enum mdl_handle_kind kind, uint64_t id, char ret[MDL_NAME_BYTES]);

/**
 * A datatype within a sentence: its name, "MPI_Type_create_f90_integer(7)", or "datatype #117". @return true: it is a
 * name
 */
bool mpidbg_type_words(struct mpidbg_description *d, uint64_t id, char ret[MDL_NAME_BYTES]);

/** Write the number of an object; in text in the form in which it can be queried. */
void mpidbg_number_fact(struct mpidbg_description *d, const char *key, struct mdl_num number);

/**
 * A fact that is another object. If that has a number and was freed, text says so after its name; in JSON the handle is
 * null, and why.
 */
void mpidbg_ref_fact(struct mpidbg_description *d, const char *key, enum mdl_handle_kind kind, struct mdl_num handle,
		     struct mdl_num id);

/** " (not recorded)" for a handle without a record, if not all could be recorded. */
void mpidbg_summary_unrecorded(struct mpidbg_description *d, enum mdl_handle_kind kind, struct mdl_num handle);

/** " on ring" for a handle, when @p before is " on ". Nothing when it is not known. */
void mpidbg_summary_name(struct mpidbg_description *d, const char *before, enum mdl_handle_kind kind,
			 struct mdl_num handle);

#endif /* MPIDBG_REFERENCES_H */
