/* SPDX-License-Identifier: BSD-3-Clause */
#include "place_table.h"

#include "../../access/limits.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { HOST, EXECUTABLE, N_TEXTS };

static const enum rd_mpi2dd_field text_fields[N_TEXTS] = {
	[HOST] = RD_DIRECTORYENTRY_host_name,
	[EXECUTABLE] = RD_DIRECTORYENTRY_executable_name,
};

static uint32_t slot(size_t k, int text)
{
	return (uint32_t)(k * N_TEXTS + (unsigned)text);
}

static enum acc_rc fail(struct rd_place_table *t, enum acc_rc rc, const char *why)
{
	return acc_note(&t->records.sp->note, rc, "%s: entry %llu of %llu: %s", rd_jobs_mpi2dd_table_name(t->table),
			(unsigned long long)t->records.first, (unsigned long long)t->records.n, why);
}

static enum acc_rc start_places(struct rd_place_table *t, struct acc_space *sp, uint64_t addr, uint64_t n,
				uint32_t stride)
{
	enum acc_rc rc = rd_records_init(&t->records, sp, addr, n, stride,
					 rd_mpi2dd_bytes(sp, RD_MPI2DD_DIRECTORYENTRY));

	return rc ? rc : rd_texts_init(&t->texts, sp, t->records.cap_block * N_TEXTS);
}

void rd_place_table_end(struct rd_place_table *t)
{
	rd_texts_deinit(&t->texts);
	rd_records_deinit(&t->records);
	*t = (struct rd_place_table){ 0 };
}

/* ---- entries ---------------------------------------------------------------------------------------- */

static uint64_t text_addr(const struct rd_place_table *t, size_t k, int text)
{
	const unsigned char *bytes = rd_records_at(&t->records, k);

	return bytes ? rd_mpi2dd_u(t->records.sp, bytes, text_fields[text]) : 0;
}

void rd_place_table_at(const struct rd_place_table *t, size_t k, struct rd_place *ret)
{
	const unsigned char *bytes = rd_records_at(&t->records, k);
	int64_t pid = bytes ? rd_mpi2dd_i(t->records.sp, bytes, RD_DIRECTORYENTRY_pid) : -1;

	*ret = (struct rd_place){
		.pid = pid > 0 ? pid : -1,
		.host = rd_texts_at(&t->texts, slot(k, HOST)),
		.executable = rd_texts_at(&t->texts, slot(k, EXECUTABLE)),
	};
	ret->sound = pid > 0 && *ret->host && *ret->executable;
}

enum acc_rc rd_place_table_block(struct rd_place_table *t)
{
	enum acc_rc rc = rd_records_next(&t->records);
	size_t n_bad = 0;

	t->k = 0;
	if (rc)
		return rc == ACC_NONE ? rc : fail(t, rc, "more entries than that can be skipped cannot be read");
	rd_texts_begin(&t->texts);
	for (int text = 0; text < N_TEXTS; text++)
		for (size_t k = 0; k < t->records.n_block; k++)
			rd_texts_want(&t->texts, slot(k, text), text_addr(t, k, text));
	rc = rd_texts_read(&t->texts);
	if (rc) {
		t->records.n_block = 0;
		return fail(t, rc, acc_rc_text(rc));
	}
	for (size_t k = 0; k < t->records.n_block; k++) {
		struct rd_place place;

		rd_place_table_at(t, k, &place);
		n_bad += !place.sound;
	}
	t->n_bad += n_bad;
	/* the same limit as for a process table */
	if (n_bad == t->records.n_block && n_bad > ACC_BAD_MAX)
		return fail(t, ACC_ECORRUPT, "neither it nor any of the many that follow makes sense");
	return ACC_OK;
}

enum acc_rc rd_place_table_next(struct rd_place_table *t, struct rd_place *ret)
{
	if (t->k >= t->records.n_block) {
		enum acc_rc rc = rd_place_table_block(t);

		if (rc)
			return rc;
	}
	rd_place_table_at(t, t->k++, ret);
	return ACC_OK;
}

/* ---- stride ----------------------------------------------------------------------------------------- */

/* Number of invalid entries among the first ones, for this stride. */
static enum acc_rc probe(struct acc_space *sp, uint64_t addr, uint64_t n, uint32_t stride, uint64_t *ret)
{
	struct rd_place_table t = { .table = RD_MPI2DD_DIRECTORIES };
	enum acc_rc rc = start_places(&t, sp, addr, n, stride);

	if (!rc)
		rc = rd_place_table_block(&t);
	*ret = t.n_bad;
	rd_place_table_end(&t);
	return rc;
}

static enum acc_rc find_stride(struct acc_space *sp, uint64_t addr, uint64_t n, uint32_t *ret)
{
	uint32_t pointer = sp->sizes.pointer_bytes, packed = rd_mpi2dd_bytes(sp, RD_MPI2DD_DIRECTORYENTRY);
	uint32_t aligned = (packed + pointer - 1) / pointer * pointer;
	uint64_t n_bad = 0, n_bad_aligned = 0;

	*ret = packed;
	if (n < 2 || packed == aligned)
		return ACC_OK;
	if (n > RD_PLACE_PROBES)
		n = RD_PLACE_PROBES;

	enum acc_rc rc = probe(sp, addr, n, packed, &n_bad);
	if (!rc && n_bad)
		rc = probe(sp, addr, n, aligned, &n_bad_aligned);
	if (!rc && n_bad_aligned < n_bad)
		*ret = aligned;
	return rc;
}

enum acc_rc rd_place_table(struct acc_space *sp, const struct rd_mpi2dd *info, enum rd_mpi2dd_table table,
			   struct rd_place_table *ret)
{
	struct rd_place_table t = { .table = table };

	if (table != RD_MPI2DD_DIRECTORIES && table != RD_MPI2DD_METADIRECTORIES)
		return ACC_EINVAL;

	enum acc_rc rc = rd_jobs_mpi2dd_table(sp, info, table);
	if (rc)
		return rc;

	uint64_t addr = info->tables[table].addr, n = (uint64_t)info->tables[table].n;
	uint32_t stride;
	rc = find_stride(sp, addr, n, &stride);
	if (!rc)
		rc = start_places(&t, sp, addr, n, stride);
	if (rc) {
		rd_place_table_end(&t);
		return acc_note(&sp->note, rc, "%s: %s", rd_jobs_mpi2dd_table_name(table), acc_rc_text(rc));
	}
	*ret = t;
	return ACC_OK;
}
