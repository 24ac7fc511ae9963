/* SPDX-License-Identifier: BSD-3-Clause */
/* `mpidbg layout`: packs listed, compared with files, and made from debug information. */
#include "../../access/pack.h"
#include "../support/mpidbg_run.h"
#include "../support/packs.h"
#include "../support/scratch.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* `mpidbg layout ...` */
#define run_layout(ret, ...) mpidbg_run(ret, "layout", __VA_ARGS__, (char *)NULL)

static char folder[SCRATCH_MAX];

/* A type of a "library" with its class object, in the form of Open MPI. */
static const char
	library_text[] = "typedef struct { char *cls_name; long spare; unsigned long cls_sizeof; } opal_class_t;\n"
			 "typedef struct { int first; char rest[12]; long last; } thing_t;\n"
			 "opal_class_t thing_t_class = { 0, 0, sizeof(thing_t) };\n"
			 "const char version_text[] = \"1.2.3\";\n"
			 "thing_t thing;\n";

static const char rows_text[] = "# a comment\n"
				"implementation sample\n"
				"version 1.2.3\n"
				"system nowhere\n"
				"made-by a test\n"
				"\n"
				"witness string version_text 1.2.3\n"
				"class thing_t_class thing_t\n"
				"field thing_t rest\n"
				"field thing_t first\n"
				"field thing_t first\n"
				"no-field thing_t gone\n"
				"no-type gone_t\n"
				"type gone_t\n"
				"field gone_t first\n"
				"other-field opal_class_t spare\n"
				"field opal_class_t spare\n"
				"field thing_t gone\n"
				"type thing_t\n"
				"field thing_t last\n";

static const char pack_text[] = "mpidbg-layout 1\n"
				"implementation sample\n"
				"version 1.2.3\n"
				"system nowhere\n"
				"word-bytes 8\n"
				"byte-order little\n"
				"made-by a test\n"
				"type thing_t 24\n"
				"field thing_t first 0 4\n"
				"field thing_t last 16 8\n"
				"field thing_t rest 4 12\n"
				"witness string version_text 1.2.3\n"
				"witness uint thing_t_class 16 8 24\n";

static const char *in_folder(const char *name)
{
	static char paths[8][PATH_MAX + 64];
	static unsigned next;
	char *path = paths[next++ % 8];
	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static void write_text(const char *name, const char *text)
{
	FILE *f = fopen(in_folder(name), "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

static char *read_text(const char *path)
{
	static char text[1 << 16];
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	return text;
}

static void set_up(void)
{
	scratch_make(folder, "layout");
	setenv("MPIDBG_LAYOUTS", folder, 1);
	write_text("library.c", library_text);
	write_text("rows", rows_text);
	write_text("sample.pack", pack_text);
	shell_run("cd '%s' && gcc -g -shared -fPIC -o library.so library.c && gcc -g -c -o probe.o library.c && "
		  "strip -o stripped.so library.so",
		  folder);
}

static void tear_down(void)
{
	scratch_remove(folder);
}

/* ---- make ------------------------------------------------------------------------------------------ */

START_TEST(test_make)
{
	struct mpidbg_run run;
	run_layout(&run, "make", "--rows", in_folder("rows"), in_folder("probe.o"));
	ck_assert_str_eq(run.err, "");
	ck_assert_str_eq(run.out, pack_text);
	ck_assert_int_eq(run.exit_code, 0);
	mpidbg_run_free(&run);
	/* a second time, from a library instead of an object, into a file: the same bytes */
	run_layout(&run, "make", "-o", in_folder("again"), "-r", in_folder("rows"), in_folder("library.so"));
	ck_assert_str_eq(run.out, "");
	ck_assert_int_eq(run.exit_code, 0);
	ck_assert_str_eq(read_text(in_folder("again")), pack_text);
	mpidbg_run_free(&run);
}
END_TEST

/* The pack is made as far as possible; missing parts are reported, and the exit code shows it. */
START_TEST(test_make_missing)
{
	struct mpidbg_run run;
	write_text("more", "field thing_t no_member\ntype no_type\nno-field thing_t last\nno-type "
			   "opal_class_t\nother-field thing_t none\n");
	run_layout(&run, "make", "--rows", in_folder("rows"), "--rows", in_folder("more"), in_folder("probe.o"));
	ck_assert_int_eq(run.exit_code, 3);
	ck_assert_ptr_nonnull(strstr(run.err, "more: line 1: thing_t.no_member: the type has no such member\n"));
	ck_assert_ptr_nonnull(strstr(run.err, "more: line 2: no_type: no probe defines this type\n"));
	ck_assert_ptr_nonnull(strstr(run.err, "more: line 3: thing_t.last: the type has this member\n"));
	ck_assert_ptr_nonnull(strstr(run.err, "more: line 4: opal_class_t: a probe defines this type\n"));
	ck_assert_ptr_nonnull(strstr(run.err, "more: line 5: thing_t.none: the type has no such member\n"));
	ck_assert_ptr_nonnull(strstr(run.err, "5 rows do not fit the probes\n"));
	ck_assert_str_eq(run.out, pack_text);
	mpidbg_run_free(&run);
}
END_TEST

/* Optional rows: left out where the library has no such thing, or something else of that name. */
START_TEST(test_make_optional)
{
	struct mpidbg_run run;
	write_text("more", "optional-type gone_too_t\noptional-field gone_too_t x\noptional-field thing_t lost\n"
			   "optional-field thing_t last 4\noptional-type thing_t\noptional-field thing_t first 4\n"
			   "optional-field thing_t rest\n");
	run_layout(&run, "make", "--rows", in_folder("rows"), "--rows", in_folder("more"), in_folder("probe.o"));
	ck_assert_str_eq(run.err, "");
	ck_assert_str_eq(run.out, pack_text);
	mpidbg_run_free(&run);
	write_text("only", "optional-field thing_t last 8\noptional-type thing_t\n");
	run_layout(&run, "make", "--rows", in_folder("only"), in_folder("probe.o"));
	ck_assert_ptr_nonnull(strstr(run.out, "type thing_t 24\nfield thing_t last 16 8\n"));
	mpidbg_run_free(&run);
}
END_TEST

static const struct {
	const char *rows; /* NULL: no --rows */
	const char *probe;
	int exit_code;
	const char *words;
} bad[] = {
	{ "type a b\n", "probe.o", 2, "rows: line 1: \"type\" needs one name" },
	{ "\nfield a\n", "probe.o", 2, "rows: line 2: \"field\" needs two names" },
	{ "struct a\n", "probe.o", 2, "\"struct\" is no row" },
	{ "optional-field a b 0\n", "probe.o", 2, "has a size that is none" },
	{ "optional-field a b 4x\n", "probe.o", 2, "has a size that is none" },
	{ "optional-class a b\n", "probe.o", 2, "is no row" },
	{ NULL, "probe.o", 2, "make needs --source, or --rows and a probe" },
	{ "type thing_t\n", NULL, 2, "make needs --source, or --rows and a probe" },
	{ "type thing_t\n", "no.o", 1, "no.o: No such file or directory" },
	{ "type thing_t\n", "stripped.so", 1, "has no debug information: was it compiled with -g?" },
	{ "type thing_t\n", "rows", 3, "is not an ELF file" },
};

START_TEST(test_make_bad)
{
	struct mpidbg_run run;
	const char *probe = bad[_i].probe ? in_folder(bad[_i].probe) : NULL;
	if (bad[_i].rows) {
		write_text("rows", bad[_i].rows);
		run_layout(&run, "make", "--rows", in_folder("rows"), probe);
	} else
		run_layout(&run, "make", probe);
	ck_assert_msg(strstr(run.err, bad[_i].words) != NULL, "%s", run.err);
	ck_assert_str_eq(run.out, "");
	ck_assert_int_eq(run.exit_code, bad[_i].exit_code);
	mpidbg_run_free(&run);
}
END_TEST

/* ---- check ----------------------------------------------------------------------------------------- */

START_TEST(test_check)
{
	struct mpidbg_run run;
	run_layout(&run, "check", in_folder("sample.pack"), in_folder("probe.o"), in_folder("library.so"),
		   in_folder("stripped.so"));
	ck_assert_str_eq(run.err, "");
	ck_assert_int_eq(run.exit_code, 0);
	ck_assert_ptr_nonnull(
		strstr(run.out, "sample 1.2.3, nowhere, 64-bit little-endian: 1 types, 3 fields, 2 witnesses\n"));
	ck_assert_ptr_nonnull(strstr(run.out, "probe.o: 1 types, 3 fields and 0 witnesses agree, 0 disagree\n"));
	ck_assert_ptr_nonnull(strstr(run.out, "library.so: 1 types, 3 fields and 2 witnesses agree, 0 disagree\n"));
	ck_assert_ptr_nonnull(strstr(run.out, "stripped.so: 2 witnesses agree, 0 disagree; no debug information\n"));
	mpidbg_run_free(&run);
}
END_TEST

/* Each kind of line, wrong. */
static const struct {
	const char *right, *wrong, *words;
	const char *file;
} wrongs[] = {
	{ "type thing_t 24", "type thing_t 32", "type thing_t: 24 bytes in the file, 32 in the pack", "probe.o" },
	{ "last 16 8", "last 12 8", "field thing_t.last: 8 bytes at 16 in the file, 8 bytes at 12 in the pack",
	  "probe.o" },
	{ "rest 4 12", "rest 4 8", "field thing_t.rest: 12 bytes at 4 in the file, 8 bytes at 4 in the pack",
	  "probe.o" },
	{ "thing_t last", "thing_t lost", "field thing_t.lost: the file has no such member", "probe.o" },
	{ "8 24\n", "8 23\n", "witness thing_t_class+16: 24 in the file, 23 in the pack", "stripped.so" },
	{ "text 1.2.3", "text 1.2.4", "witness version_text: is not \"1.2.4\" in the file", "stripped.so" },
	{ "text 1.2.3", "text 1.2", "witness version_text: is not \"1.2\" in the file", "stripped.so" },
	{ "thing_t_class 16", "thing_t_class 1000000", "witness thing_t_class: its bytes are not in the file",
	  "stripped.so" },
	{ "byte-order little", "byte-order big", "64-bit little-endian in the file, 64-bit big-endian in the pack",
	  "stripped.so" },
};

START_TEST(test_check_disagrees)
{
	struct mpidbg_run run;
	char text[sizeof(pack_text) + 64];
	const char *at = strstr(pack_text, wrongs[_i].right);
	ck_assert_ptr_nonnull(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - pack_text), pack_text, wrongs[_i].wrong,
		 at + strlen(wrongs[_i].right));
	write_text("wrong.pack", text);
	run_layout(&run, "check", in_folder("wrong.pack"), in_folder(wrongs[_i].file));
	ck_assert_msg(strstr(run.out, wrongs[_i].words) != NULL, "%s%s", run.out, run.err);
	ck_assert_ptr_nonnull(strstr(run.err, "disagrees with the pack in 1 places"));
	ck_assert_int_eq(run.exit_code, 3);
	mpidbg_run_free(&run);
	run_layout(&run, "check", "--json", in_folder("wrong.pack"), in_folder(wrongs[_i].file));
	ck_assert_int_eq(run.exit_code, 3);
	json_t *o = mpidbg_run_json(&run), *file = json_array_get(json_object_get(o, "files"), 0);
	ck_assert_uint_eq(json_array_size(json_object_get(file, "disagreements")), 1);
	json_decref(o);
	mpidbg_run_free(&run);
}
END_TEST

START_TEST(test_check_bad)
{
	struct mpidbg_run run;
	write_text("no.pack", "mpidbg-layout 1\nimplementation x\nword-bytes 8\nbyte-order little\ntype x\n");
	run_layout(&run, "check", in_folder("no.pack"));
	ck_assert_int_eq(run.exit_code, 3);
	ck_assert_ptr_nonnull(strstr(run.err, "no.pack: line 5"));
	mpidbg_run_free(&run);
	run_layout(&run, "check", in_folder("missing.pack"));
	ck_assert_int_eq(run.exit_code, 1);
	mpidbg_run_free(&run);
	run_layout(&run, "check");
	ck_assert_int_eq(run.exit_code, 2);
	mpidbg_run_free(&run);
	/* a file in which there is nothing to compare is no agreement */
	run_layout(&run, "check", in_folder("sample.pack"), "/bin/true");
	ck_assert_int_eq(run.exit_code, 1);
	ck_assert_ptr_nonnull(strstr(run.err, "has none of the types in the pack"));
	mpidbg_run_free(&run);
	run_layout(&run, "check", in_folder("sample.pack"), in_folder("rows"));
	ck_assert_int_eq(run.exit_code, 3);
	mpidbg_run_free(&run);
}
END_TEST

/* Is the Open MPI that is installed Debian 13's? Else it is Debian 12's, or Debian 11's. */
/* The file of the pack of the installed Open MPI. Without one, any. */
static const char *pack_of_system(void)
{
	const char *release = pack_installed_release();
	const struct acc_pack_builtin *pack = pack_of_release(release[0] ? release : "4.1.4");

	ck_assert_msg(pack != NULL, "no pack of Open MPI %s is built in", release);
	return pack->file;
}

/* A library of the installed Open MPI. @return false: it has none of that name */
static bool find_library(const char *name, char *ret, size_t size)
{
	char folder_text[256];
	FILE *f = popen("mpicc.openmpi --showme:libdirs 2>/dev/null", "r");
	bool found = f && fscanf(f, "%255s", folder_text) == 1;

	if (f)
		pclose(f);
	if (found)
		snprintf(ret, size, "%s/%s", folder_text, name);
	return found && access(ret, R_OK) == 0;
}

/* The packs that we ship, by their names, against the stripped libraries that they are for. */
START_TEST(test_check_built_in)
{
	/* since 6.0 libmpi.so has only the interface */
	static const char *const libraries[] = { "libmpi.so", "libopen_mpi.so", "libopen-pal.so",
						 "openmpi3/mca_pml_ob1.so" };
	const bool apart = strtol(pack_installed_release(), NULL, 10) >= 6;
	char library[512];
	struct mpidbg_run run;
	const char *name = pack_of_system();
	run_layout(&run, "check", name);
	ck_assert_int_eq(run.exit_code, 0);
	mpidbg_run_free(&run);
	for (size_t i = apart; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		if (!find_library(libraries[i], library, sizeof(library)))
			continue; /* another release */
		run_layout(&run, "check", "--json", name, library);
		json_t *o = mpidbg_run_json(&run), *file = json_array_get(json_object_get(o, "files"), 0);
		ck_assert_int_eq(run.exit_code, 0);
		ck_assert_int_ge(json_integer_value(json_object_get(file, "witnesses_agree")), 5);
		json_decref(o);
		mpidbg_run_free(&run);
	}
}
END_TEST

/*
 * The pack's public types against the installed headers; and, when the environment names an unpacked source package,
 * the distribution's pack made: its rows are those of the releases. From the top of the tree, as make check runs.
 */
START_TEST(test_made_again)
{
	char pack[512];
	const char *build = getenv("MPIDBG_BUILD");
	snprintf(pack, sizeof pack, "%s/layouts/openmpi/%s", build, pack_of_system());
	if (access(pack, R_OK) || system("command -v mpicc.openmpi >/dev/null") || access("/etc/debian_version", R_OK))
		return;
	shell_run("layouts/openmpi/check_pack '%s/mpidbg' %s >'%s/log' 2>&1 || { cat '%s/log'; exit 1; }", build, pack,
		  folder, folder);
	/* since 5.0 Debian's headers include some that are not in its packages; make install has none by default */
	const bool complete = strtol(pack_installed_release(), NULL, 10) < 5 &&
			      system("for dir in $(mpicc.openmpi --showme:incdirs); do"
				     " test ! -e $dir/ompi/communicator/communicator.h || exit 0; done; exit 1") == 0;
	ck_assert_ptr_nonnull(
		strstr(read_text(in_folder("log")), complete ? "probe.o: " : "only witnesses are compared"));
	if (!getenv("MPIDBG_OPENMPI_SOURCE"))
		return;
	shell_run("cp %s '%s/' && layouts/openmpi/make_pack '%s/mpidbg' '%s' >'%s/log' 2>&1", pack, folder, build,
		  folder, folder);
	ck_assert_ptr_nonnull(strstr(read_text(in_folder("log")), ": unchanged\n"));
}
END_TEST

/* ---- list ------------------------------------------------------------------------------------------ */

static json_t *listed(json_t *list, const char *name)
{
	size_t i;
	json_t *o, *found = NULL;
	json_array_foreach(json_object_get(list, "layouts"), i, o)
	{
		if (!strcmp(json_string_value(json_object_get(o, "name")), name))
			found = o;
	}
	return found;
}

START_TEST(test_list)
{
	struct mpidbg_run run;
	run_layout(&run, "list", "--json");
	ck_assert_int_eq(run.exit_code, 0);
	ck_assert_str_eq(run.err, "");
	json_t *list = mpidbg_run_json(&run);
	ck_assert_str_eq(json_string_value(json_object_get(list, "schema")), "mpidbg/1");
	for (const struct acc_pack_builtin *b = acc_pack_builtins; b->file; b++) {
		json_t *o = listed(list, b->file);
		ck_assert_msg(o != NULL, "%s is not listed", b->file);
		ck_assert(json_is_true(json_object_get(o, "builtin")));
		ck_assert_int_gt(json_integer_value(json_object_get(o, "witnesses")), 0);
	}
	json_decref(list);
	mpidbg_run_free(&run);

	write_text("sample.layout", pack_text);
	run_layout(&run, "list", "--json");
	list = mpidbg_run_json(&run);
	json_t *o = listed(list, "sample.layout");
	ck_assert_ptr_nonnull(o);
	ck_assert(json_is_false(json_object_get(o, "builtin")));
	ck_assert_str_eq(json_string_value(json_object_get(o, "file")), in_folder("sample.layout"));
	ck_assert_int_eq(json_integer_value(json_object_get(o, "fields")), 3);
	json_decref(list);
	mpidbg_run_free(&run);
	run_layout(&run, "list");
	ck_assert_ptr_nonnull(strstr(run.out, "sample.layout\n    sample 1.2.3, nowhere, 64-bit little-endian\n"
					      "    1 types, 3 fields, 2 witnesses; from "));
	ck_assert_int_eq(run.exit_code, 0);
	mpidbg_run_free(&run);

	write_text("damaged.layout", "mpidbg-layout 1\nrubbish\n");
	run_layout(&run, "list");
	ck_assert_int_eq(run.exit_code, 3);
	ck_assert_ptr_nonnull(strstr(run.err, "damaged.layout"));
	ck_assert_ptr_nonnull(strstr(run.out, "sample.layout"));
	mpidbg_run_free(&run);
}
END_TEST

START_TEST(test_usage)
{
	struct mpidbg_run run;
	run_layout(&run, "lst");
	ck_assert_int_eq(run.exit_code, 2);
	ck_assert_ptr_nonnull(strstr(run.err, "did you mean list?"));
	mpidbg_run_free(&run);
	mpidbg_run(&run, "layout", (char *)NULL);
	ck_assert_int_eq(run.exit_code, 2);
	ck_assert_msg(strncmp(run.err, "mpidbg: layout: no action given", 31) == 0, "%s", run.err);
	mpidbg_run_free(&run);
	static const char *const forms[] = { "make", "check", "list" };
	for (size_t i = 0; i < 3; i++) {
		run_layout(&run, forms[i], "--help");
		ck_assert_int_eq(run.exit_code, 0);
		ck_assert_str_eq(run.err, "");
		ck_assert_ptr_nonnull(strstr(run.out, "usage: mpidbg layout "));
		mpidbg_run_free(&run);
		run_layout(&run, forms[i], "--no-such-option");
		ck_assert_int_eq(run.exit_code, 2);
		ck_assert_str_eq(run.out, "");
		mpidbg_run_free(&run);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("layout command");
	TCase *tc = tcase_create("layout command");
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_make);
	tcase_add_test(tc, test_make_missing);
	tcase_add_test(tc, test_make_optional);
	tcase_add_loop_test(tc, test_make_bad, 0, sizeof(bad) / sizeof(*bad));
	tcase_add_test(tc, test_check);
	tcase_add_loop_test(tc, test_check_disagrees, 0, sizeof(wrongs) / sizeof(*wrongs));
	tcase_add_test(tc, test_check_bad);
	tcase_add_test(tc, test_check_built_in);
	tcase_add_test(tc, test_made_again);
	tcase_add_test(tc, test_list);
	tcase_add_test(tc, test_usage);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
