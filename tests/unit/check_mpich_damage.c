/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * readers/mpich and readers/ucx on recorded processes (fuzz/record_mpich): what they say of one that is whole, and that words
 * of the library's data, of objects and of chains can be anything. The process of fuzz/seeds/mpich/queues is
 * tests/programs/tell_queues.c.
 */
#include "../../fuzz/fuzz.h"
#include "../../fuzz/recorded.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of tell_queues, rank 0: what the communicator "ring" has. */
static const struct {
	const char *path, *version, *device;
	unsigned n_receives, n_sends;
	bool peers; /* the receivers of sends are known */
} whole[] = {
	{ "fuzz/seeds/mpich/queues", "4.0.2", "ch4:ucx", 2, 2, true },
	{ "fuzz/seeds/mpich/queues_5.0", "5.0.1", "ch4:ucx", 2, 2, true },
	{ "fuzz/seeds/mpich/queues_ofi", "4.3.2", "ch4:ofi", 2, 2, false },
};

static const char *const files[] = { "fuzz/seeds/mpich/queues", "fuzz/seeds/mpich/comms", "fuzz/seeds/mpich/queues_5.0",
				     "fuzz/seeds/mpich/queues_ofi", "fuzz/seeds/mpich/files" };
enum { N_FILES = sizeof files / sizeof files[0], STRIDE = 211, TIMEOUT_S = 300 };

static uint8_t *load(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	struct stat st;

	ck_assert_msg(f != NULL, "%s", path);
	ck_assert_int_eq(fstat(fileno(f), &st), 0);
	*n = (size_t)st.st_size;
	uint8_t *data = malloc(*n);
	ck_assert_ptr_nonnull(data);
	ck_assert_uint_eq(fread(data, 1, *n, f), *n);
	fclose(f);
	return data;
}

/* As it was recorded. */
START_TEST(test_whole)
{
	static struct recorded r;
	static const struct acc_sizes sizes = { .short_bytes = 2,
						.int_bytes = 4,
						.long_bytes = 8,
						.long_long_bytes = 8,
						.pointer_bytes = 8,
						.bool_bytes = 1,
						.size_bytes = 8 };
	unsigned n_receives = 0, n_sends = 0, n_objects = 0;
	struct rd_process *p = NULL;
	struct rd_objects objects;
	struct rd_comm_iter it;
	struct rd_op_iter ops;
	struct acc_space sp;
	struct mdl_comm comm;
	struct mdl_op op;
	size_t n;
	uint8_t *data = load(whole[_i].path, &n);

	recorded_take(&r, data, n);
	ck_assert_int_eq(acc_space_init(&sp, &recorded_ops, &r, &sizes, false), ACC_OK);
	ck_assert_msg(rd_open(&sp, recorded_packs(), &p) == ACC_OK, "%s", sp.note.text);
	ck_assert_str_eq(rd_library(p)->version, whole[_i].version);
	ck_assert_str_eq(rd_library(p)->component, whole[_i].device);
	ck_assert_int_eq(rd_comm_first(p, false, &it), ACC_OK);
	while (rd_comm_next(&it, &comm) == ACC_OK) {
		bool ring = !strcmp(comm.name, "ring");

		ck_assert_int_eq(rd_op_first(p, &comm, MDL_RECEIVES, false, &ops), ACC_OK);
		while (rd_op_next(&ops, &op) == ACC_OK)
			n_receives += ring;
		ck_assert_int_eq(rd_op_first(p, &comm, MDL_SENDS, false, &ops), ACC_OK);
		while (rd_op_next(&ops, &op) == ACC_OK) {
			n_sends += ring;
			ck_assert_int_eq(op.peer.known == MDL_KNOWN, whole[_i].peers);
		}
	}
	ck_assert_uint_eq(it.n_bad, 0);
	ck_assert_uint_eq(n_receives, whole[_i].n_receives);
	ck_assert_uint_eq(n_sends, whole[_i].n_sends);
	ck_assert_int_eq(rd_objects_open(p, &objects), ACC_OK);
	for (uint64_t i = 0; i < objects.places(objects.state, MDL_DATATYPE); i++) {
		enum mdl_life life;
		uint64_t handle, id;

		n_objects += objects.key(objects.state, MDL_DATATYPE, i, &life, &handle, &id) == ACC_OK;
	}
	ck_assert_uint_gt(n_objects, 40);
	ck_assert_msg(!sp.note.rc, "%s", sp.note.text);
	rd_close(p);
	acc_space_deinit(&sp);
	ck_assert_uint_eq(r.n_live, 0);
	free(data);
}
END_TEST

/*
 * Every STRIDE-th word of what is not zero (unless make check-all wants all of these, every third one), in turn: nothing, all
 * ones, odd, its neighbour, itself, nowhere.
 */
START_TEST(test_words)
{
	static struct recorded r;
	static const uint64_t bad[] = { 0, UINT64_MAX, 1, 0x7fffffff, 0x100000000, 0x10000 };
	size_t n, turn = 0, stride = STRIDE * suite_stride(3);
	uint8_t *data = load(files[_i], &n);

	recorded_take(&r, data, n);
	ck_assert_uint_gt(r.n_pages, 20);
	for (unsigned p = 0; p < r.n_pages; p++) {
		size_t bytes = 0;

		for (unsigned i = 0; i < RECORDED_PAGE / RECORDED_LINE; i++)
			bytes += (r.pages[p].bits >> i & 1) * RECORDED_LINE;
		for (size_t at = turn % stride * 8; at + 8 <= bytes; at += stride * 8, turn++) {
			uint8_t *word = data + (r.pages[p].lines - data) + at;
			uint64_t before, now;

			memcpy(&before, word, 8);
			now = turn % 8 < 6 ? bad[turn % 8] : turn % 8 == 6 ? before + 1 : r.pages[p].addr + at;
			memcpy(word, &now, 8);
			ck_assert_int_eq(fuzz_mpich(data, n), 0);
			memcpy(word, &before, 8);
		}
	}
	ck_assert_uint_gt(turn, 100);
	free(data);
}
END_TEST

/* A page at a time cannot be read: each one in make check-all, otherwise every second. */
START_TEST(test_pages)
{
	static struct recorded r;
	size_t n;
	uint8_t *data = load(files[_i], &n);

	recorded_take(&r, data, n);
	for (unsigned p = 0; p < r.n_pages; p += (unsigned)suite_stride(2)) {
		uint8_t *addr = data + (r.pages[p].lines - data) - 16;
		uint8_t before[8];

		memcpy(before, addr, sizeof before);
		memset(addr, 0x11, sizeof before);
		ck_assert_int_eq(fuzz_mpich(data, n), 0);
		memcpy(addr, before, sizeof before);
	}
	free(data);
}
END_TEST

int main(void)
{
	if (access(files[0], R_OK) != 0) {
		puts("fuzz/seeds: not here (run from the top folder of the source)");
		return 77;
	}
	Suite *s = suite_create("mpich_damage");
	TCase *tc = tcase_create("damage");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_whole, 0, sizeof whole / sizeof whole[0]);
	tcase_add_loop_test(tc, test_words, 0, N_FILES);
	tcase_add_loop_test(tc, test_pages, 0, N_FILES);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
