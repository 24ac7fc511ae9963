/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/reader.c: which reader is used for a process, and what is read if the MPI library's memory cannot be. */
#include "../../readers/reader.h"
#include "../support/fake_track.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

enum { N_TARGETS = 4, FAULTS = 2000 };

struct opened {
	struct fake_track *m;
	struct acc_space sp;
	struct rd_process *p;
};

static const struct rd_packs no_packs = { NULL, 0 };

/* A registry in a process of an Open MPI that no layout describes. */
static void make(struct opened *o, int i)
{
	o->m = fake_track_create(i & 1 ? 4 : 8, i & 2, "Open MPI");
	o->p = NULL;
	uint64_t state = fake_alloc(o->m->f, 4, 4);
	fake_write_u(o->m->f, state, 4, 2);
	fake_symbol(o->m->f, "ompi_mpi_state", state);
	uint64_t comm = fake_track_add(o->m, TRK_COMM, 0x1000);
	fake_put_chars(o->m->f, comm, F_trk_comm_name, "ring");
	fake_put_u(o->m->f, comm, F_trk_comm_size, 4);
	fake_put_u(o->m->f, comm, F_trk_comm_rank, 1);
	fake_put_u(o->m->f, comm, F_trk_comm_remote_size, (uint64_t)-1);
	ck_assert_int_eq(fake_space(o->m->f, &o->sp), ACC_OK);
}

static void end(struct opened *o)
{
	rd_close(o->p);
	acc_space_deinit(&o->sp);
	fake_track_destroy(o->m);
}

/* Refused, and the records are read instead: the refusal is reported, but is not a failure. */
START_TEST(test_refused)
{
	struct rd_comm_iter it;
	struct mdl_comm comm;
	struct opened o;
	const char *why;

	make(&o, _i);
	ck_assert_msg(rd_open(&o.sp, &no_packs, &o.p) == ACC_OK, "%s", o.sp.note.text);
	ck_assert_int_eq(o.sp.note.rc, ACC_OK);
	ck_assert_msg(strstr(rd_refused(o.p), "describes its types") != NULL, "\"%s\"", rd_refused(o.p));
	ck_assert_str_eq(rd_library(o.p)->origin, "tracker");
	for (int turn = 0; turn < 2; turn++) {
		ck_assert_int_eq(rd_comm_first(o.p, false, &it), ACC_OK);
		ck_assert_int_eq(rd_comm_next(&it, &comm), ACC_OK);
		ck_assert_str_eq(comm.name, "ring");
		ck_assert_int_eq(rd_comm_next(&it, &comm), ACC_NONE);
		ck_assert_int_eq(rd_ops_available(o.p, MDL_RECEIVES, &why), ACC_OK);
		ck_assert_int_eq(rd_ops_available(o.p, MDL_UNEXPECTED, &why), ACC_NONE);
		ck_assert_int_eq(rd_update(o.p), ACC_OK);
	}
	end(&o);
}
END_TEST

/* Nothing is recorded, or the records are invalid: the refusal is the failure. */
START_TEST(test_refused_alone)
{
	struct opened o;

	make(&o, _i);
	fake_symbol_remove(o.m->f, "MPI2DD_registry");
	ck_assert_int_eq(rd_open(&o.sp, &no_packs, &o.p), ACC_EWITNESS);
	ck_assert_ptr_null(o.p);
	ck_assert_msg(strstr(o.sp.note.text, "describes its types") != NULL, "%s", o.sp.note.text);
	acc_note_clear(&o.sp.note);
	fake_symbol(o.m->f, "MPI2DD_registry", o.m->registry);
	fake_put_u(o.m->f, o.m->registry, F_trk_registry_n_slabs, UINT32_MAX);
	ck_assert_int_eq(rd_open(&o.sp, &no_packs, &o.p), ACC_EWITNESS);
	ck_assert_msg(strstr(o.sp.note.text, "describes its types") != NULL, "%s", o.sp.note.text);
	end(&o);
}
END_TEST

/* The Nth allocation and the Nth read fail: the result is a failure or the records, and nothing leaks. */
START_TEST(test_faults)
{
	struct opened o;

	make(&o, _i);
	struct fake_fuse *fuse = _i & 1 ? &o.m->f->allocs : &o.m->f->reads;
	bool opened = false;

	for (int n = 0; n < FAULTS && !opened; n++) {
		acc_note_clear(&o.sp.note);
		fake_fuse(fuse, n, true);
		enum acc_rc rc = rd_open(&o.sp, &no_packs, &o.p);
		ck_assert_int_ne(rc, ACC_NONE);
		opened = !rc && !fuse->n_failed;
		if (!opened)
			rd_close(o.p);
		o.p = opened ? o.p : NULL;
	}
	fake_fuse_off(fuse);
	ck_assert_msg(opened, "never");
	end(&o);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("reader");
	TCase *tcase = tcase_create("refused");

	tcase_add_loop_test(tcase, test_refused, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_refused_alone, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_faults, 0, N_TARGETS);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
