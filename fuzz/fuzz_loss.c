/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The readers on a recorded process (fuzz/recorded.h) of which a few words were changed, compared with the process as it was recorded.
 * The first byte selects the recording; each change has four bytes, the number of a word among the recorded ones, and eight, its
 * value. Words that memory has once are left as they are.
 */
#include "fuzz.h"
#include "losses.h"
#include "recorded.h"
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGE_BYTES = 12, CHANGES_MAX = 4, WORD = 8, WORDS_OF_LINE = RECORDED_LINE / WORD };

/* Of the others only part of the memory is recorded. */
const char *const fuzz_recordings[] = { "fuzz/seeds/mpich/queues",
					"fuzz/seeds/mpich/queues_5.0",
					"fuzz/seeds/mpich/queues_ofi",
					"fuzz/seeds/mpich/files",
					"fuzz/seeds/mpich/openmpi",
					"fuzz/seeds/mpich/queues_5.0.2",
					NULL };

enum { N_RECORDINGS = sizeof(fuzz_recordings) / sizeof(fuzz_recordings[0]) - 1 };

static struct {
	uint8_t *data;
	size_t n;
	struct fuzz_seen seen;
	uint64_t single[FUZZ_SINGLE_MAX];
	size_t n_single;
} recordings[N_RECORDINGS];

static struct recorded r;

/* @param n_single number of elements of @p single; NULL: not wanted */
static enum acc_rc see(const uint8_t *data, size_t n, struct fuzz_seen *ret, uint64_t *single, size_t *n_single)
{
	struct rd_process *p = NULL;
	struct acc_space sp;

	recorded_take(&r, data, n);
	FUZZ_MUST(acc_space_init(&sp, &recorded_ops, &r, &fuzz_sizes, false) == ACC_OK);
	acc_space_begin(&sp);
	enum acc_rc rc = rd_open(&sp, recorded_packs(), &p);
	if (!rc)
		fuzz_see(p, ret);
	if (!rc && n_single)
		*n_single = fuzz_single(p, single);
	rd_close(p);
	acc_space_end(&sp);
	acc_space_deinit(&sp);
	FUZZ_MUST(r.n_live == 0);
	return rc;
}

static bool load(unsigned which)
{
	FILE *f = recordings[which].data ? NULL : fopen(fuzz_recordings[which], "rb");
	long n = -1;

	if (recordings[which].data)
		return true;
	if (f && !fseek(f, 0, SEEK_END))
		n = ftell(f);
	uint8_t *data = n > 0 ? malloc((size_t)n) : NULL;
	if (data) {
		rewind(f);
		FUZZ_MUST(fread(data, 1, (size_t)n, f) == (size_t)n);
		FUZZ_MUST(see(data, (size_t)n, &recordings[which].seen, recordings[which].single,
			      &recordings[which].n_single) == ACC_OK);
		FUZZ_MUST(!recordings[which].seen.partial);
		recordings[which].data = data;
		recordings[which].n = (size_t)n;
	}
	if (f)
		fclose(f);
	return data != NULL;
}

/* Word @p i, counted over all pages and modulo their number. */
static uint8_t *word_at(uint64_t i, uint64_t *addr)
{
	uint64_t n = 0;

	for (unsigned p = 0; p < r.n_pages; p++)
		n += (uint64_t)__builtin_popcountll(r.pages[p].bits) * WORDS_OF_LINE;
	FUZZ_MUST(n);
	i %= n ? n : 1;
	for (unsigned p = 0; p < r.n_pages; p++) {
		uint64_t here = (uint64_t)__builtin_popcountll(r.pages[p].bits) * WORDS_OF_LINE;

		if (i >= here) {
			i -= here;
			continue;
		}
		uint64_t line = 0;
		for (uint64_t left = i / WORDS_OF_LINE; line < RECORDED_PAGE / RECORDED_LINE; line++)
			if ((r.pages[p].bits >> line & 1) && !left--)
				break;
		*addr = r.pages[p].addr + line * RECORDED_LINE + i % WORDS_OF_LINE * WORD;
		return (uint8_t *)(uintptr_t)r.pages[p].lines + i * WORD;
	}
	return NULL;
}

static uint64_t number(const uint8_t *bytes, unsigned n)
{
	uint64_t value = 0;

	while (n--)
		value = value << 8 | bytes[n];
	return value;
}

static bool is_single(unsigned which, uint64_t addr)
{
	const uint64_t *a = recordings[which].single;
	size_t lo = 0, n = recordings[which].n_single;

	while (n) {
		size_t half = n / 2;

		if (a[lo + half] < addr) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo < recordings[which].n_single && a[lo] == addr;
}

const char *fuzz_loss_of(const uint8_t *data, size_t n, uint64_t *addr)
{
	uint8_t *words[CHANGES_MAX], before[CHANGES_MAX][WORD];
	unsigned which = n ? data[0] % N_RECORDINGS : 0, n_changes = 0;
	struct fuzz_seen now;
	const char *lost = NULL;

	if (!n || !load(which))
		return NULL;
	uint8_t *recording = recordings[which].data;
	recorded_take(&r, recording, recordings[which].n);
	for (size_t at = 1; at + CHANGE_BYTES <= n && n_changes < CHANGES_MAX; at += CHANGE_BYTES) {
		uint8_t *word = word_at(number(data + at, 4), addr);

		if (is_single(which, *addr))
			continue;
		words[n_changes] = word;
		memcpy(before[n_changes++], word, WORD);
		memcpy(word, data + at + 4, WORD);
	}
	if (see(recording, recordings[which].n, &now, NULL, NULL) == ACC_OK)
		lost = fuzz_lost(&recordings[which].seen, &now);
	while (n_changes--)
		memcpy(words[n_changes], before[n_changes], WORD);
	return lost;
}

int fuzz_loss(const uint8_t *data, size_t n)
{
	uint64_t addr;

	FUZZ_MUST(!fuzz_loss_of(data, n, &addr));
	return 0;
}
