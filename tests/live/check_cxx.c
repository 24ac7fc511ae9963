/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects of the C++ bindings: mpidbg_KIND_cxx2c() and the types of mpidbg_handle_info_t, asked as
 * a debugger asks them, against what tests/programs/cxx/kinds.cc says of itself, under both MPIs.
 */
#include "../../host/callbacks.h"
#include "../../host/host.h"
#include "../support/answers.h"
#include "../support/job.h"
#include "../support/suite.h"

#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_S = 180 };

static struct host_plugin plugin;

/* Every cxx2c with the arguments that it has; comm and request have one more. */
static int cxx2c(struct host_session *s, const char *kind, mqs_taddr_t object, mqs_taddr_t *ret)
{
	char name[64];
	int (*short_one)(mqs_image *, mqs_image_info *, mqs_process *, mqs_process_info *, mqs_taddr_t, mqs_taddr_t *);
	int (*long_one)(mqs_image *, mqs_image_info *, mqs_process *, mqs_process_info *, mqs_taddr_t, int,
			mqs_taddr_t *);

	snprintf(name, sizeof name, "mpidbg_%s_cxx2c", kind);
	void *function = dlsym(plugin.dl, name);
	ck_assert_msg(function != NULL, "%s", name);
	if (!strcmp(kind, "comm") || !strcmp(kind, "request")) {
		memcpy(&long_one, &function, sizeof function);
		return long_one(s->image, NULL, s->process, NULL, object, 0, ret);
	}
	memcpy(&short_one, &function, sizeof function);
	return short_one(s->image, NULL, s->process, NULL, object, ret);
}

/* @return true: the line names a class */
static bool check_object(struct host_session *s, const json_t *truth)
{
	const char *at = json_string_value(json_object_get(truth, "at"));
	const char *kind = json_string_value(json_object_get(truth, "kind"));
	const char *handle = json_string_value(json_object_get(json_object_get(truth, "is"), "handle"));
	mqs_taddr_t seen = 0;

	if (!at)
		return false;
	mqs_taddr_t object = strtoull(at, NULL, 16);
	ck_assert_msg(cxx2c(s, kind, object, &seen) == MPIDBG_SUCCESS, "%s %s", kind, at);
	/* a status has no handle: its data follows the pointer at the beginning of the C++ object */
	mqs_taddr_t expected = handle ? strtoull(handle, NULL, 16) : object + sizeof(void *);
	ck_assert_msg(seen == expected, "%s %s: 0x%llx, expected 0x%llx", kind, at, (unsigned long long)seen,
		      (unsigned long long)expected);
	return true;
}

/*
 * gcc describes a class only where its virtual functions are defined: for some MPICH classes that is its library,
 * which the distribution ships without debug information, so that nobody can tell how they look.
 */
static bool only_declared(enum answers_mpi mpi, const char *name)
{
	static const char *const names[] = { "MPI::Comm",     "MPI::Intracomm", "MPI::Intercomm",
					     "MPI::Datatype", "MPI::File",      "MPI::Win" };

	for (size_t i = 0; mpi == ANSWERS_MPICH && i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void check_types(struct host_session *s, enum answers_mpi mpi)
{
	struct mpidbg_handle_info_t types;

	memset(&types, 0, sizeof types);
	ck_assert_int_eq(plugin.mpidbg_init_per_image(s->image, host_image_callbacks(), &types), MPIDBG_SUCCESS);
	const struct {
		const mqs_type *type;
		const char *name;
		int64_t bytes; /* 0: whatever it is */
	} found[] = {
		{ types.hi_cxx_comm, "MPI::Comm", 16 },
		{ types.hi_cxx_intracomm, "MPI::Intracomm", 16 },
		{ types.hi_cxx_intercomm, "MPI::Intercomm", 16 },
		{ types.hi_cxx_graphcomm, "MPI::Graphcomm", 16 },
		{ types.hi_cxx_cartcomm, "MPI::Cartcomm", 16 },
		{ types.hi_cxx_datatype, "MPI::Datatype", 16 },
		{ types.hi_cxx_errhandler, "MPI::Errhandler", 16 },
		{ types.hi_cxx_file, "MPI::File", 16 },
		{ types.hi_cxx_group, "MPI::Group", 16 },
		{ types.hi_cxx_info, "MPI::Info", 16 },
		{ types.hi_cxx_op, "MPI::Op", 16 },
		{ types.hi_cxx_request, "MPI::Request", 16 },
		{ types.hi_cxx_prequest, "MPI::Prequest", 16 },
		{ types.hi_cxx_grequest, "MPI::Grequest", 16 },
		{ types.hi_cxx_status, "MPI::Status", 32 },
		{ types.hi_cxx_win, "MPI::Win", 16 },
		{ types.hi_cxx_aint, "MPI::Aint", 8 },
		{ types.hi_cxx_offset, "MPI::Offset", 8 },
		{ types.hi_c_comm, "MPI_Comm", 0 },
		{ types.hi_c_status, "MPI_Status", 0 },
	};
	for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
		if (!found[i].type && only_declared(mpi, found[i].name))
			continue;
		ck_assert_msg(found[i].type != NULL, "%s: not found", found[i].name);
		int64_t bytes = found[i].type->dwarf ? host_type_bytes(found[i].type->dwarf) : -1;
		ck_assert_msg(!found[i].bytes || bytes == found[i].bytes, "%s: %lld bytes", found[i].name,
			      (long long)bytes);
	}
	plugin.mpidbg_finalize_per_image(s->image, s->image->info); /* set-ups are counted */
}

START_TEST(test_cxx)
{
	struct host_session session = { 0 };
	struct host_target *target = NULL;
	struct host_error err = { 0 };
	struct answers t;
	unsigned n = 0;

	if (answers_lacks(_i, "programs-cxx/%s/kinds"))
		return;
	char path[4096];
	snprintf(path, sizeof path, "%s/libmpidbg.so", getenv("MPIDBG_BUILD"));
	ck_assert_msg(host_plugin_load(path, &plugin, &err) == HOST_OK, "%s", err.text);
	answers_start(&t, _i, "programs-cxx/%s/kinds", 2, NULL);
	/* once live, once from the core */
	for (int core = 0; core < 2; core++) {
		if (core)
			answers_core(&t);
		enum host_errc rc = core ? host_open_core(t.core, NULL, NULL, &target, &err)
					 : host_open_live(t.rank0, &target, &err);
		ck_assert_msg(rc == HOST_OK, "%s", err.text);
		rc = host_session_open(&plugin, target, NULL, &session, &err);
		ck_assert_msg(rc == HOST_OK, "%s", err.text);
		for (size_t i = 0; i < t.n; i++)
			n += check_object(&session, t.truths[i]);
		check_types(&session, _i);
		mqs_taddr_t handle = 77;
		ck_assert_int_eq(cxx2c(&session, "comm", 16, &handle), MPIDBG_ERR_UNAVAILABLE);
		ck_assert_int_eq(cxx2c(&session, "win", 0, &handle), MPIDBG_ERR_UNAVAILABLE);
		ck_assert_int_eq(cxx2c(&session, "file", UINT64_MAX - 4, &handle), MPIDBG_ERR_UNAVAILABLE);
		ck_assert_uint_eq(handle, 77);
		host_session_close(&session);
		host_close(target);
	}
	answers_stop(&t);
	host_plugin_unload(&plugin);
	ck_assert_uint_ge(n, 2 * 18);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("cxx");
	TCase *tcase = tcase_create("live");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_loop_test(tcase, test_cxx, 0, ANSWERS_MPIS);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
