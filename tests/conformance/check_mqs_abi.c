/* SPDX-License-Identifier: BSD-3-Clause */
/* include/mqs.h against the header of the interface that Open MPI installs. */
#include "../support/scratch.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char vendor[PATH_MAX];    /* its header */
static char flags[4 * PATH_MAX]; /* what it needs to be compiled */
static char here[PATH_MAX];      /* this folder */
static char scratch[SCRATCH_MAX];

static void run(const char *command)
{
	ck_assert_msg(system(command) == 0, "failed: %s", command);
}

/* Everything that a command prints. */
static char *output_of(const char *command)
{
	FILE *f = popen(command, "r");
	char *text = calloc(1, 1 << 20);

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(text);
	size_t n = fread(text, 1, (1 << 20) - 1, f);
	text[n] = '\0';
	ck_assert_msg(pclose(f) == 0, "failed: %s", command);
	return text;
}

/* The table as the compiler sees it behind a header. */
static char *table(const char *name, const char *header, int mpi2)
{
	char command[12 * PATH_MAX];

	snprintf(command, sizeof(command), "gcc -std=gnu11 -w -DABI_MPI2=%d %s -include %s -o %s/%s %s/mqs_abi.c", mpi2,
		 flags, header, scratch, name, here);
	run(command);
	snprintf(command, sizeof(command), "%s/%s", scratch, name);
	return output_of(command);
}

static size_t compare(char *theirs, char *ours)
{
	char *save_theirs, *save_ours;
	size_t n = 0;

	for (char *a = strtok_r(theirs, "\n", &save_theirs), *b = strtok_r(ours, "\n", &save_ours); a || b;
	     a = strtok_r(NULL, "\n", &save_theirs), b = strtok_r(NULL, "\n", &save_ours)) {
		ck_assert_msg(a && b && !strcmp(a, b), "vendor: %s\n  ours: %s", a ? a : "(end)", b ? b : "(end)");
		ck_assert_msg(!strstr(b, " differs"), "%s", b);
		n++;
	}
	free(theirs);
	free(ours);
	return n;
}

START_TEST(test_level_2)
{
	char header[2 * PATH_MAX];

	snprintf(header, sizeof(header), "%s/../../include/mqs.h", here);
	ck_assert_uint_gt(compare(table("vendor", vendor, 0), table("ours", header, 0)), 140);
}
END_TEST

/* The vendor's header has the MPI-2 functions under a macro that it defines as 0. */
START_TEST(test_mpi_2)
{
	char command[8 * PATH_MAX], mpi2[PATH_MAX], header[2 * PATH_MAX];

	snprintf(mpi2, sizeof(mpi2), "%s/mpi2.h", scratch);
	snprintf(command, sizeof(command),
		 "sed 's/#define FOR_MPI2 0/#define FOR_MPI2 1/' %s > %s && grep -q 'FOR_MPI2 1' %s", vendor, mpi2,
		 mpi2);
	run(command);
	snprintf(header, sizeof(header), "%s/../../include/mqs.h", here);
	ck_assert_uint_gt(compare(table("vendor", mpi2, 1), table("ours", header, 1)), 145);
}
END_TEST

/* The comparison can fail: a header with one value changed. */
START_TEST(test_difference_is_seen)
{
	char command[8 * PATH_MAX], changed[PATH_MAX];

	snprintf(changed, sizeof(changed), "%s/changed.h", scratch);
	snprintf(command, sizeof(command), "sed 's/err_posted,/err_posted = 999,/' %s/../../include/mqs.h > %s", here,
		 changed);
	run(command);

	char *theirs = table("vendor", vendor, 0), *ours = table("ours", changed, 0);
	ck_assert_str_ne(theirs, ours);
	free(theirs);
	free(ours);
}
END_TEST

static void make_folder(void)
{
	scratch_make(scratch, "abi");
}

static void remove_folder(void)
{
	scratch_remove(scratch);
}

static Suite *suite(void)
{
	Suite *s = suite_create("mqs_abi");
	TCase *tc = tcase_create("mqs_abi");

	tcase_set_timeout(tc, 60);
	tcase_add_unchecked_fixture(tc, make_folder, remove_folder);
	tcase_add_test(tc, test_level_2);
	tcase_add_test(tc, test_mpi_2);
	tcase_add_test(tc, test_difference_is_seen);
	suite_add_tcase(s, tc);
	return s;
}

/* Where Open MPI's own compiler wrapper looks for headers. */
static int find_vendor(void)
{
	char line[PATH_MAX] = "";
	FILE *f = popen("mpicc.openmpi --showme:incdirs 2>/dev/null", "r");

	if (!f)
		return 0;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	pclose(f);
	line[strcspn(line, "\n")] = '\0';
	for (char *save, *dir = strtok_r(line, " ", &save); dir; dir = strtok_r(NULL, " ", &save)) {
		snprintf(flags + strlen(flags), sizeof(flags) - strlen(flags), "-I%s -I%s/openmpi ", dir, dir);
		snprintf(vendor, sizeof(vendor), "%s/openmpi/ompi/debuggers/msgq_interface.h", dir);
		if (access(vendor, R_OK) == 0)
			return 1;
	}
	return 0;
}

int main(void)
{
	snprintf(here, sizeof(here), "%s", __FILE__);
	*strrchr(here, '/') = '\0';
	if (!find_vendor()) {
		puts("Open MPI's openmpi/ompi/debuggers/msgq_interface.h is not installed (libopenmpi-dev)");
		return 77;
	}

	SRunner *sr = srunner_create(suite());
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
