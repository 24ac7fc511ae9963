/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file describe_vars.h
 * The state of a description of MPI_T, shared by describe_vars.c (variables), describe_events.c (categories and events)
 * and var_texts.c (names and descriptions).
 */
#ifndef MPIDBG_DESCRIBE_VARS_H
#define MPIDBG_DESCRIBE_VARS_H

#include "describe.h"
#include "var_words.h"

/** Columns of lines. */
enum { MPIDBG_COL_VALUE = 48, MPIDBG_COL_TYPE = 70 };

/** Sizes of text buffers; longer text is cut off. */
enum { MPIDBG_VAR_NAME_BYTES = 512, MPIDBG_VAR_DESC_BYTES = 4096, MPIDBG_VAR_VALUE_BYTES = 64 * 1024 };

/** Working state; texts of one record at a time. Too large for the stack. */
struct mpidbg_var_work {
	struct mpidbg_description *d;
	struct rd_track_vars v;
	uint64_t n_fit; /**< total number of matching names */
	char name[MPIDBG_VAR_NAME_BYTES], desc[MPIDBG_VAR_DESC_BYTES];
	char more[MPIDBG_VAR_NAME_BYTES], value[MPIDBG_VAR_VALUE_BYTES];
};

/** Read name and description. @return false: unreadable, counted in @p n_bad, or the name does not match */
bool mpidbg_var_texts(struct mpidbg_var_work *w, uint64_t name, uint64_t desc, uint64_t *n_bad);

/**
 * Write the facts common to variables, categories and events: in JSON index, name, description and origin; in text
 * a line with the name, and the description.
 */
void mpidbg_var_json_texts(struct mpidbg_var_work *w, uint64_t index, bool of_mpi);
void mpidbg_var_json_word(struct out *o, const char *key, const char *text);
void mpidbg_var_text_name(struct mpidbg_var_work *w);
void mpidbg_var_text_desc(struct mpidbg_var_work *w);

/** Write a category, or an event type with its registrations. @return like rd_track_category() */
enum acc_rc mpidbg_write_category(struct mpidbg_var_work *w, uint64_t i, uint64_t *n_bad);
enum acc_rc mpidbg_write_event(struct mpidbg_var_work *w, uint64_t i, uint64_t *n_bad);

#endif /* MPIDBG_DESCRIBE_VARS_H */
