/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader of Open MPI on a process with damaged memory. The first byte: bit 0, everything in one bracket of the
 * page cache; bit 1, the second half of the changes is made after the process was opened; bit 2, only a few changes are
 * made, to words that memory does not have once, and what they leave is compared with the undamaged memory; the rest
 * are changes (fuzz/image.h).
 */
#include "changes.h"
#include "fuzz.h"
#include "image.h"
#include "losses.h"
#include "queues.h"
#include "target.h"

#include <string.h>

/** Limits above what a process of 64 KiB can contain, unless something is counted many times. */
enum { READS_MAX = 4 << 20, OPS_MAX = 1 << 18 };

static struct image m;

static void walk_process(struct rd_process *p, bool all)
{
	const struct mdl_library *lib = rd_library(p);
	struct mdl_comm comm;

	FUZZ_MUST(lib->implementation && memchr(lib->version, '\0', sizeof(lib->version)));
	FUZZ_MUST(memchr(lib->component, '\0', sizeof(lib->component)));
	FUZZ_MUST(memchr(lib->layout, '\0', sizeof(lib->layout)));
	fuzz_check_num(&lib->world_rank);
	fuzz_check_num(&lib->world_size);
	fuzz_check_num(&lib->job);
	fuzz_walk_comms(p, all, MDL_READY, OPS_MAX);
	/* an address that is not a communicator; the address of an object of another kind */
	rd_comm_get(p, 0, &comm);
	rd_comm_get(p, 3, &comm);
	rd_comm_get(p, IMAGE_ADDR + m.objects[m.n_objects / 2].at, &comm);
	FUZZ_MUST(m.n_reads < READS_MAX);
}

static struct rd_process *open_image(struct acc_space *sp, bool bracket)
{
	const struct acc_pack *pack = image_pack();
	const struct rd_packs packs = { &pack, 1 };
	struct rd_process *p = NULL;

	FUZZ_MUST(acc_space_init(sp, &image_ops, &m, &fuzz_sizes, false) == ACC_OK);
	if (bracket)
		acc_space_begin(sp);
	FUZZ_MUST(rd_open(sp, &packs, &p) < ACC_N_RC);
	return p;
}

static void close_image(struct acc_space *sp, struct rd_process *p, bool bracket)
{
	FUZZ_MUST(memchr(sp->note.text, '\0', sizeof(sp->note.text)));
	rd_close(p);
	if (bracket)
		acc_space_end(sp);
	acc_space_deinit(sp);
	FUZZ_MUST(m.n_live == 0);
}

static void compare(const uint8_t *data, size_t n)
{
	static uint64_t single[FUZZ_SINGLE_MAX];
	static struct fuzz_seen whole;
	static size_t n_single;
	struct fuzz_seen now;
	struct acc_space sp;
	struct rd_process *p;

	image_reset(&m);
	if (!n_single) {
		p = open_image(&sp, true);
		FUZZ_MUST(p);
		fuzz_see_queues(p, &whole);
		n_single = fuzz_single(p, single);
		FUZZ_MUST(!whole.partial && n_single);
		close_image(&sp, p, true);
	}
	m.kept = single;
	m.n_kept = n_single;
	image_change(&m, data, n < 8 * FUZZ_COMPARED_MAX ? n : 8 * FUZZ_COMPARED_MAX);
	p = open_image(&sp, true);
	if (p) {
		fuzz_see_queues(p, &now);
		FUZZ_MUST(!fuzz_lost(&whole, &now));
	}
	close_image(&sp, p, true);
}

int fuzz_ompi(const uint8_t *data, size_t n)
{
	struct acc_space sp;
	uint8_t flags = n ? data[0] : 0;
	size_t first = n > 1 ? (flags & 2 ? (n - 1) / 2 & ~(size_t)7 : n - 1) : 0;

	if (flags & 4) {
		compare(data + 1, n - 1);
		return 0;
	}
	image_reset(&m);
	image_change(&m, data + 1, first);
	struct rd_process *p = open_image(&sp, flags & 1);
	FUZZ_MUST(n > 1 || (p && sp.note.rc == ACC_OK)); /* an unchanged process is read without a failure */
	if (p) {
		if (n > 1)
			image_change(&m, data + 1 + first, n - 1 - first);
		walk_process(p, false);
		acc_space_forget(&sp);
		if (rd_update(p) == ACC_OK)
			walk_process(p, true);
	}
	FUZZ_MUST(n > 1 || sp.note.rc == ACC_OK);
	close_image(&sp, p, flags & 1);
	return 0;
}
