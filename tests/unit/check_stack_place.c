/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict/stack.c: the place of a thread in its program, also in programs without line numbers, or without names. */
#include "../../verdict/place.h"
#include "../../verdict/python.h"
#include "../../verdict/stack.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static const struct {
	bool in_mpi;
	const char *frames[10];
	const char *place;
} rows[] = {
	/* with lines */
	{ false,
	  { "clock_nanosleep", "sleep", "read_block at io.c:54", "main at a.c:9", "_start" },
	  "read_block at io.c:54" },
	{ true, { "poll", "MPI_Recv", "step at a.c:5", "main at a.c:9" }, "step at a.c:5" },
	/* not those of headers of the system, unless there is nothing else */
	{ false,
	  { "syscall", "tbb::wait at _task.h:197", "std::f::get at future:806", "solve at a.cc:7", "main at a.cc:9" },
	  "solve at a.cc:7" },
	{ true, { "poll", "MPI_Recv", "wrap::receive at _task.h:5", "solve at a.cc:7" }, "solve at a.cc:7" },
	{ true, { "poll", "MPI_Recv", "wrap::receive at both.h:5", "solve at a.cc:7" }, "wrap::receive at both.h:5" },
	{ false, { "syscall", "std::f::get at future:806", "start_thread" }, "std::f::get at future:806" },
	/* names only: the innermost that is neither the system's nor MPI's */
	{ false, { "clock_nanosleep", "nanosleep", "sleep", "read_block", "solve", "main", "_start" }, "read_block" },
	{ false, { "__read", "read_restart", "main" }, "read_restart" },
	{ false, { "GOMP_parallel", "main", "_start" }, "main" },
	{ true,
	  { "poll", "opal_progress", "MPI_Waitall", "fft_3d", "LAMMPS_NS::PPPM::poisson_ik()", "main" },
	  "fft_3d" },
	/* some names: those outside of unnamed functions */
	{ true, { "MPI_Waitall", "?? in nwchem+0x4711", "?? in nwchem+0x9", "ga_sync_", "main" }, "ga_sync_" },
	{ false, { "read", "?? in nwchem+0x4711", "ga_sync_", "main" }, "ga_sync_" },
	/* no names */
	{ true,
	  { "MPI_Waitall", "?? in pw.x+0x3f2a1c", "?? in pw.x+0x1", "__libc_start_main" },
	  "?? in pw.x+0x3f2a1c" },
	{ false, { "sleep", "?? in pw.x+0x3f2a1c", "main", "__libc_start_main" }, "?? in pw.x+0x3f2a1c" },
	{ false, { "poll", "?? in libevent.so.7", "event_base_loop", "start_thread", "clone3" }, NULL },
};

/* Of the lines above. */
static const char source_files
	[] = "[{\"path\":\"/usr/include/oneapi/tbb/_task.h\",\"system\":true},{\"path\":\"/usr/include/c++/12/future\","
	     "\"system\":true},{\"path\":\"/s/a.cc\"},{\"path\":\"/usr/include/both.h\",\"system\":true},{\"path\":\"/"
	     "s/both.h\"},"
	     "7,{\"path\":7}]";

START_TEST(test_place)
{
	json_t *backtrace = json_array(), *sources = json_loads(source_files, 0, NULL);

	for (size_t i = 0; i < sizeof(rows[0].frames) / sizeof(rows[0].frames[0]) && rows[_i].frames[i]; i++)
		json_array_append_new(backtrace, json_string(rows[_i].frames[i]));
	const char *place = vd_stack_place(backtrace, NULL, sources, rows[_i].in_mpi);
	ck_assert_msg(place && rows[_i].place ? !strcmp(place, rows[_i].place) : place == rows[_i].place, "%s", place);
	json_decref(backtrace);
	json_decref(sources);
}
END_TEST

/* In Python it is the innermost function outside Python's own
 * modules, and in a child of multiprocessing none of its parent. */
START_TEST(test_python)
{
	static const char
		own[] = "{\"function\":\"Condition.wait\",\"file\":\"/usr/lib/python3.11/threading.py\",\"line\":320},",
		solve[] = "{\"function\":\"solve\",\"file\":\"/s/threading.py\",\"line\":7}",
		begins[] = "{\"function\":\"BaseProcess._bootstrap\",\"file\":"
			   "\"/usr/lib/python3.11/multiprocessing/process.py\",\"line\":314},",
		import[] = "{\"function\":\"_find_and_load\",\"file\":\"<frozen importlib._bootstrap>\"},",
		old[] = "{\"function\":\"get\",\"file\":\"/usr/lib/python3.9/queue.py\",\"line\":170},",
		old_line[] = "\"sem_wait\",\"get at queue.py:170\",",
		installed[] = "{\"function\":\"solve\",\"file\":\"/usr/lib/python3.11/site-packages/threading.py\"}",
		wait_line[] = "\"sem_wait\",\"Condition.wait at threading.py:320\",",
		begin_line[] = "\"BaseProcess._bootstrap at process.py:314\",",
		solve_line[] = "\"solve at threading.py:7\"";
	static const struct {
		const char *lines[3], *functions[3], *place, *call;
	} stacks[] = {
		{ { wait_line, "", solve_line }, { own, "", solve }, "solve at threading.py:7", "Condition.wait" },
		{ { wait_line, "", solve_line }, { import, "", installed }, "solve at threading.py:7", "import" },
		{ { wait_line, begin_line, solve_line },
		  { own, begins, solve },
		  "Condition.wait at threading.py:320",
		  "Condition.wait" },
		{ { old_line, "", solve_line }, { old, "", solve }, "solve at threading.py:7", "get of queue.py" }
	};

	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
		char lines[1024], functions[1024];
		snprintf(lines, sizeof(lines), "[%s%s%s]", stacks[i].lines[0], stacks[i].lines[1], stacks[i].lines[2]);
		snprintf(functions, sizeof(functions), "[%s%s%s]", stacks[i].functions[0], stacks[i].functions[1],
			 stacks[i].functions[2]);
		json_t *backtrace = json_loads(lines, 0, NULL), *python = json_loads(functions, 0, NULL);
		ck_assert(backtrace && python);
		ck_assert_str_eq(vd_stack_place(backtrace, python, NULL, false), stacks[i].place);
		char call[VD_PYTHON_CALL_BYTES];
		ck_assert(vd_python_call(python, call));
		ck_assert_str_eq(call, stacks[i].call);
		json_decref(backtrace);
		json_decref(python);
	}
}
END_TEST

/* A thread with functions of the program is not one of a library, even if they have no names. */
START_TEST(test_helper)
{
	static const struct {
		const char *text;
		bool helper;
	} stacks[] = { { "[\"work\",\"main._omp_fn.0\",\"?? in libgomp.so.1\",\"start_thread\"]", false },
		       { "[\"pause\",\".omp_outlined._debug__\",\"?? in libomp.so.5\",\"start_thread\"]", false },
		       { "[\"?? in pw.x+0x3f2a1c\",\"?? in libgomp.so.1\",\"start_thread\"]", false },
		       { "[\"epoll_wait\",\"?? in libevent.so.7\",\"start_thread\"]", true } };

	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
		json_t *backtrace = json_loads(stacks[i].text, 0, NULL);
		ck_assert_int_eq(vd_stack_is_helper(backtrace), stacks[i].helper);
		json_decref(backtrace);
	}
}
END_TEST

/* A place is a function, a file and a line, as far as they are known. */
START_TEST(test_parts)
{
	static const struct {
		const char *text, *where, *words;
		int n_function, n_file;
		long line;
	} parts[] = { { "flux at physics.c:212", "physics.c:212", ", at physics.c:212 in flux", 4, 9, 212 },
		      { "ns::f(int) at a b.cc:7", "a b.cc:7", ", at a b.cc:7 in ns::f(int)", 10, 6, 7 },
		      { "f at a.c:", "a.c:", ", at a.c: in f", 1, 0, 0 },
		      { "f at a.c:7x", "a.c:7x", ", at a.c:7x in f", 1, 0, 0 },
		      { "f at a.c", "a.c", ", at a.c in f", 1, 0, 0 },
		      { "flux", NULL, ", in flux", 4, 0, 0 },
		      { NULL, NULL, "", 0, 0, 0 } };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct vd_place p = vd_place_of(parts[i].text);
		struct vd_text t = { .n = 0 };

		ck_assert_ptr_eq(p.function, parts[i].text);
		ck_assert_pstr_eq(p.where, parts[i].where);
		ck_assert_ptr_eq(p.file, p.n_file ? p.where : NULL);
		ck_assert_int_eq(p.n_function, parts[i].n_function);
		ck_assert_int_eq(p.n_file, parts[i].n_file);
		ck_assert_int_eq(p.line, parts[i].line);
		vd_append_at(&t, ", ", parts[i].text);
		ck_assert_str_eq(t.bytes, parts[i].words);
	}
	ck_assert(vd_place_same_function("f at a.c:7", "f at b.c:9") && vd_place_same_function("f", "f"));
	ck_assert(!vd_place_same_function("f at a.c:7", "fg at a.c:7") && !vd_place_same_function("f at a.c:7", "f"));
	ck_assert(vd_place_same_function(NULL, NULL) && !vd_place_same_function(NULL, "f"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("stack_place");
	TCase *tc = tcase_create("stacks");

	tcase_add_loop_test(tc, test_place, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tc, test_helper);
	tcase_add_test(tc, test_python);
	tcase_add_test(tc, test_parts);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
