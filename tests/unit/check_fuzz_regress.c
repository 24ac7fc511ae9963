/* SPDX-License-Identifier: BSD-3-Clause */
/* Every input in fuzz/seeds and fuzz/regress through the function that the fuzzers call, in the ordinary build. */
#include "../../fuzz/fuzz.h"
#include "../support/suite.h"

#include <check.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
	const char *name;
	int (*one)(const uint8_t *data, size_t n);
} targets[] = {
	{ "pack", fuzz_pack },   { "ompi", fuzz_ompi },     { "faces", fuzz_faces },   { "proctable", fuzz_proctable },
	{ "core", fuzz_core },   { "types", fuzz_types },   { "mpi2dd", fuzz_mpi2dd }, { "tracked", fuzz_tracked },
	{ "mpich", fuzz_mpich }, { "python", fuzz_python }, { "ucx", fuzz_ucx },       { "hosts", fuzz_hosts },
};
enum { N_TARGETS = sizeof(targets) / sizeof(targets[0]) };

/** Run one file. */
static void run_file(unsigned target, const char *path)
{
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s", path);
	struct stat st;
	ck_assert_int_eq(fstat(fileno(f), &st), 0);
	uint8_t *data = malloc(st.st_size ? (size_t)st.st_size : 1);
	ck_assert_ptr_nonnull(data);
	ck_assert_uint_eq(fread(data, 1, (size_t)st.st_size, f), (size_t)st.st_size);
	fclose(f);
	/* When it crashes, Check says where it was last: name the input. */
	printf("%s\n", path);
	fflush(stdout);
	ck_assert_int_eq(targets[target].one(data, (size_t)st.st_size), 0);
	free(data);
}

/** Run every file of a folder. @return how many; 0 when there is no such folder. */
static unsigned run_folder(unsigned target, const char *kind)
{
	char folder[256], path[1024];
	snprintf(folder, sizeof(folder), "fuzz/%s/%s", kind, targets[target].name);
	DIR *dir = opendir(folder);
	if (!dir)
		return 0;
	unsigned n = 0;
	for (struct dirent *e; (e = readdir(dir));) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		run_file(target, path);
		n++;
	}
	closedir(dir);
	return n;
}

START_TEST(test_empty)
{
	ck_assert_int_eq(targets[_i].one((const uint8_t *)"", 0), 0);
	ck_assert_int_eq(targets[_i].one((const uint8_t *)"\0", 1), 0);
}
END_TEST

START_TEST(test_seeds)
{
	ck_assert_msg(run_folder((unsigned)_i, "seeds") > 0, "no inputs in fuzz/seeds/%s", targets[_i].name);
}
END_TEST

START_TEST(test_regress)
{
	run_folder((unsigned)_i, "regress");
}
END_TEST

/* A folder of inputs that no target reads would be kept for nothing. */
START_TEST(test_folders)
{
	const char *kinds[] = { "fuzz/seeds", "fuzz/regress" };
	for (unsigned k = 0; k < 2; k++) {
		DIR *dir = opendir(kinds[k]);
		if (!dir)
			continue;
		for (struct dirent *e; (e = readdir(dir));) {
			bool known = e->d_name[0] == '.';
			for (unsigned i = 0; i < N_TARGETS; i++)
				known = known || !strcmp(e->d_name, targets[i].name);
			ck_assert_msg(known, "%s/%s: no such target", kinds[k], e->d_name);
		}
		closedir(dir);
	}
}
END_TEST

int main(void)
{
	if (access("fuzz/seeds", R_OK) != 0) {
		puts("fuzz/seeds: not here (run from the top folder of the source)");
		return 77;
	}
	Suite *s = suite_create("fuzz_regress");
	TCase *tc = tcase_create("inputs");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, test_empty, 0, N_TARGETS);
	tcase_add_loop_test(tc, test_seeds, 0, N_TARGETS);
	tcase_add_loop_test(tc, test_regress, 0, N_TARGETS);
	tcase_add_test(tc, test_folders);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
