/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * readers/openmpi as a whole: the Nth read or allocation fails, memory is damaged at random. Whatever happens: an
 * answer in bounded time, no crash, nothing left behind; and what is shown when nothing is noted is what is there.
 */
#include "../support/fake_ompi.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* A process with something of everything. */
static struct fake_ompi *make(int i)
{
	struct fake_ompi *m = fake_ompi_create(i & 1 ? 4 : 8, i & 2, 6, 1);
	struct fake *f = m->f;
	uint64_t far = fake_ompi_proc(m, FAKE_OMPI_OTHER_JOB, 3);
	uint64_t entries[] = { m->procs[4], far, f->word_bytes == 8 ? UINT64_C(0x712340003) : 11 };
	uint64_t inter = fake_ompi_comm(m, "inter", 4, 1, fake_ompi_group(m, entries, 3, -32766));
	uint64_t local = fake_ompi_comm(m, "local", 4, 1, 0), cart = fake_ompi_comm(m, "cart", 6, 1, 0);
	uint64_t module = fake_new(f, T_mca_topo_base_module_t), args = fake_new(f, T_mca_topo_base_comm_cart_2_2_0_t);
	uint64_t win = fake_new(f, T_ompi_win_t), osc = fake_alloc(f, 4096, 16), held, frag[3], proc;

	fake_put_u(f, inter, F_ompi_communicator_t_c_local_comm, local);
	fake_put_i(f, args, F_mca_topo_base_comm_cart_2_2_0_t_ndims, 2);
	fake_put_u(f, args, F_mca_topo_base_comm_cart_2_2_0_t_dims, fake_ints(f, (int[]){ 2, 3 }, 2));
	fake_put_u(f, args, F_mca_topo_base_comm_cart_2_2_0_t_periods, fake_ints(f, (int[]){ 0, 1 }, 2));
	fake_put_u(f, args, F_mca_topo_base_comm_cart_2_2_0_t_coords, fake_ints(f, (int[]){ 0, 1 }, 2));
	fake_put_u(f, module, F_mca_topo_base_module_t_mtc, args);
	fake_put_u(f, cart, F_ompi_communicator_t_c_topo, module);
	fake_put_u(f, cart, F_ompi_communicator_t_c_flags, 0x1100);
	fake_put_u(f, win, F_ompi_win_t_w_osc_module, osc);
	fake_put_u(f, osc, F_ompi_osc_rdma_module_t_comm, fake_ompi_comm(m, "win", 6, 1, 0));
	fake_ompi_array(m, m->windows, &win, 1);
	for (int k = 0; k < 12; k++) {
		fake_ompi_post(m, k % 3 ? m->world : cart, k % 4 - 1, k, k);
		fake_ompi_send(m, k % 2 ? m->world : inter, k % 3, k, k, k % 5);
		fake_ompi_message(m, m->world, k % 4, k, (uint64_t)k, k % 2 ? MDL_EAGER : MDL_RENDEZVOUS);
	}
	fake_ompi_match(m, fake_ompi_receive(m, m->world, 2, 50, 100), 2, 50, 400);
	held = fake_ompi_receive(m, m->world, -1, 51, 0);
	fake_put_i(f, held, F_mca_pml_base_request_t_req_type, 6);
	fake_put_u(f, held, F_ompi_request_t_req_complete, 1);
	fake_put_u(f, held, F_mca_pml_base_request_t_req_addr, fake_ompi_frag(m, m->world, 4, 51, 8, MDL_EAGER, 1));
	fake_ompi_match(m, held, 4, 51, 8);
	for (int k = 0; k < 3; k++)
		frag[k] = fake_ompi_frag(m, m->world, 2, 60 + k, 1, MDL_EAGER, 60 + k);
	fake_put_u(f, frag[0], F_opal_list_item_t_opal_list_next, frag[1]);
	fake_put_u(f, frag[1], F_opal_list_item_t_opal_list_next, frag[0]);
	fake_put_u(f, frag[2], F_opal_list_item_t_opal_list_next, frag[2]);
	fake_put_u(f, frag[1], F_mca_pml_ob1_recv_frag_t_range, frag[2]);
	proc = fake_ompi_peer(m, m->world, 2);
	fake_put_u(f, proc, F_mca_pml_ob1_comm_proc_t_frags_cant_match, frag[0]);
	fake_ompi_append(m, fake_field_addr(f, m->ob1, F_mca_pml_ob1_t_non_existing_communicator_pending),
			 fake_ompi_frag(m, 0, 1, 70, 1, MDL_EAGER, 1));
	fake_ompi_collective(m, m->world, -27);
	return m;
}

enum { N_COMMS = 6, N_OPS = 12 + 12 + 12 + 2 + 3 + 1 + 1 }; /* with `all` */

static enum acc_rc see(struct fake_ompi *m, struct fake_ompi_seen *seen)
{
	struct rd_packs none = { 0 };
	struct rd_process *p = NULL;

	acc_note_clear(&m->sp.note);
	*seen = (struct fake_ompi_seen){ 0 };
	enum acc_rc rc = rd_open(&m->sp, &none, &p);
	if (rc == ACC_OK) {
		*seen = fake_ompi_see(p, true);
		rd_close(p);
	}
	return rc;
}

START_TEST(test_whole)
{
	struct fake_ompi *m = make(_i);
	struct fake_ompi_seen seen;

	ck_assert_int_eq(see(m, &seen), ACC_OK);
	ck_assert_uint_eq(seen.n_comms, N_COMMS);
	ck_assert_uint_eq(seen.n_ops, N_OPS);
	ck_assert_uint_eq(seen.n_bad, 0);
	ck_assert_uint_eq(seen.n_failures, 0);
	ck_assert_int_eq(m->sp.note.rc, ACC_OK);
	fake_ompi_destroy(m);
}
END_TEST

/*
 * Bit 2: reads or allocations; bit 3: once or from then on; bit 4: with the page cache or each read alone (a failing
 * allocation of the cache turns it off).
 */
START_TEST(test_nth_fails)
{
	struct fake_ompi *m = make(_i & 3);
	struct fake_fuse *fuse = _i & 4 ? &m->f->allocs : &m->f->reads;
	struct fake_ompi_seen seen;

	for (int64_t n = 0;; n++) {
		size_t n_live = m->f->n_live;

		fake_fuse(fuse, n, _i & 8);
		enum acc_rc rc = see(m, &seen);
		uint64_t n_failed = fuse->n_failed;
		fake_fuse_off(fuse);
		ck_assert_uint_eq(m->f->n_live, n_live);
		if (!n_failed) {
			ck_assert_int_eq(rc, ACC_OK);
			ck_assert_uint_eq(seen.n_ops, N_OPS);
			break;
		}
		ck_assert_uint_le(seen.n_ops, N_OPS);
		ck_assert_uint_le(seen.n_comms, N_COMMS);
	}
	fake_ompi_destroy(m);
}
END_TEST

/* One read of the debugger for every read of the reader: each of them fails once. */
START_TEST(test_nth_fails_uncached)
{
	struct fake_ompi *m = make(_i);
	struct rd_process *p = fake_ompi_open(m);
	struct mdl_comm comm;
	struct mdl_op op;
	struct rd_op_iter it;

	ck_assert_int_eq(rd_comm_get(p, m->world, &comm), ACC_OK);
	for (int op_class = 0; op_class < MDL_N_CLASSES; op_class++) {
		uint64_t n_whole = 0;

		for (int64_t n = -1;; n++) {
			uint64_t n_ops = 0, n_lost = 0;

			ck_assert_int_eq(rd_update(p), ACC_OK);
			acc_note_clear(&m->sp.note);
			if (n >= 0)
				fake_fuse(&m->f->reads, n, false);
			enum acc_rc rc = rd_op_first(p, &comm, op_class, true, &it);
			if (rc == ACC_OK) {
				while ((rc = rd_op_next(&it, &op)) == ACC_OK)
					n_ops++;
				n_lost = it.n_bad;
			}
			uint64_t n_failed = m->f->reads.n_failed;
			fake_fuse_off(&m->f->reads);
			if (n < 0) {
				n_whole = n_ops;
				continue;
			}
			ck_assert_uint_le(n_ops, n_whole);
			/* nothing is missing in silence */
			ck_assert_msg(n_ops == n_whole || n_lost || rc != ACC_NONE,
				      "class %d: read %lld failed, %llu of %llu operations, not a word", op_class,
				      (long long)n, (unsigned long long)n_ops, (unsigned long long)n_whole);
			if (!n_failed)
				break;
		}
	}
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

static uint64_t random_state;

static uint64_t draw(uint64_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (random_state >> 33) % n;
}

/* Overwrite words of the process: with other addresses of it, extremes, or noise. */
START_TEST(test_damage)
{
	struct fake_ompi *m = make(_i & 3);
	struct fake *f = m->f;
	uint64_t first = m->procs[0], bytes = f->heap_addr - first, words = bytes / f->word_bytes;
	unsigned char *whole = malloc(bytes);
	struct fake_ompi_seen seen;

	ck_assert_ptr_nonnull(whole);
	fake_peek(f, first, whole, bytes);
	random_state = (uint64_t)_i + 1;
	for (int round = 0; round < 40; round++) {
		for (uint64_t n = 1 + draw(20); n; n--) {
			uint64_t addr = first + draw(words) * f->word_bytes, value;

			switch (draw(5)) {
			case 0: /* swap in a word from elsewhere: often a valid pointer, to the wrong object */
				value = fake_peek_ptr(f, first + draw(words) * f->word_bytes);
				break;
			case 1:
				value = first + draw(bytes) / 16 * 16;
				break;
			case 2:
				value = draw(8) - 4;
				break;
			case 3:
				value = UINT64_C(1) << draw(64);
				break;
			default:
				value = draw(UINT32_MAX) << 24 ^ draw(UINT32_MAX);
				break;
			}
			fake_write_ptr(f, addr, f->word_bytes == 4 ? (uint32_t)value : value);
		}
		see(m, &seen);
		ck_assert_uint_le(m->sp.stats.n_reads, UINT64_C(100000000));
		if (round % 4 == 3)
			fake_write(f, first, whole, bytes);
	}
	free(whole);
	fake_ompi_destroy(m);
}
END_TEST

/* Pages go away. */
START_TEST(test_holes)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t first = m->procs[0] & ~UINT64_C(4095), n_pages = (f->heap_addr - first) / 4096 + 1;
	struct fake_ompi_seen seen;
	unsigned char page[4096];

	/* the heap is one mapping: poison a page instead, as if another program had written there */
	for (uint64_t i = 0; i < n_pages; i++) {
		unsigned char poison[4096];
		uint64_t addr = first + i * 4096;

		if (!fake_mapped(f, addr, sizeof(page)))
			continue;
		fake_peek(f, addr, page, sizeof(page));
		for (int byte = 0; byte < 256; byte += 51) {
			memset(poison, byte, sizeof(poison));
			fake_write(f, addr, poison, sizeof(poison));
			see(m, &seen);
		}
		fake_write(f, addr, page, sizeof(page));
	}
	ck_assert_int_eq(see(m, &seen), ACC_OK);
	ck_assert_uint_eq(seen.n_ops, N_OPS);
	fake_ompi_destroy(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ompi_faults");
	TCase *tc = tcase_create("faults");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, test_whole, 0, 4);
	tcase_add_loop_test(tc, test_nth_fails, 0, 16);
	tcase_add_loop_test(tc, test_nth_fails_uncached, 0, 4);
	tcase_add_loop_test(tc, test_damage, 0, 100);
	tcase_add_loop_test(tc, test_holes, 0, 4);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
