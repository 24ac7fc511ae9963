/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/reader.c, readers/openmpi/open.c, world.c: which MPI, which layout, which state. */
#include "../support/fake_ompi.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct fake_ompi *make(int i)
{
	return fake_ompi_create(i & 1 ? 4 : 8, i & 2, 4, 1);
}

/* Open with these packs; on success close again. */
static enum acc_rc try_open(struct fake_ompi *m, const struct acc_pack *const *packs, size_t n, struct mdl_library *lib,
			    struct acc_witness_result *witnesses)
{
	struct rd_packs list = { packs, n };
	struct rd_process *p = NULL;

	acc_note_clear(&m->sp.note);
	enum acc_rc rc = rd_open(&m->sp, &list, &p);
	if (rc) {
		ck_assert_ptr_null(p);
		return rc;
	}
	*lib = *rd_library(p);
	*witnesses = *rd_witnesses(p);
	rd_close(p);
	return rc;
}

START_TEST(test_by_types)
{
	struct fake_ompi *m = make(_i);
	struct mdl_library lib;
	struct acc_witness_result w;

	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_OK);
	ck_assert_str_eq(lib.implementation, "Open MPI");
	ck_assert_str_eq(lib.version, "4.1.4");
	ck_assert_str_eq(lib.component, "ob1");
	ck_assert_int_eq(lib.state, MDL_INITIALIZED);
	ck_assert(lib.thread_multiple_known && !lib.thread_multiple);
	ck_assert_int_eq(lib.world_rank.value, 1);
	ck_assert_int_eq(lib.world_size.value, 4);
	ck_assert_int_eq(lib.job.value, FAKE_OMPI_JOB);
	ck_assert_ptr_nonnull(strstr(lib.layout, "debugger"));
	ck_assert_uint_eq(w.n_agree, 0);
	fake_ompi_destroy(m);
}
END_TEST

START_TEST(test_by_pack)
{
	struct fake_ompi *m = make(_i);
	struct mdl_library lib;
	struct acc_witness_result w;

	fake_answer_by(m->f, FAKE_BY_PACK);
	fake_witness_string(m->f, "ompi_version_string", "4.1.4");
	const struct acc_pack *pack = fake_pack(m->f, "openmpi", "4.1.4");
	ck_assert_int_eq(try_open(m, &pack, 1, &lib, &w), ACC_OK);
	ck_assert_uint_eq(w.n_agree, 1);
	ck_assert_ptr_nonnull(strstr(lib.layout, "pack openmpi 4.1.4"));
	ck_assert_ptr_null(strstr(lib.layout, "debugger"));
	fake_ompi_destroy(m);
}
END_TEST

/* A pack that disagrees is not used; the note says what Open MPI it is, which pack, which witness, what to do. */
START_TEST(test_witness_disagrees)
{
	struct fake_ompi *m = make(_i);
	struct mdl_library lib;
	struct acc_witness_result w;

	fake_answer_by(m->f, FAKE_BY_PACK);
	fake_witness_string(m->f, "ompi_version_string", "4.1.9");
	const struct acc_pack *pack = fake_pack(m->f, "openmpi", "4.1.9");
	ck_assert_int_eq(try_open(m, &pack, 1, &lib, &w), ACC_EWITNESS);
	ck_assert_ptr_nonnull(strstr(m->sp.note.text, "Open MPI 4.1.4"));
	ck_assert_ptr_nonnull(strstr(m->sp.note.text, "4.1.9 (fake)"));
	ck_assert_ptr_nonnull(strstr(m->sp.note.text, "ompi_version_string is"));
	ck_assert_ptr_nonnull(strstr(m->sp.note.text, "mpidbg doctor"));

	/* another configuration is named */
	fake_witness_u(m->f, "opal_object_t_class", 0, 1, 77);
	uint64_t class_addr = fake_alloc(m->f, 8, 8);
	fake_symbol(m->f, "opal_object_t_class", class_addr);
	fake_write_u(m->f, class_addr, 1, 78);
	pack = fake_pack(m->f, "openmpi", "4.1.9");
	ck_assert_int_eq(try_open(m, &pack, 1, &lib, &w), ACC_EWITNESS);
	ck_assert_ptr_nonnull(
		strstr(m->sp.note.text, "disagrees in 2 of 2 facts: it was configured with --enable-debug; run"));
	fake_write_u(m->f, class_addr, 1, 76);
	ck_assert_int_eq(try_open(m, &pack, 1, &lib, &w), ACC_EWITNESS);
	ck_assert_ptr_nonnull(
		strstr(m->sp.note.text, "disagrees in 2 of 2 facts: it was configured without --enable-debug; run"));

	/* and none at all, or only another MPI's */
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_EWITNESS);
	ck_assert_ptr_nonnull(strstr(m->sp.note.text, "mpidbg doctor"));
	fake_ompi_destroy(m);
}
END_TEST

START_TEST(test_other_implementation)
{
	struct fake_ompi *m = make(0);
	struct mdl_library lib;
	struct acc_witness_result w;

	fake_answer_by(m->f, FAKE_BY_PACK);
	fake_witness_string(m->f, "ompi_version_string", "4.1.4");
	const struct acc_pack *pack = fake_pack(m->f, "mpich", "4.1.4");
	ck_assert_int_eq(try_open(m, &pack, 1, &lib, &w), ACC_EWITNESS);
	fake_ompi_destroy(m);
}
END_TEST

/* Of several packs the first that agrees. */
START_TEST(test_several_packs)
{
	struct fake_ompi *m = make(0), *other = make(0), *wide = make(1);
	struct mdl_library lib;
	struct acc_witness_result w;

	fake_answer_by(m->f, FAKE_BY_PACK);
	fake_witness_string(wide->f, "ompi_version_string", "4.1.4");
	fake_witness_string(other->f, "ompi_version_string", "4.0.3");
	fake_witness_string(m->f, "ompi_version_string", "4.1.4");
	const struct acc_pack *packs[] = { fake_pack(wide->f, "openmpi", "4.1.4"),
					   fake_pack(other->f, "openmpi", "4.0.3"),
					   fake_pack(m->f, "openmpi", "4.1.4") };
	ck_assert_int_eq(try_open(m, packs, 3, &lib, &w), ACC_OK);
	ck_assert_uint_eq(w.n_agree, 1);
	fake_ompi_destroy(m);
	fake_ompi_destroy(other);
	fake_ompi_destroy(wide);
}
END_TEST

/* Rows that the debugger does not have come from the pack. */
START_TEST(test_types_and_pack)
{
	struct fake_ompi *m = make(_i);
	struct mdl_library lib;
	struct acc_witness_result w;

	fake_witness_string(m->f, "ompi_version_string", "4.1.4");
	const struct acc_pack *pack = fake_pack(m->f, "openmpi", "4.1.4");
	fake_hide_type(m->f, T_mca_pml_comm_t);
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_OK);
	ck_assert_ptr_null(strstr(lib.layout, "pack"));
	ck_assert_int_eq(try_open(m, &pack, 1, &lib, &w), ACC_OK);
	ck_assert_ptr_nonnull(strstr(lib.layout, "debugger"));
	ck_assert_ptr_nonnull(strstr(lib.layout, "pack openmpi 4.1.4"));
	fake_ompi_destroy(m);
}
END_TEST

/* Rows that no source has: the queues are unavailable, with a reason; the communicators are there. */
START_TEST(test_rows_missing)
{
	struct fake_ompi *m = make(_i);

	fake_hide_type(m->f, T_mca_pml_ob1_comm_proc_t);
	fake_hide_type(m->f, T_mca_pml_ob1_recv_frag_t);
	struct rd_process *p = fake_ompi_open(m);
	const char *why = NULL;
	ck_assert_int_eq(rd_ops_available(p, MDL_RECEIVES, &why), ACC_NONE);
	ck_assert_ptr_nonnull(strstr(why, "layout"));
	ck_assert_int_eq(rd_ops_available(p, MDL_UNEXPECTED, &why), ACC_NONE);
	ck_assert_int_eq(rd_ops_available(p, MDL_SENDS, &why), ACC_OK);
	ck_assert_uint_eq(fake_ompi_see(p, true).n_comms, 2);
	rd_close(p);

	fake_hide_field(m->f, F_ompi_communicator_t_c_my_rank); /* a needed one */
	struct mdl_library lib;
	struct acc_witness_result w;
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_EWITNESS);
	fake_ompi_destroy(m);
}
END_TEST

/* A pack of an earlier version has no rows for objects: their kinds are unavailable, and the reason says what to do. */
START_TEST(test_object_rows_missing)
{
	static const struct {
		unsigned type;
		enum mdl_handle_kind kind;
	} hidden[] = {
		{ T_ompi_win_t, MDL_WIN },
		{ T_ompi_op_t, MDL_OP },
		{ T_ompi_errhandler_t, MDL_ERRHANDLER },
		{ T_opal_info_entry_t, MDL_INFO },
	};
	struct fake_ompi *m = make(_i);
	struct rd_objects objects;

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		fake_hide_type(m->f, hidden[i].type);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_int_eq(rd_objects_open(p, &objects), ACC_OK);
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
		const char *why = objects.lacks(objects.state, hidden[i].kind);

		ck_assert(!objects.known(objects.state, hidden[i].kind));
		ck_assert_msg(why && strstr(why, "the layout pack has no rows") && strstr(why, "mpidbg layout make"),
			      "kind %d: %s", (int)hidden[i].kind, why ? why : "nothing is said");
	}
	ck_assert(objects.known(objects.state, MDL_COMM));
	ck_assert_ptr_null(objects.lacks(objects.state, MDL_COMM));
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* A datatype's name that its type has no room for is a pointer to it: told by types and by a pack. */
START_TEST(test_datatype_name)
{
	struct fake_ompi *m = make(_i & 3);
	struct fake *f = m->f;
	struct fake_field_at *field = &f->fields[F_ompi_datatype_t_name];
	uint64_t at = fake_field_addr(f, m->dt_int, F_ompi_datatype_t_name), bytes;
	struct rd_process *p = fake_ompi_open(m);
	char name[MDL_NAME_BYTES];

	ck_assert_int_eq(rd_datatype_get(p, m->dt_int, name, &bytes), ACC_OK);
	ck_assert_str_eq(name, "MPI_INT");
	rd_close(p);

	field->bytes = f->word_bytes;
	f->types[T_ompi_datatype_t].bytes = field->offset + f->word_bytes;
	fake_write_ptr(f, at, fake_string(f, "a name that is elsewhere"));
	if (_i & 4) {
		fake_answer_by(f, FAKE_BY_PACK);
		fake_witness_string(f, "ompi_version_string", "4.1.4");
	}
	const struct acc_pack *pack = fake_pack(f, "openmpi", "4.1.4");
	struct rd_packs packs = { &pack, 1 };
	ck_assert_int_eq(rd_open(&m->sp, &packs, &p), ACC_OK);
	ck_assert_int_eq(rd_datatype_get(p, m->dt_int, name, &bytes), ACC_OK);
	ck_assert_str_eq(name, "a name that is elsewhere");
	ck_assert_uint_eq(bytes, 4);
	fake_write_ptr(f, at, 0x10);
	ck_assert_int_eq(rd_update(p), ACC_OK);
	ck_assert_int_eq(rd_datatype_get(p, m->dt_int, name, &bytes), ACC_EREAD);
	fake_write_ptr(f, at, 0);
	ck_assert_int_eq(rd_datatype_get(p, m->dt_int, name, &bytes), ACC_OK);
	ck_assert_str_eq(name, "");
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

START_TEST(test_no_mpi)
{
	struct fake_ompi *m = make(_i);
	struct mdl_library lib;
	struct acc_witness_result w;

	fake_symbol_remove(m->f, "ompi_mpi_state");
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_NONE);
	fake_ompi_destroy(m);
}
END_TEST

static void set_state(struct fake_ompi *m, int state)
{
	uint64_t addr;

	ck_assert(fake_ops.symbol(m->f, "ompi_mpi_state", &addr));
	fake_write_u(m->f, addr, 4, (uint64_t)(int64_t)state);
}

START_TEST(test_states)
{
	static const enum mdl_library_state expected[] = { MDL_BEFORE_INIT, MDL_BEFORE_INIT, MDL_INITIALIZED,
							   MDL_FINALIZING,  MDL_FINALIZING,  MDL_FINALIZED };
	struct fake_ompi *m = make(_i);
	struct mdl_library lib;
	struct acc_witness_result w;

	for (int state = 0; state <= 5; state++) {
		set_state(m, state);
		ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_OK);
		ck_assert_int_eq(lib.state, expected[state]);
		ck_assert_int_eq(lib.world_rank.known, state >= 2 && state < 5 ? MDL_KNOWN : MDL_UNAVAILABLE);
		ck_assert_str_eq(lib.version, "4.1.4");
	}
	set_state(m, 6);
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_ECORRUPT);
	set_state(m, -1);
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_ECORRUPT);
	fake_ompi_destroy(m);
}
END_TEST

/* Before MPI_Init nothing but the state is read: the rest may be anything. */
START_TEST(test_before_init)
{
	struct fake_ompi *m = make(_i);
	struct rd_comm_iter it;
	struct rd_op_iter ops;
	struct mdl_comm comm;
	const char *why = NULL;

	set_state(m, 0);
	fake_write_ptr(m->f, m->slots, 0xdead);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_int_eq(rd_comm_first(p, true, &it), ACC_NONE);
	ck_assert_int_eq(rd_comm_get(p, m->world, &comm), ACC_NONE);
	for (int c = 0; c < MDL_N_CLASSES; c++) {
		ck_assert_int_eq(rd_ops_available(p, c, &why), ACC_NONE);
		ck_assert_ptr_nonnull(why);
		ck_assert_int_eq(rd_op_first(p, NULL, c, true, &ops), ACC_NONE);
	}

	/* It runs on, and is initialised at the next stop. */
	fake_write_ptr(m->f, m->slots, m->world);
	set_state(m, 2);
	ck_assert_int_eq(rd_update(p), ACC_OK);
	ck_assert_int_eq(rd_library(p)->state, MDL_INITIALIZED);
	ck_assert_uint_eq(fake_ompi_see(p, true).n_comms, 2);
	set_state(m, 5);
	ck_assert_int_eq(rd_update(p), ACC_OK);
	ck_assert_int_eq(rd_library(p)->state, MDL_FINALIZED);
	ck_assert_int_eq(rd_comm_first(p, true, &it), ACC_NONE);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* A layout that was sufficient before MPI_Init but not afterwards: nothing is read with it. */
START_TEST(test_update_fails)
{
	struct fake_ompi *m = make(_i);
	struct rd_comm_iter it;
	const char *why;
	uint64_t ob1 = m->ob1;

	fake_answer_by(m->f, FAKE_BY_PACK);
	fake_witness_string(m->f, "ompi_version_string", "4.1.4");
	fake_witness_u(m->f, "mca_pml_ob1", 0, 1, 77);
	const struct acc_pack *pack = fake_pack(m->f, "openmpi", "4.1.4");
	struct rd_packs packs = { &pack, 1 };
	struct rd_process *p = NULL;
	fake_symbol_remove(m->f, "mca_pml_ob1");
	set_state(m, 1);
	ck_assert_int_eq(rd_open(&m->sp, &packs, &p), ACC_OK);
	fake_symbol(m->f, "mca_pml_ob1", ob1);
	set_state(m, 2);
	for (int k = 0; k < 2; k++) {
		ck_assert_int_eq(rd_update(p), ACC_EWITNESS);
		ck_assert_int_eq(rd_library(p)->state, MDL_STATE_UNKNOWN);
		ck_assert_int_eq(rd_comm_first(p, true, &it), ACC_NONE);
		ck_assert_int_eq(rd_ops_available(p, MDL_SENDS, &why), ACC_NONE);
	}
	fake_write_u(m->f, ob1, 1, 77);
	ck_assert_int_eq(rd_update(p), ACC_OK);
	ck_assert_uint_eq(fake_ompi_see(p, true).n_comms, 2);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* MPI_COMM_WORLD that does not read back: the layout is not this library's. */
START_TEST(test_insane_world)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	struct mdl_library lib;
	struct acc_witness_result w;
	uint64_t group = fake_get_u(f, m->world, F_ompi_communicator_t_c_local_group);

	fake_put_i(f, m->world, F_ompi_communicator_t_c_contextid, 7);
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_EWITNESS);
	ck_assert_ptr_nonnull(strstr(m->sp.note.text, "MPI_COMM_WORLD"));
	fake_put_i(f, m->world, F_ompi_communicator_t_c_contextid, 0);
	fake_put_i(f, m->world, F_ompi_communicator_t_c_my_rank, 2);
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_EWITNESS);
	fake_put_i(f, m->world, F_ompi_communicator_t_c_my_rank, 1);
	fake_put_i(f, group, F_ompi_group_t_grp_proc_count, -1);
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_EWITNESS);
	fake_put_i(f, group, F_ompi_group_t_grp_proc_count, 1);
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_EWITNESS);
	fake_put_i(f, group, F_ompi_group_t_grp_proc_count, 4);
	fake_put_u(f, m->world, F_opal_object_t_obj_class, fake_ompi_class(m, "ompi_group_t"));
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_EWITNESS);
	fake_put_u(f, m->world, F_opal_object_t_obj_class, fake_ompi_class(m, "ompi_communicator_t"));
	fake_put_chars(f, m->world, F_ompi_communicator_t_c_name, "renamed by the program");
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_OK);
	fake_put_chars(f, m->world, F_ompi_communicator_t_c_name, "\x01\x02"); /* the program may call it anything */
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_OK);
	fake_ompi_destroy(m);
}
END_TEST

/* MPI_Finalize takes MPI_COMM_WORLD down before it has finished: no sign of another layout. */
START_TEST(test_finalizing)
{
	struct fake_ompi *m = make(_i);
	struct mdl_library lib;
	struct acc_witness_result w;

	fake_put_i(m->f, m->world, F_ompi_communicator_t_c_contextid, 7);
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_EWITNESS);
	set_state(m, 3);
	ck_assert_int_eq(try_open(m, NULL, 0, &lib, &w), ACC_OK);
	ck_assert_int_eq(lib.state, MDL_FINALIZING);
	ck_assert_int_eq(lib.world_rank.known, MDL_UNAVAILABLE);
	ck_assert_msg(strstr(lib.world_rank.why, "MPI_Finalize is in progress"), "%s", lib.world_rank.why);
	fake_ompi_destroy(m);
}
END_TEST

/* Which pml: decided by the object that it attaches to a communicator. */
START_TEST(test_pml)
{
	static const struct {
		const char *selected, *inner, *class_name, *component, *why;
	} rows[] = {
		{ "ob1", NULL, "mca_pml_ob1_comm_t", "ob1", NULL },
		{ "monitoring", "ob1", "mca_pml_ob1_comm_t", "ob1 (under monitoring)", NULL },
		{ "monitoring", NULL, "mca_pml_ob1_comm_t", "ob1 (under monitoring)", NULL },
		{ "v", NULL, "mca_pml_ob1_comm_t", "ob1 (under v)", NULL },
		{ "ucx", NULL, NULL, "ucx", "pml ucx" },
		{ "cm", NULL, NULL, "cm", "pml cm" },
		{ "monitoring", "ucx", NULL, "ucx (under monitoring)", "pml ucx" },
		{ "yours", NULL, NULL, "yours", "only the queues of pml ob1" },
		{ "ob1", NULL, "something else", "ob1", "not ob1's" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fake_ompi *m = make(_i);
		struct fake *f = m->f;
		uint64_t addr, pml = fake_get_u(f, m->world, F_ompi_communicator_t_c_pml_comm);
		const char *why = NULL;

		ck_assert(fake_ops.symbol(f, "mca_pml_base_selected_component", &addr));
		fake_put_chars(f, addr, F_mca_base_component_2_1_0_t_mca_component_name, rows[i].selected);
		if (rows[i].inner) {
			addr = fake_new(f, T_mca_base_component_2_1_0_t);
			fake_put_chars(f, addr, F_mca_base_component_2_1_0_t_mca_component_name, rows[i].inner);
			fake_symbol(f, "pml_selected_component", addr);
		}
		if (rows[i].class_name)
			fake_put_u(f, pml, F_opal_object_t_obj_class, fake_ompi_class(m, rows[i].class_name));
		else
			fake_put_u(f, m->world, F_ompi_communicator_t_c_pml_comm, 0);
		struct rd_process *p = fake_ompi_open(m);
		ck_assert_str_eq(rd_library(p)->component, rows[i].component);
		for (int c = 0; c < MDL_COLLECTIVES; c++) {
			ck_assert_int_eq(rd_ops_available(p, c, &why), rows[i].why ? ACC_NONE : ACC_OK);
			if (rows[i].why)
				ck_assert_ptr_nonnull(strstr(why, rows[i].why));
		}
		ck_assert_int_eq(rd_ops_available(p, MDL_COLLECTIVES, &why), ACC_OK);
		rd_close(p);
		fake_ompi_destroy(m);
	}
}
END_TEST

/* A core without the library's file: the version is in the components' data, the layout in the other witnesses. */
START_TEST(test_version_unreadable)
{
	struct fake_ompi *m = make(_i);
	struct mdl_library lib;
	struct acc_witness_result w;

	fake_answer_by(m->f, FAKE_BY_PACK);
	fake_witness_string(m->f, "ompi_version_string", "4.1.4");
	fake_witness_u(m->f, "mca_pml_ob1", 0, 1, 0);
	const struct acc_pack *pack = fake_pack(m->f, "openmpi", "4.1.4");
	fake_symbol(m->f, "ompi_version_string", 0x40);
	ck_assert_int_eq(try_open(m, &pack, 1, &lib, &w), ACC_OK);
	ck_assert_str_eq(lib.version, "4.1.4");

	/* the version decides between two packs whose other witnesses agree */
	struct acc_pack newer = *pack;
	struct acc_pack_witness texts[2];
	ck_assert_uint_eq(pack->n_witnesses, 2);
	memcpy(texts, pack->witnesses, sizeof(texts));
	for (size_t i = 0; i < 2; i++)
		if (texts[i].kind != ACC_WITNESS_UINT)
			texts[i].text = "4.1.5";
	newer.version = "4.1.5";
	newer.witnesses = texts;
	const struct acc_pack *both[] = { &newer, pack };
	ck_assert_int_eq(try_open(m, both, 2, &lib, &w), ACC_OK);
	ck_assert_ptr_nonnull(strstr(lib.layout, "pack openmpi 4.1.4"));
	ck_assert_int_eq(try_open(m, both, 1, &lib, &w), ACC_EWITNESS);
	ck_assert_ptr_nonnull(strstr(m->sp.note.text, "Open MPI 4.1.4: "));
	ck_assert_ptr_nonnull(strstr(m->sp.note.text, "its version is 4.1.4, the pack is for 4.1.5"));

	fake_symbol(m->f, "mca_pml_base_selected_component", 0x40);
	ck_assert_int_eq(try_open(m, &pack, 1, &lib, &w), ACC_OK);
	ck_assert_str_eq(lib.version, "");

	/* no witness agrees, none can be read */
	const struct acc_pack_witness only = { .kind = ACC_WITNESS_STRING,
					       .symbol = "ompi_version_string",
					       .text = "4.1.4" };
	struct acc_pack one = *pack;
	one.witnesses = &only;
	one.n_witnesses = 1;
	const struct acc_pack *ones = &one;
	ck_assert_int_eq(try_open(m, &ones, 1, &lib, &w), ACC_EWITNESS);

	/* and no layout either */
	fake_witness_u(m->f, "mca_pml_ob1", 1, 1, 1);
	pack = fake_pack(m->f, "openmpi", "4.1.4");
	ck_assert_int_eq(try_open(m, &pack, 1, &lib, &w), ACC_EWITNESS);
	ck_assert_ptr_nonnull(strstr(m->sp.note.text, "Open MPI: "));
	fake_ompi_destroy(m);
}
END_TEST

/* The Nth read, the Nth allocation fails: a code, and nothing is left behind. */
START_TEST(test_failures)
{
	struct fake_ompi *m = make(_i & 3);
	struct fake_fuse *fuse = _i & 4 ? &m->f->allocs : &m->f->reads;
	const struct acc_pack *pack;
	struct mdl_library lib;
	struct acc_witness_result w;

	fake_answer_by(m->f, FAKE_BY_PACK);
	fake_witness_string(m->f, "ompi_version_string", "4.1.4");
	pack = fake_pack(m->f, "openmpi", "4.1.4");
	for (int64_t n = 0;; n++) {
		size_t n_live = m->f->n_live;

		fake_fuse(fuse, n, _i & 8);
		enum acc_rc rc = try_open(m, &pack, 1, &lib, &w);
		uint64_t n_failed = fuse->n_failed;
		fake_fuse_off(fuse);
		ck_assert_uint_eq(m->f->n_live, n_live);
		if (!n_failed) {
			ck_assert_int_eq(rc, ACC_OK);
			break;
		}
		if (rc)
			ck_assert_msg(rc == ACC_ENOMEM || m->sp.note.text[0], "%s without a note", acc_rc_text(rc));
	}
	fake_ompi_destroy(m);
}
END_TEST

START_TEST(test_arguments)
{
	struct fake_ompi *m = make(0);
	struct rd_process *p = fake_ompi_open(m);
	struct rd_op_iter it;
	const char *why;

	ck_assert_int_eq(rd_open(NULL, NULL, &p), ACC_EINVAL);
	ck_assert_int_eq(rd_update(NULL), ACC_EINVAL);
	ck_assert_int_eq(rd_op_first(p, NULL, MDL_N_CLASSES, false, &it), ACC_EINVAL);
	ck_assert_int_eq(rd_op_first(p, NULL, MDL_SENDS, false, NULL), ACC_EINVAL);
	ck_assert_int_eq(rd_op_first(p, NULL, MDL_SENDS, false, &it), ACC_NONE);
	ck_assert_int_eq(rd_ops_available(p, -1, &why), ACC_EINVAL);
	ck_assert_int_eq(rd_comm_next(NULL, NULL), ACC_EINVAL);
	ck_assert_int_eq(rd_op_next(NULL, NULL), ACC_EINVAL);
	ck_assert_ptr_eq(rd_layout(p)->schema, &rd_ompi_schema);
	rd_close(NULL);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ompi_open");
	TCase *tc = tcase_create("open");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_by_types, 0, 4);
	tcase_add_loop_test(tc, test_by_pack, 0, 4);
	tcase_add_loop_test(tc, test_witness_disagrees, 0, 4);
	tcase_add_test(tc, test_other_implementation);
	tcase_add_test(tc, test_several_packs);
	tcase_add_loop_test(tc, test_types_and_pack, 0, 4);
	tcase_add_loop_test(tc, test_rows_missing, 0, 4);
	tcase_add_loop_test(tc, test_object_rows_missing, 0, 4);
	tcase_add_loop_test(tc, test_datatype_name, 0, 8);
	tcase_add_loop_test(tc, test_no_mpi, 0, 4);
	tcase_add_loop_test(tc, test_states, 0, 4);
	tcase_add_loop_test(tc, test_before_init, 0, 4);
	tcase_add_loop_test(tc, test_update_fails, 0, 4);
	tcase_add_loop_test(tc, test_insane_world, 0, 4);
	tcase_add_loop_test(tc, test_finalizing, 0, 4);
	tcase_add_loop_test(tc, test_pml, 0, 4);
	tcase_add_loop_test(tc, test_version_unreadable, 0, 4);
	tcase_add_loop_test(tc, test_failures, 0, 16);
	tcase_add_test(tc, test_arguments);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
