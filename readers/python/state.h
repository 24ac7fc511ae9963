/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file state.h
 * Internal to the Python reader: an interpreter with its layout, and access to its objects.
 */
#ifndef RD_PYTHON_STATE_H
#define RD_PYTHON_STATE_H

#include "lines.h"
#include "python.h"
#include "schema.h"

struct rd_python {
	struct acc_space *sp;
	struct acc_layout layout;
	uint64_t runtime_addr, code_type_addr, text_type_addr, bytes_type_addr;
	bool has_tid_offset; /**< tid_offset is known: threads can be found by their pthread_t */
	uint32_t tid_offset;
	char version[16];
};

static inline bool rd_python_has(const struct rd_python *p, unsigned field)
{
	return acc_layout_has(&p->layout, field);
}

static inline uint64_t rd_python_offset(const struct rd_python *p, unsigned field)
{
	return p->layout.fields[field].offset;
}

/**
 * Get name, file and line of a code object.
 *
 * @param offset of the instruction from the first one, in bytes
 * @param[out] ret function, file, line and why are filled in
 */
void rd_python_code(struct rd_python *p, uint64_t addr, uint64_t offset, struct mdl_python_frame *ret);

#endif /* RD_PYTHON_STATE_H */
