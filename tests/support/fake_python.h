/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file fake_python.h
 * A simulated process with a CPython of any version that has a layout pack: one thread with a stack of functions,
 * each with its code, name, file and line table. It is laid out by the pack; if the pack refers to the
 * interpreter's own description, the layout is arbitrary and described there.
 */
#ifndef FAKE_PYTHON_H
#define FAKE_PYTHON_H

#include "../../readers/python/schema.h"
#include "fake.h"

enum { FAKE_PYTHON_FRAMES = 3, FAKE_PYTHON_TID = 4712, FAKE_PYTHON_NAMED_MAX = 16 };

/** A part of memory that a test can damage. */
struct fake_python_part {
	uint64_t addr, bytes;
};

struct fake_python {
	struct fake *f;
	struct acc_pack *pack;
	uint64_t runtime, interpreter, thread, code_type, text_type, bytes_type;
	/** innermost first; the functions are f0, f1, f2 of /x/prog.py, at lines 10, 21, 32 */
	uint64_t frames[FAKE_PYTHON_FRAMES], codes[FAKE_PYTHON_FRAMES], tables[FAKE_PYTHON_FRAMES],
		names[FAKE_PYTHON_FRAMES];
	uint64_t file;
	unsigned frame_code, frame_previous, thread_frame, code_name; /**< fields that this version has */
	struct fake_python_part parts[32];
	size_t n_parts;
};

/** Number of packs for CPython; the name of one. */
size_t fake_python_packs(void);
const char *fake_python_pack_name(size_t i);

/** @param i of fake_python_packs() */
struct fake_python *fake_python_create(size_t i);

/** Takes NULL. Fails the test as fake_destroy() does. */
void fake_python_destroy(struct fake_python *p);

/** A text object: @p n characters of @p width bytes. */
uint64_t fake_python_text(struct fake_python *p, unsigned width, bool ascii, const uint32_t *characters, size_t n);

/** Set its state and its number of characters again. */
void fake_python_set_text(struct fake_python *p, uint64_t text, unsigned width, bool compact, bool ascii,
			  uint64_t length);

#endif /* FAKE_PYTHON_H */
