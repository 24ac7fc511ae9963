/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * readers/python on a process with damaged CPython data. The first byte: the layout pack, modulo their number; bit 7,
 * the reader is opened before the memory is changed. The rest are changes of 8 bytes each: which object (1), which
 * bytes of it (2), how wide (1: bits 0 and 1; bit 2, the value is the address of an object), the value (4).
 */
#include "fuzz.h"

#include "../readers/python/python.h"
#include "../tests/support/fake_python.h"

#include <string.h>

enum { CHANGE_BYTES = 8, CHANGES_MAX = 64, PACKS_MAX = 32, READS_MAX = 1 << 20 };

struct undo {
	uint64_t at;
	unsigned char was[8];
};
static struct undo undone[CHANGES_MAX];
static size_t n_undone;

static uint64_t place_of(const struct fake_python *p, unsigned object, unsigned at)
{
	const struct fake_python_part *part = &p->parts[object % p->n_parts];

	return part->addr + (part->bytes > 8 ? at % (part->bytes - 8) : 0);
}

static void change(struct fake_python *p, const uint8_t *data, size_t n)
{
	for (size_t i = 0; i + CHANGE_BYTES <= n && n_undone < CHANGES_MAX; i += CHANGE_BYTES) {
		uint64_t at = place_of(p, data[i], data[i + 1] | (unsigned)data[i + 2] << 8);
		unsigned width = 1u << (data[i + 3] & 3);
		struct undo *u = &undone[n_undone++];
		int32_t value;

		memcpy(&value, &data[i + 4], sizeof(value));
		u->at = at;
		fake_peek(p->f, at, u->was, sizeof(u->was));
		uint64_t wide = data[i + 3] & 4 ? place_of(p, (unsigned)value & 255, (unsigned)value >> 8 & 0xfff8)
						: (uint64_t)(int64_t)value;
		fake_write_u(p->f, at, width, width == 8 ? wide : wide & ((UINT64_C(1) << 8 * width) - 1));
	}
}

static void undo(struct fake_python *p)
{
	while (n_undone) {
		n_undone--;
		fake_write(p->f, undone[n_undone].at, undone[n_undone].was, sizeof(undone[0].was));
	}
}

static void look_at_frames(struct acc_space *sp, struct rd_python *reader)
{
	struct mdl_python_frame *frames;
	size_t n;

	FUZZ_MUST(rd_python_frames(reader, FAKE_PYTHON_TID, &frames, &n) == ACC_OK);
	FUZZ_MUST(n <= RD_PYTHON_FRAMES_MAX + 1 && (frames || !n));
	for (size_t i = 0; i < n; i++) {
		const struct mdl_python_frame *f = &frames[i];

		FUZZ_MUST(f->function ? f->file && (f->line > 0) != (f->why != NULL)
				      : f->why && !f->file && i + 1 == n);
		FUZZ_MUST(!f->function || strlen(f->function) <= 4 * RD_PYTHON_TEXT_MAX);
		FUZZ_MUST(i + 1 < n || f->entry);
	}
	rd_python_free(sp, frames, n);
}

int fuzz_python(const uint8_t *data, size_t n)
{
	static struct fake_python *made[PACKS_MAX];
	size_t pack = (n ? data[0] & 127 : 0) % fake_python_packs();
	struct rd_python *reader = NULL;
	char why[ACC_NOTE_BYTES] = "";
	struct acc_space sp;

	if (!made[pack])
		made[pack] = fake_python_create(pack);
	struct fake_python *p = made[pack];
	const struct acc_pack *const packs[] = { p->pack };
	const struct rd_packs list = { packs, 1 };

	p->f->n_reads = 0;
	FUZZ_MUST(fake_space(p->f, &sp) == ACC_OK);
	if (n && !(data[0] & 128))
		change(p, data + 1, n - 1);
	enum acc_rc rc = rd_python_open(&sp, &list, why, &reader);
	FUZZ_MUST(rc == ACC_NONE || (rc == ACC_OK) == (reader != NULL));
	FUZZ_MUST(!rc || rc == ACC_NONE || why[0]);
	if (n && data[0] & 128)
		change(p, data + 1, n - 1);
	if (reader)
		look_at_frames(&sp, reader);
	rd_python_close(reader);
	acc_space_deinit(&sp);
	undo(p);
	FUZZ_MUST(!sp.note.rc);
	FUZZ_MUST(p->f->n_reads < READS_MAX);
	FUZZ_MUST(p->f->n_live == 0);
	return 0;
}
