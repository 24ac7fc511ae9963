/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file source.h
 * The text of the line at which a thread is, from its source file.
 *
 * A process of its own reads the files: a file system that does not answer, perhaps
 * the one for which the job waits, must not stop the command. Only files whose name
 * is that of source code are read: which files these are, a snapshot says.
 */
#ifndef VD_SOURCE_H
#define VD_SOURCE_H

#include "verdict.h"

enum {
	VD_SOURCE_BYTES = 200, /**< of a line; what is longer is cut */
	VD_SOURCE_AROUND = 3,  /**< lines before and after it */
	VD_SOURCE_LINES = 2 * VD_SOURCE_AROUND + 1
};

struct vd_source {
	char path[4096];                              /**< of the file that was read */
	long number;                                  /**< of the line */
	long first;                                   /**< number of lines[0] */
	size_t n;                                     /**< the line number is among them */
	char lines[VD_SOURCE_LINES][VD_SOURCE_BYTES]; /**< bytes of the file, with tabs expanded; quote them */
	bool newer; /**< the file was changed after the program was built; false also if that is unknown */
};

/**
 * Start to look for source files.
 *
 * @param dir where else they may be: those of /build/app/src/a.c in DIR/build/app/src/a.c, ... or DIR/a.c; NULL:
 * nowhere else. Borrowed.
 * @return vd_sources_destroy() frees; NULL: out of memory
 */
struct vd_sources *vd_sources_create(const char *dir);

/** Takes NULL. */
void vd_sources_destroy(struct vd_sources *s);

/**
 * The line at which a thread is, and those around it.
 *
 * @param x NULL is accepted
 * @return false: vd_job.sources is NULL, the place has no line, the file cannot be read in time or does not have so
 * many lines, or two files of the thread's process have this name
 */
bool vd_source_read(const struct vd_job *job, const struct vd_thread *x, struct vd_source *ret);

/** Write "71 | x = f(y);" with an end of line, and that the file is newer. @param indent number of blanks before it */
void vd_source_print(const struct vd_source *s, int indent, FILE *out);

/** The same as JSON, a new reference. */
json_t *vd_source_json(const struct vd_source *s);

#endif /* VD_SOURCE_H */
