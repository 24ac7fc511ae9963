/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file place.h
 * A place in a program: a function, a file and a line. A snapshot has it as text, "residual at solve.c:71".
 */
#ifndef VD_PLACE_H
#define VD_PLACE_H

#include "text.h"

#include <stdbool.h>

/** All pointers are into the text. */
struct vd_place {
	const char *function;
	const char *where; /**< "solve.c:71"; NULL: the text has only a function, which is then all of it */
	const char *file;  /**< the beginning of @p where; NULL: unknown, or no line is known */
	int n_function, n_file;
	long line;
};

/** @param text NULL: no place; then function is NULL, too */
struct vd_place vd_place_of(const char *text);

/** Are they in one function? Two unknown places are. */
bool vd_place_same_function(const char *a, const char *b);

/** Are both places without a name, "pw.x+0x3f2a1c", and so near to each other that they may be in one function? */
bool vd_place_near(const char *a, const char *b);

/** "at solve.c:71 in residual", "in residual"; nothing if the
 * place is unknown. @param before is written in front, as ", " */
void vd_append_at(struct vd_text *t, const char *before, const char *text);

#endif /* VD_PLACE_H */
