/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of a process with MPI2DD_info. The first byte says word size and byte order (bits 0 and 1), and whether
 * pages are cached (bit 4); the rest is memory, mapped at one address, that begins with the structure.
 */
#include "fuzz.h"

#include "../access/limits.h"
#include "../readers/jobs/place_table.h"
#include "../readers/jobs/plain_text.h"
#include "../readers/jobs/world_table.h"
#include "flat.h"

#include <stdlib.h>
#include <string.h>

static void check_text(const char *text)
{
	FUZZ_MUST(text);
	size_t n = strnlen(text, ACC_STRING_MAX + 1);
	FUZZ_MUST(n < ACC_STRING_MAX);
	/* a truncated text may start within a character */
	while (n && (*text & 0xc0) == 0x80) {
		text++;
		n--;
	}
	FUZZ_MUST(rd_plain_text(text, n, false));
}

static void check_failure(const struct acc_space *sp, enum acc_rc rc)
{
	if (rc && rc != ACC_NONE)
		FUZZ_MUST(sp->note.rc != ACC_OK && strstr(sp->note.text, "MPI2DD_info"));
}

static void check_procs(struct acc_space *sp, const struct rd_mpi2dd *info)
{
	struct rd_world_table t = { .k = 0 };
	struct rd_world_proc p;
	uint64_t n = 0, n_bad = 0;

	enum acc_rc rc = rd_world_table(sp, info, &t);
	check_failure(sp, rc);
	if (rc)
		return;
	while ((rc = rd_world_table_next(&t, &p)) == ACC_OK) {
		n++;
		n_bad += !p.sound;
		FUZZ_MUST(p.pid == -1 || p.pid > 0);
		FUZZ_MUST(p.rank >= -1 && p.parent_rank >= -1 && p.sequence >= -1);
		check_text(p.host);
		check_text(p.executable);
		check_text(p.world);
		if (p.parent_world)
			check_text(p.parent_world);
		else
			FUZZ_MUST(p.parent_rank == -1 && p.sequence == -1);
		FUZZ_MUST(!p.sound || (p.pid > 0 && p.rank >= 0 && *p.host && *p.executable && *p.world));
	}
	check_failure(sp, rc);
	FUZZ_MUST(rc != ACC_NONE || (n == t.records.n && n_bad == t.n_bad));
	/* missing memory must be cheap */
	FUZZ_MUST(sp->stats.n_failed < 10 * (uint64_t)ACC_FAILED_READS_MAX);
	rd_world_table_end(&t);
}

static void check_places(struct acc_space *sp, const struct rd_mpi2dd *info, enum rd_mpi2dd_table which)
{
	struct rd_place_table t = { .k = 0 };
	struct rd_place p;
	uint64_t n = 0, n_bad = 0;

	enum acc_rc rc = rd_place_table(sp, info, which, &t);
	check_failure(sp, rc);
	if (rc)
		return;
	while ((rc = rd_place_table_next(&t, &p)) == ACC_OK) {
		n++;
		n_bad += !p.sound;
		FUZZ_MUST(p.pid == -1 || p.pid > 0);
		check_text(p.host);
		check_text(p.executable);
		FUZZ_MUST(p.sound == (p.pid > 0 && *p.host && *p.executable));
	}
	check_failure(sp, rc);
	FUZZ_MUST(rc != ACC_NONE || (n == t.records.n && n_bad == t.n_bad));
	rd_place_table_end(&t);
}

int fuzz_mpi2dd(const uint8_t *data, size_t n)
{
	if (n == 0)
		return 0;

	struct flat flat = { .bytes = data + 1, .n = n - 1, .symbols = { { "MPI2DD_info", FLAT_ADDR } } };
	struct acc_space sp;
	struct rd_mpi2dd info;
	char text[ACC_STRING_MAX + 1];

	flat_space(&flat, data[0], &sp);
	if (data[0] & 16)
		acc_space_begin(&sp);
	enum acc_rc rc = rd_jobs_mpi2dd(&sp, &info);
	FUZZ_MUST(rc != ACC_NONE);
	check_failure(&sp, rc);
	if (!rc) {
		check_failure(&sp, rd_jobs_mpi2dd_check(&sp, &info));
		for (unsigned i = 0; rd_jobs_mpi2dd_contradiction(&info, i); i++)
			FUZZ_MUST(i < 32);
		for (int i = 0; i < RD_MPI2DD_N_TEXTS; i++) {
			acc_note_clear(&sp.note);
			rc = rd_jobs_mpi2dd_text(&sp, &info, (enum rd_mpi2dd_text)i, text, sizeof(text));
			check_failure(&sp, rc);
			FUZZ_MUST(memchr(text, '\0', sizeof(text)) && (!rc || !*text));
		}
		acc_note_clear(&sp.note);
		check_procs(&sp, &info);
		acc_note_clear(&sp.note);
		check_places(&sp, &info, RD_MPI2DD_DIRECTORIES);
		acc_note_clear(&sp.note);
		check_places(&sp, &info, RD_MPI2DD_METADIRECTORIES);
	}
	if (data[0] & 16)
		acc_space_end(&sp);
	acc_space_deinit(&sp);
	FUZZ_MUST(flat.n_live == 0);
	return 0;
}
