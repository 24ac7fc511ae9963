/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader of Open MPI on a process with damaged memory. The first byte: bit 0, everything in one bracket of the
 * page cache; bit 1, the second half of the changes is made after the process was opened; the rest are changes
 * (fuzz/image.h).
 */
#include "fuzz.h"
#include "image.h"
#include "queues.h"
#include "target.h"

#include <string.h>

/** Limits above what a process of 64 KiB can contain, unless something is counted many times. */
enum { READS_MAX = 4 << 20, OPS_MAX = 1 << 18 };

static void walk_process(struct rd_process *p, struct image *m, bool all)
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
	rd_comm_get(p, IMAGE_ADDR + m->objects[m->n_objects / 2].at, &comm);
	FUZZ_MUST(m->n_reads < READS_MAX);
}

int fuzz_ompi(const uint8_t *data, size_t n)
{
	static struct image m;
	const struct acc_pack *pack = image_pack();
	const struct rd_packs packs = { &pack, 1 };
	struct acc_space sp;
	struct rd_process *p = NULL;

	uint8_t flags = n ? data[0] : 0;
	size_t first = n > 1 ? (flags & 2 ? (n - 1) / 2 & ~(size_t)7 : n - 1) : 0;
	image_reset(&m);
	image_change(&m, data + 1, first);
	FUZZ_MUST(acc_space_init(&sp, &image_ops, &m, &fuzz_sizes, false) == ACC_OK);
	if (flags & 1)
		acc_space_begin(&sp);
	enum acc_rc rc = rd_open(&sp, &packs, &p);
	FUZZ_MUST(rc < ACC_N_RC);
	if (rc == ACC_OK) {
		if (n > 1)
			image_change(&m, data + 1 + first, n - 1 - first);
		walk_process(p, &m, false);
		acc_space_forget(&sp);
		if (rd_update(p) == ACC_OK)
			walk_process(p, &m, true);
	}
	FUZZ_MUST(memchr(sp.note.text, '\0', sizeof(sp.note.text)));
	FUZZ_MUST(n > 1 || (rc == ACC_OK && sp.note.rc == ACC_OK)); /* an unchanged process is read without a failure */
	rd_close(p);
	if (flags & 1)
		acc_space_end(&sp);
	acc_space_deinit(&sp);
	FUZZ_MUST(m.n_live == 0);
	return 0;
}
