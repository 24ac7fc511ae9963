/* SPDX-License-Identifier: BSD-3-Clause */
/* access/pack_find.c: which packs there are, of the compiled-in ones and files. */
#include "../../access/pack_find.h"
#include "../support/demo.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[SCRATCH_MAX];
static struct fake *f;
static struct acc_pack_alloc alloc;
static struct acc_note note;
static struct acc_pack_list list;
static size_t n_always; /* the compiled-in packs, and those that are installed on this machine */

static void setup(void)
{
	scratch_make(folder, "packs");
	f = fake_create(8, false, NULL);
	alloc = (struct acc_pack_alloc){ .alloc = fake_ops.alloc, .release = fake_ops.release, .ctx = f };
	unsetenv("MPIDBG_LAYOUTS");
	ck_assert_int_eq(acc_pack_list_load(&alloc, &note, &list), ACC_OK);
	n_always = list.n;
	acc_pack_list_destroy(&alloc, &list);
	setenv("MPIDBG_LAYOUTS", folder, 1);
}

static void teardown(void)
{
	acc_pack_list_destroy(&alloc, &list);
	fake_destroy(f);
	scratch_remove(folder);
}

static void write_file(const char *name, const char *text, size_t n)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/%s", folder, name);

	FILE *out = fopen(path, "w");
	ck_assert_msg(out, "%s", path);
	ck_assert_uint_eq(fwrite(text, 1, n, out), n);
	ck_assert_int_eq(fclose(out), 0);
}

static void write_pack(const char *name, const char *version)
{
	char text[200];
	int n = snprintf(text, sizeof(text),
			 "mpidbg-layout 1\nversion %s\nword-bytes 8\nbyte-order little\n"
			 "witness uint a_t_class 56 8 32\n",
			 version);

	write_file(name, text, n);
}

static enum acc_rc load(void)
{
	acc_pack_list_destroy(&alloc, &list);
	acc_note_clear(&note);
	return acc_pack_list_load(&alloc, &note, &list);
}

/* The version of the pack from that file of the folder, or NULL. */
static const char *version_of(const char *name)
{
	for (size_t i = 0; i < list.n; i++) {
		const char *slash = strrchr(list.files[i], '/');

		if (slash && !strcmp(slash + 1, name))
			return list.packs[i]->version;
	}
	return NULL;
}

START_TEST(test_no_files)
{
	ck_assert_int_eq(load(), ACC_OK);
	ck_assert_uint_eq(list.n, n_always);
	ck_assert_uint_eq(list.n_skipped, 0);
	ck_assert_int_eq(note.rc, ACC_OK);
	for (const struct acc_pack_builtin *b = acc_pack_builtins; b->file; b++) {
		size_t i = 0;

		while (i < list.n && !strstr(list.files[i], b->file))
			i++;
		ck_assert_msg(i < list.n, "%s is not in the list", b->file);
		ck_assert(list.files[i][0] == '/' || !strncmp(list.files[i], "builtin:", 8));
	}
	setenv("MPIDBG_LAYOUTS", "", 1);
	ck_assert_int_eq(load(), ACC_OK);
	setenv("MPIDBG_LAYOUTS", ":::/nowhere::", 1);
	ck_assert_int_eq(load(), ACC_OK);
	unsetenv("MPIDBG_LAYOUTS");
	ck_assert_int_eq(load(), ACC_OK);
	ck_assert_uint_eq(list.n, n_always);
	acc_pack_list_destroy(&alloc, NULL);
}
END_TEST

START_TEST(test_files)
{
	char path[2 * sizeof(folder) + 10];

	write_pack("b.layout", "b");
	write_pack("a.layout", "a");
	write_pack("a.txt", "txt");
	write_pack("layout", "no suffix");
	write_pack(".layout", "only a suffix");
	ck_assert_int_eq(load(), ACC_OK);
	ck_assert_uint_eq(list.n, n_always + 2);
	ck_assert_str_eq(list.packs[0]->version, "a");
	ck_assert_str_eq(list.packs[1]->version, "b");
	snprintf(path, sizeof(path), "%s/a.layout", folder);
	ck_assert_str_eq(list.files[0], path);
	ck_assert_uint_eq(list.n_skipped, 0);

	/* The same folder twice: the same files. */
	snprintf(path, sizeof(path), "%s:%s", folder, folder);
	setenv("MPIDBG_LAYOUTS", path, 1);
	ck_assert_int_eq(load(), ACC_OK);
	ck_assert_uint_eq(list.n, n_always + 2);
}
END_TEST

START_TEST(test_a_file_replaces_a_builtin)
{
	if (!acc_pack_builtins[0].file)
		return;

	const char *name = acc_pack_builtins[0].file;
	write_pack(name, "mine");
	ck_assert_int_eq(load(), ACC_OK);
	ck_assert_uint_eq(list.n, n_always);
	ck_assert_str_eq(version_of(name), "mine");

	/* A damaged file does not. */
	write_file(name, "mpidbg-layout 1\n", 16);
	ck_assert_int_eq(load(), ACC_OK);
	ck_assert_uint_eq(list.n, n_always);
	ck_assert_uint_eq(list.n_skipped, 1);
	ck_assert(!version_of(name) || strcmp(version_of(name), "mine"));
}
END_TEST

START_TEST(test_bad_files)
{
	char *huge = calloc(1, ACC_PACK_BYTES_MAX + 1), path[PATH_MAX];

	ck_assert_ptr_nonnull(huge);
	memset(huge, '\n', ACC_PACK_BYTES_MAX + 1);
	write_pack("good.layout", "good");
	write_file("bad.layout", "mpidbg-layout 1\ncolour red\n", 27);
	ck_assert_int_eq(load(), ACC_OK);
	ck_assert_uint_eq(list.n_skipped, 1);
	ck_assert_int_eq(note.rc, ACC_ECORRUPT);
	snprintf(path, sizeof(path), "%s/bad.layout: line 2: unknown keyword", folder);
	ck_assert_str_eq(note.text, path);

	write_file("empty.layout", "", 0);
	write_file("huge.layout", huge, ACC_PACK_BYTES_MAX + 1);
	snprintf(path, sizeof(path), "%s/folder.layout", folder);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/fifo.layout", folder);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/link.layout", folder);
	ck_assert_int_eq(symlink("/nowhere/at/all", path), 0);
	ck_assert_int_eq(load(), ACC_OK);
	ck_assert_uint_eq(list.n, n_always + 1);
	ck_assert_str_eq(version_of("good.layout"), "good");
	ck_assert_uint_eq(list.n_skipped, 6);
	free(huge);
}
END_TEST

START_TEST(test_many_files)
{
	char name[32];

	for (int i = 0; i < ACC_PACK_FILES_MAX + 5; i++) {
		snprintf(name, sizeof(name), "%03d.layout", (i * 37) % (ACC_PACK_FILES_MAX + 5));
		write_pack(name, name);
	}
	ck_assert_int_eq(load(), ACC_OK);
	ck_assert_uint_eq(list.n, n_always + ACC_PACK_FILES_MAX);
	ck_assert_int_eq(note.rc, ACC_ELIMIT);
	ck_assert_uint_eq(list.n_skipped, 5);
	for (int i = 0; i < ACC_PACK_FILES_MAX; i++) {
		snprintf(name, sizeof(name), "%03d.layout", i);
		ck_assert_str_eq(list.packs[i]->version, name);
	}
}
END_TEST

/* The limit is for all folders together. */
START_TEST(test_many_folders)
{
	char first[sizeof(folder)], both[2 * sizeof(folder) + 16], name[32];

	for (int i = 0; i < ACC_PACK_FILES_MAX - 1; i++) {
		snprintf(name, sizeof(name), "%03d.layout", i);
		write_pack(name, "first");
	}
	memcpy(first, folder, sizeof(first));
	snprintf(folder, sizeof(folder), "%.*s/more", (int)sizeof(folder) - 10, first);
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	write_pack("001.layout", "hidden by the first");
	write_pack("x.layout", "x");
	write_pack("y.layout", "y");
	snprintf(both, sizeof(both), "%s:%s", first, folder);
	memcpy(folder, first, sizeof(folder));
	setenv("MPIDBG_LAYOUTS", both, 1);
	ck_assert_int_eq(load(), ACC_OK);
	ck_assert_uint_eq(list.n, n_always + ACC_PACK_FILES_MAX);
	ck_assert_str_eq(version_of("001.layout"), "first");
	ck_assert_str_eq(version_of("x.layout"), "x");
	ck_assert_ptr_null(version_of("y.layout"));
	ck_assert_int_eq(note.rc, ACC_ELIMIT);
	ck_assert_uint_eq(list.n_skipped, 1);
}
END_TEST

/* Nothing could contradict such a pack. */
START_TEST(test_no_witness)
{
	static const char text[] = "mpidbg-layout 1\nversion 1.0\nword-bytes 8\nbyte-order little\ntype a_t 8\n";

	write_file("none.layout", text, sizeof(text) - 1);
	write_pack("some.layout", "some");
	ck_assert_int_eq(load(), ACC_OK);
	ck_assert_uint_eq(list.n, n_always + 1);
	ck_assert_str_eq(list.packs[0]->version, "some");
	ck_assert_uint_eq(list.n_skipped, 1);
	ck_assert_int_eq(note.rc, ACC_EWITNESS);
	ck_assert_ptr_nonnull(strstr(note.text, "none.layout: it has no witness"));
}
END_TEST

START_TEST(test_long_names)
{
	char name[NAME_MAX + 1], path[5000];

	memset(name, 'n', NAME_MAX);
	memcpy(name + NAME_MAX - 7, ".layout", 8);
	write_pack(name, "long");
	ck_assert_int_eq(load(), ACC_OK);
	ck_assert_str_eq(list.packs[0]->version, "long");
	ck_assert_uint_eq(strlen(list.files[0]), ACC_PACK_ORIGIN_BYTES - 1);

	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	setenv("MPIDBG_LAYOUTS", path, 1);
	ck_assert_int_eq(load(), ACC_OK);
	ck_assert_int_eq(note.rc, ACC_ELIMIT);
}
END_TEST

START_TEST(test_every_allocation_fails_once)
{
	struct acc_pack_list untouched = { .n = 12345 };
	int64_t fuse = 0;

	write_pack("a.layout", "a");
	write_pack("b.layout", "b");
	for (;; fuse++) {
		fake_fuse(&f->allocs, fuse, _i);
		acc_note_clear(&note);

		struct acc_pack_list got = untouched;
		enum acc_rc rc = acc_pack_list_load(&alloc, &note, &got);
		if (!f->allocs.n_failed) {
			ck_assert_int_eq(rc, ACC_OK);
			acc_pack_list_destroy(&alloc, &got);
			break;
		}
		ck_assert_int_eq(rc, ACC_ENOMEM);
		ck_assert_int_eq(note.rc, ACC_ENOMEM);
		ck_assert_uint_eq(got.n, 12345);
		ck_assert_uint_eq(f->n_live, 0);
	}
	ck_assert_int_eq(fuse, 7); /* the packs that are compiled in need none */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pack_find");
	TCase *tc = tcase_create("pack_find");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_no_files);
	tcase_add_test(tc, test_files);
	tcase_add_test(tc, test_a_file_replaces_a_builtin);
	tcase_add_test(tc, test_bad_files);
	tcase_add_test(tc, test_many_files);
	tcase_add_test(tc, test_many_folders);
	tcase_add_test(tc, test_no_witness);
	tcase_add_test(tc, test_long_names);
	tcase_add_loop_test(tc, test_every_allocation_fails_once, 0, 2);
	suite_add_tcase(suite, tc);

	return suite_run(suite);
}
