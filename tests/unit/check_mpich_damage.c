/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * readers/mpich and readers/ucx on recorded processes (fuzz/record_mpich): what they say of one that is whole, and that
 * words of the library's data, of objects and of chains can be anything. The process of fuzz/recordings/queues is
 * tests/programs/facts_queues.c.
 */
#include "../../fuzz/fuzz.h"
#include "../../fuzz/losses.h"
#include "../../fuzz/recorded.h"
#include "../../fuzz/target.h"
#include "../../readers/mpich/mpich.h"
#include "../support/damage.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of facts_queues, rank 0: what the communicator "ring" has. */
static const struct {
	const char *path, *version, *device;
	unsigned n_receives, n_sends;
	bool peers; /* the receivers of sends are known */
} whole[] = {
	{ "fuzz/recordings/queues", "4.0.2", "ch4:ucx", 2, 2, true },
	{ "fuzz/recordings/queues_5.0", "5.0.1", "ch4:ucx", 2, 2, true },
	{ "fuzz/recordings/queues_5.0.2", "5.0.2", "ch4:ucx", 2, 2, true },
	{ "fuzz/recordings/queues_ofi", "4.3.2", "ch4:ofi", 2, 2, false },
};

static const char *const files[] = { "fuzz/recordings/queues",     "fuzz/recordings/comms",
				     "fuzz/recordings/queues_5.0", "fuzz/recordings/queues_5.0.2",
				     "fuzz/recordings/queues_ofi", "fuzz/recordings/files" };
enum { N_FILES = sizeof files / sizeof files[0], LINKS_MAX = 256, STRIDE = 211, TIMEOUT_S = 300 };

/* mpi.h, 4.0 to 5.0: the handles of MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT */
static const uint64_t FLOAT_INT = 0x8c000000;
enum { N_PAIRS = 5 };
static const char *const pairs[N_PAIRS] = { "MPI_FLOAT_INT", "MPI_DOUBLE_INT", "MPI_LONG_INT", "MPI_SHORT_INT",
					    "MPI_LONG_DOUBLE_INT" };

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
	unsigned n_receives = 0, n_sends = 0, n_objects = 0, n_pairs = 0;
	struct rd_process *p = NULL;
	struct rd_objects objects;
	struct mdl_handle h;
	struct rd_comm_iter it;
	struct rd_op_iter ops;
	struct acc_space sp;
	struct mdl_comm comm;
	struct mdl_op op;
	size_t n;
	uint8_t *data = damage_load(whole[_i].path, &n);

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

		if (objects.key(objects.state, MDL_DATATYPE, i, &life, &handle, &id) != ACC_OK)
			continue;
		n_objects++;
		if (handle < FLOAT_INT || handle >= FLOAT_INT + N_PAIRS)
			continue;
		n_pairs++;
		ck_assert_int_eq(objects.facts(objects.state, MDL_DATATYPE, i, &h), ACC_OK);
		ck_assert(h.predefined);
		ck_assert_str_eq(h.name, pairs[handle - FLOAT_INT]);
	}
	ck_assert_uint_gt(n_objects, 40);
	ck_assert_uint_eq(n_pairs, N_PAIRS);
	ck_assert_msg(!sp.note.rc, "%s", sp.note.text);
	rd_close(p);
	acc_space_deinit(&sp);
	ck_assert_uint_eq(r.n_live, 0);
	free(data);
}
END_TEST

/*
 * The tag word of the send on "ring" names the communicator "quiet": a request of MPICH 4.1 and later says otherwise.
 */
START_TEST(test_other_communicator)
{
	static const uint64_t tag = 0x1f0000000000008, other = 0x1e0000000000008;
	static const struct {
		const char *path;
		bool said;
	} of[] = { { "fuzz/recordings/queues", false },
		   { "fuzz/recordings/queues_5.0", true },
		   { "fuzz/recordings/queues_5.0.2", true } };
	static struct fuzz_seen seen;
	static struct recorded r;
	struct rd_process *p = NULL;
	struct acc_space sp;
	size_t n;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		uint8_t *data = damage_load(of[i].path, &n);

		uint8_t *word = memmem(data, n, &tag, sizeof(tag));
		ck_assert_ptr_nonnull(word);
		do
			memcpy(word, &other, sizeof(other));
		while ((word = memmem(data, n, &tag, sizeof(tag))) != NULL);
		recorded_take(&r, data, n);
		ck_assert_int_eq(acc_space_init(&sp, &recorded_ops, &r, &fuzz_sizes, false), ACC_OK);
		ck_assert_int_eq(rd_open(&sp, recorded_packs(), &p), ACC_OK);
		fuzz_see_queues(p, &seen);
		ck_assert_msg(seen.partial == of[i].said, "%s: %s", of[i].path, sp.note.text);
		rd_close(p);
		acc_space_deinit(&sp);
		free(data);
	}
}
END_TEST

/* Addresses of the links that infos and their pairs have. */
static unsigned info_links(struct rd_mpich *o, uint64_t *ret)
{
	const struct rd_mpich_pool *infos = rd_mpich_pool(o, RD_MPICH_INFO);
	unsigned n = 0;

	ck_assert_ptr_nonnull(infos);
	for (uint64_t i = 0; i < infos->n_slots && n < LINKS_MAX; i++) {
		uint32_t handle;
		uint64_t addr = rd_mpich_slot(infos, i, RD_MPICH_INFO, &handle), next;

		ret[n] = addr + o->layout->fields[F_MPIR_Info_next].offset;
		n += !infos->is_free[i] && !acc_read_ptr(o->sp, ret[n], &next) && next;
	}
	return n;
}

/* The first of the receives that ch4 matches itself, and the link of the last but one. @return their number */
static unsigned posted_ends(struct rd_mpich *o, uint64_t *ret)
{
	uint64_t last = 0;
	unsigned n = 0;

	ck_assert_int_eq(rd_mpich_requests(o), ACC_OK);
	for (uint64_t i = 0; i < o->n_requests; i++) {
		if (o->requests[i].where != RD_MPICH_POSTED)
			continue;
		ret[n ? 1 : 0] = n ? last : o->requests[i].addr;
		last = o->requests[i].addr + o->layout->fields[F_MPIR_Request_next].offset;
		n++;
	}
	return n;
}

/* The number of receives in the queue of UCX where MPICH's are, all of which have a mask. @return how many */
static unsigned queue_count(struct rd_mpich *o, uint64_t *ret)
{
	const struct rd_ucx *u = &o->ucx;
	uint64_t n;

	ck_assert_uint_gt(u->n_workers, 0);
	*ret = u->worker_addr[0] + rd_ucx_offset(u, UF_ucp_worker_t_expected_wildcard) +
	       rd_ucx_offset(u, UF_ucp_request_queue_t_sw_count);
	ck_assert_int_eq(acc_read_u(o->sp, *ret, 4, &n), ACC_OK);
	return (unsigned)n;
}

/* @param find NULL, or returns the number of addresses that it stores; room for LINKS_MAX */
static unsigned see_all(struct recorded *r, struct fuzz_seen *seen, unsigned (*find)(struct rd_mpich *o, uint64_t *ret),
			uint64_t *addrs)
{
	struct rd_process *p = NULL;
	struct acc_space sp;

	ck_assert_int_eq(acc_space_init(&sp, &recorded_ops, r, &fuzz_sizes, false), ACC_OK);
	ck_assert_int_eq(rd_open(&sp, recorded_packs(), &p), ACC_OK);
	fuzz_see(p, seen);
	unsigned n = find ? find(p->state, addrs) : 0;
	rd_close(p);
	acc_space_deinit(&sp);
	return n;
}

/* The last but one of the receives that ch4 has posted is followed by the first. */
START_TEST(test_list_cycle)
{
	static struct fuzz_seen before, seen;
	static struct recorded r;
	uint64_t ends[2];
	size_t n;
	uint8_t *data = damage_load("fuzz/recordings/queues_ofi", &n);

	recorded_take(&r, data, n);
	ck_assert_uint_gt(see_all(&r, &before, posted_ends, ends), 2);
	ck_assert(!before.partial);
	uint8_t *word = recorded_at(&r, ends[1]);
	ck_assert_ptr_nonnull(word);
	memcpy(word, &ends[0], sizeof(ends[0]));
	see_all(&r, &seen, NULL, NULL);
	ck_assert(seen.partial);
	ck_assert_uint_eq(seen.n_ops[MDL_RECEIVES], before.n_ops[MDL_RECEIVES]);
	free(data);
}
END_TEST

/* A queue of UCX has one receive more, or less, than it says; each that it has is listed. */
START_TEST(test_queue_count)
{
	static struct fuzz_seen before, seen;
	static struct recorded r;
	uint64_t addr;
	size_t n;
	uint8_t *data = damage_load("fuzz/recordings/queues", &n);

	recorded_take(&r, data, n);
	uint32_t count = see_all(&r, &before, queue_count, &addr);
	ck_assert(!before.partial);
	ck_assert_uint_gt(count, 0);
	uint8_t *word = recorded_at(&r, addr & ~UINT64_C(7));
	ck_assert_ptr_nonnull(word);
	for (uint32_t said = count - 1; said <= count + 1; said++) {
		memcpy(word + addr % 8, &said, sizeof(said));
		see_all(&r, &seen, NULL, NULL);
		ck_assert_int_eq(seen.partial, said != count);
	}
	free(data);
}
END_TEST

/* A process cannot have a rank in a group that the group does not have. */
START_TEST(test_group_rank)
{
	static struct recorded r;
	struct rd_process *p = NULL;
	struct rd_mpich_group g = { 0 };
	struct acc_space sp;
	uint64_t addr = 0;
	uint32_t handle;
	size_t n;
	uint8_t *data = damage_load("fuzz/recordings/comms", &n);

	recorded_take(&r, data, n);
	ck_assert_int_eq(acc_space_init(&sp, &recorded_ops, &r, &fuzz_sizes, false), ACC_OK);
	ck_assert_int_eq(rd_open(&sp, recorded_packs(), &p), ACC_OK);
	struct rd_mpich *o = p->state;
	const struct rd_mpich_pool *groups = rd_mpich_pool(o, RD_MPICH_GROUP);
	ck_assert_ptr_nonnull(groups);
	for (uint64_t i = 0; !addr && i < groups->n_slots; i++) {
		addr = groups->is_free[i] ? 0 : rd_mpich_slot(groups, i, RD_MPICH_GROUP, &handle);
		if (addr && (rd_mpich_group_load(o, addr, &g) || g.size < 1))
			addr = 0;
	}
	ck_assert_uint_ne(addr, 0);
	uint64_t at = addr + rd_mpich_offset(o, F_MPIR_Group_rank);
	uint8_t *word = recorded_at(&r, at & ~UINT64_C(7));
	ck_assert_ptr_nonnull(word);
	for (int32_t rank = (int32_t)g.size - 1; rank <= (int32_t)g.size; rank++) {
		struct rd_mpich_group now;

		memcpy(word + at % 8, &rank, sizeof(rank));
		ck_assert_int_eq(rd_mpich_group_load(o, addr, &now), rank < g.size ? ACC_OK : ACC_ECORRUPT);
	}
	rd_close(p);
	acc_space_deinit(&sp);
	free(data);
}
END_TEST

/* The chain of an info, by whose texts an open file is found, has lost its end. */
START_TEST(test_info_cut)
{
	static struct fuzz_seen whole_one, seen;
	static uint64_t links[LINKS_MAX];
	static struct recorded r;
	size_t n;
	uint8_t *data = damage_load("fuzz/recordings/files", &n);

	recorded_take(&r, data, n);
	unsigned n_links = see_all(&r, &whole_one, info_links, links), n_lost = 0;
	ck_assert(!whole_one.partial);
	ck_assert_uint_gt(n_links, 20);
	for (unsigned i = 0; i < n_links; i += (unsigned)suite_stride(2)) {
		uint8_t *word = recorded_at(&r, links[i]), before[8];

		ck_assert_ptr_nonnull(word);
		memcpy(before, word, sizeof(before));
		memset(word, 0, sizeof(before));
		see_all(&r, &seen, NULL, NULL);
		memcpy(word, before, sizeof(before));
		ck_assert_msg(seen.partial, "link at 0x%llx", (unsigned long long)links[i]);
		n_lost += seen.n_objects[MDL_FILE] < whole_one.n_objects[MDL_FILE];
	}
	ck_assert_uint_gt(n_lost, 0);
	free(data);
}
END_TEST

/* An open file is found by its info: without the pool of infos it is said that files may be missing. */
START_TEST(test_no_infos)
{
	static struct recorded r;
	size_t n;
	uint8_t *data = damage_load("fuzz/recordings/files", &n);
	uint64_t head_addr = 0;

	for (int damaged = 0; damaged < 2; damaged++) {
		struct rd_process *p = NULL;
		struct rd_objects objects;
		struct acc_space sp;

		recorded_take(&r, data, n);
		ck_assert_int_eq(acc_space_init(&sp, &recorded_ops, &r, &fuzz_sizes, false), ACC_OK);
		ck_assert_int_eq(rd_open(&sp, recorded_packs(), &p), ACC_OK);
		ck_assert_int_eq(rd_objects_open(p, &objects), ACC_OK);
		ck_assert_int_eq(objects.lacks(objects.state, MDL_FILE) != NULL, damaged);
		ck_assert_int_eq(objects.lacks(objects.state, MDL_INFO) != NULL, damaged);
		struct rd_mpich *o = p->state;
		if (!damaged)
			head_addr = o->pool_addr[RD_MPICH_INFO] + o->layout->fields[F_MPIR_Object_alloc_t_size].offset;
		rd_close(p);
		acc_space_deinit(&sp);
		uint8_t *word = recorded_at(&r, head_addr & ~UINT64_C(7));
		ck_assert_ptr_nonnull(word);
		memset(word, 0, 8);
	}
	free(data);
}
END_TEST

/* Every STRIDE-th word in make check-all, otherwise every third one of these. */
START_TEST(test_words)
{
	size_t n;
	uint8_t *data = damage_load(files[_i], &n);

	ck_assert_uint_gt(damage_words(data, n, STRIDE * suite_stride(3), DAMAGE_IN_TURN), 100);
	free(data);
}
END_TEST

/* Each one in make check-all, otherwise every second. */
START_TEST(test_pages)
{
	size_t n;
	uint8_t *data = damage_load(files[_i], &n);

	damage_pages(data, n, (unsigned)suite_stride(2));
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
	TCase *tc = tcase_create("damage"), *lists = tcase_create("lists");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_whole, 0, sizeof whole / sizeof whole[0]);
	tcase_add_loop_test(tc, test_words, 0, N_FILES);
	tcase_add_loop_test(tc, test_pages, 0, N_FILES);
	tcase_set_timeout(lists, TIMEOUT_S);
	tcase_add_test(lists, test_other_communicator);
	tcase_add_test(lists, test_list_cycle);
	tcase_add_test(lists, test_queue_count);
	tcase_add_test(lists, test_group_rank);
	tcase_add_test(lists, test_info_cut);
	tcase_add_test(lists, test_no_infos);
	suite_add_tcase(s, tc);
	suite_add_tcase(s, lists);
	return suite_run(s);
}
