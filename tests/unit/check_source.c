/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict/source.c, verdict/load_source.c: the text of source
 * lines, of files that are there, have moved, changed, or are none. */
#include "../../verdict/loading.h"
#include "../../verdict/source.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char dir[SCRATCH_MAX], path[2 * SCRATCH_MAX];

static void begin(void)
{
	scratch_make(dir, "source");
}

static void end(void)
{
	scratch_remove(dir);
}

/* @return its path, valid until the next call */
static const char *file(const char *name, const char *text)
{
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	return path;
}

static bool read_it(const char *source, const char *place, int64_t built, const char *elsewhere, struct vd_source *ret)
{
	struct vd_job job = { .sources = vd_sources_create(elsewhere) };
	const struct vd_thread x = { .source = source, .place = place, .built = built };

	bool found = vd_source_read(&job, &x, ret);
	vd_sources_destroy(job.sources);
	return found;
}

START_TEST(test_lines)
{
	struct vd_source s;
	const char *a = file("a.c", "one\n\ttwo\tx\nthree\n4\n5\n6\n7\n8\n\x1b[31m9");

	ck_assert(read_it(a, "f at a.c:2", -1, NULL, &s));
	ck_assert_str_eq(s.path, a);
	ck_assert_int_eq(s.first, 1);
	ck_assert_uint_eq(s.n, 5);
	ck_assert_str_eq(s.lines[1], "        two     x");
	ck_assert(!s.newer);
	ck_assert(read_it(a, "f at a.c:9", time(NULL) + 100, NULL, &s) && !s.newer);
	ck_assert_uint_eq(s.n, 4);
	ck_assert(read_it(a, "f at a.c:9", 1000, NULL, &s) && s.newer);
	ck_assert(!read_it(a, "f at a.c:10", -1, NULL, &s));
	ck_assert(!read_it(a, "f", -1, NULL, &s));
	ck_assert(!read_it(a, "f at a.c:0", -1, NULL, &s));
	ck_assert(!read_it(a, "f at a.c:99999999999999999999", -1, NULL, &s));
	ck_assert(!read_it(NULL, "f at a.c:1", -1, NULL, &s));
	ck_assert(!read_it("a.c", "f at a.c:1", -1, NULL, &s));
}
END_TEST

START_TEST(test_moved)
{
	struct vd_source s;

	file("a.c", "top\n");
	ck_assert(read_it("/no/such/folder/src/a.c", "f at a.c:1", -1, dir, &s));
	ck_assert_str_eq(s.lines[0], "top");
	snprintf(path, sizeof(path), "%s/src", dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	file("src/a.c", "below\n");
	ck_assert(read_it("/no/such/folder/src/a.c", "f at a.c:1", -1, dir, &s));
	ck_assert_str_eq(s.lines[0], "below");
	ck_assert(!read_it("/no/such/folder/src/b.c", "f at b.c:1", -1, dir, &s));
	ck_assert(!read_it("../../a.c", "f at a.c:1", -1, path, &s));
}
END_TEST

/* What is no source file is not opened, what is no file is not waited for. */
START_TEST(test_other_files)
{
	struct vd_source s;
	char *line = calloc(1, 100001);

	ck_assert(!read_it(file("secret", "password\n"), "f at secret:1", -1, NULL, &s));
	ck_assert(!read_it(file("id_rsa.c.key", "password\n"), "f at id_rsa.c.key:1", -1, NULL, &s));
	snprintf(path, sizeof(path), "%s/fifo.c", dir);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert(!read_it(path, "f at fifo.c:1", -1, NULL, &s));
	ck_assert(!read_it(dir, "f at x.c:1", -1, NULL, &s));
	memset(line, 'x', 100000);
	ck_assert(read_it(file("long.F90", line), "f at long.F90:1", -1, NULL, &s));
	ck_assert_uint_eq(strlen(s.lines[0]), VD_SOURCE_BYTES - 1);
	free(line);
}
END_TEST

/* The process that reads may be held by its file system. */
START_TEST(test_no_answer)
{
	struct vd_job job = { .sources = vd_sources_create(NULL) };
	struct vd_source s;
	const struct vd_thread x = { .source = file("a.c", "one\n"), .place = "f at a.c:1" };
	char children[64];
	int pid = 0;

	ck_assert(vd_source_read(&job, &x, &s));
	snprintf(children, sizeof(children), "/proc/self/task/%d/children", (int)getpid());
	FILE *f = fopen(children, "r");
	if (f) {
		ck_assert_int_eq(fscanf(f, "%d", &pid), 1);
		fclose(f);
		ck_assert_int_eq(kill(pid, SIGSTOP), 0);
		time_t before = time(NULL);
		for (int i = 0; i < 100; i++)
			ck_assert(!vd_source_read(&job, &x, &s));
		ck_assert_int_lt(time(NULL) - before, 20);
	}
	vd_sources_destroy(job.sources);
	for (int i = 0; f && kill(pid, 0) == 0 && waitpid(pid, NULL, WNOHANG) == 0; i++) {
		ck_assert_int_lt(i, 1000);
		usleep(10000);
	}
	vd_sources_destroy(NULL);
}
END_TEST

static const struct {
	const char *place, *python, *sources, *source;
	int built;
} rows[] = {
	{ "f at a.c:3", "null", "[{\"path\":\"/s/a.c\",\"built\":7},{\"path\":\"/s/ba.c\"}]", "/s/a.c", 7 },
	{ "f at a.c:3", "null", "[{\"path\":\"/s/a.c\"}]", "/s/a.c", -1 },
	{ "f at a.c:3", "null", "[{\"path\":\"/s/a.c\"},{\"path\":\"/t/a.c\"}]", NULL, -1 },
	{ "f at a.c:3", "null", "[7,{\"path\":7},{\"built\":1}]", NULL, -1 },
	{ "f at a.c:3", "null", "7", NULL, -1 },
	{ "f", "null", "[{\"path\":\"/s/f\"}]", NULL, -1 },
	{ "get at q.py:3", "[{\"function\":\"get\",\"file\":\"/p/q.py\",\"line\":3}]", "[]", "/p/q.py", -1 },
	{ "put at q.py:3", "[{\"function\":\"get\",\"file\":\"/p/q.py\",\"line\":3}]", "[]", NULL, -1 },
};

START_TEST(test_load)
{
	struct vd_job job = { .n_ranks = 0 };
	char text[400];

	snprintf(text, sizeof(text), "{\"python\":%s,\"sources\":%s}", rows[_i].python, rows[_i].sources);
	json_t *both = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(both);
	struct vd_thread t = { .place = rows[_i].place };
	vd_load_source(&job, &t, both, both);
	ck_assert_msg(t.source && rows[_i].source ? !strcmp(t.source, rows[_i].source) : t.source == rows[_i].source,
		      "%s", t.source);
	if (t.source)
		ck_assert_int_eq(t.built, rows[_i].built);
	vd_job_deinit(&job);
	json_decref(both);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source");
	TCase *tc = tcase_create("lines");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, test_lines);
	tcase_add_test(tc, test_moved);
	tcase_add_test(tc, test_other_files);
	tcase_add_test(tc, test_no_answer);
	tcase_add_loop_test(tc, test_load, 0, sizeof(rows) / sizeof(rows[0]));
	suite_add_tcase(s, tc);
	return suite_run(s);
}
