/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of a launcher. The first byte says word size and byte order (bits 0 and 1) and whether the symbols are
 * there (bits 2 and 3); the rest is memory, mapped at one address, that begins with the two variables.
 */
#include "fuzz.h"

#include "../readers/jobs/proctable.h"
#include "flat.h"

#include <stdlib.h>
#include <string.h>

int fuzz_proctable(const uint8_t *data, size_t n)
{
	if (n == 0)
		return 0;
	struct flat l = { .bytes = data + 1, .n = n - 1 };
	struct acc_space sp;
	if (!(data[0] & 4)) {
		l.symbols[0].name = "MPIR_proctable";
		l.symbols[0].addr = FLAT_ADDR + 8;
	}
	if (!(data[0] & 8)) {
		l.symbols[1].name = "MPIR_proctable_size";
		l.symbols[1].addr = FLAT_ADDR;
	}
	flat_space(&l, data[0], &sp);
	if (data[0] & 16)
		acc_space_begin(&sp);

	struct rd_proctable t = { 0 };
	enum acc_rc rc = rd_jobs_proctable(&sp, &t);
	if (rc == ACC_OK) {
		struct rd_proc *p = malloc(sizeof(*p));
		FUZZ_MUST(p);
		FUZZ_MUST(t.n > 0);
		uint64_t seen = 0;
		/* A table may claim millions of entries: unmapped entries must be cheap. */
		while (seen < 300 && (rc = rd_jobs_proctable_next(&t, p)) == ACC_OK) {
			FUZZ_MUST(p->rank == (int64_t)seen++);
			FUZZ_MUST(p->pid == -1 || p->pid > 0);
			FUZZ_MUST(memchr(p->host, '\0', sizeof(p->host)));
			FUZZ_MUST(memchr(p->executable, '\0', sizeof(p->executable)));
		}
		FUZZ_MUST(rc == ACC_OK || rc == ACC_NONE);
		free(p);
	} else if (rc != ACC_NONE) {
		FUZZ_MUST(sp.note.rc != ACC_OK && sp.note.text[0]);
	}
	if (data[0] & 16)
		acc_space_end(&sp);
	acc_space_deinit(&sp);
	FUZZ_MUST(l.n_live == 0);
	return 0;
}
