/* SPDX-License-Identifier: BSD-3-Clause */
/* Which MPI a program or a launcher belongs to: by the distribution's files, and by bytes that are none. */
#include "../../mpi2dd/run/elf.h"
#include "../../mpi2dd/run/flavour.h"
#include "../../mpi2dd/run/library.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[SCRATCH_MAX];

static void setup(void)
{
	scratch_make(dir, "flavour");
}

static void teardown(void)
{
	scratch_remove(dir);
}

static void put(char path[PATH_MAX + 64], const char *name, const void *bytes, size_t n)
{
	snprintf(path, PATH_MAX + 64, "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(path, 0755), 0);
}

static const struct {
	const char *libraries[4];
	enum run_flavour flavour;
} lists[] = {
	{ { "libc.so.6", NULL }, RUN_NO_FLAVOUR },
	{ { "libc.so.6", "libmpi.so.40", NULL }, RUN_OPENMPI },
	{ { "libmpi.so.20", NULL }, RUN_OPENMPI },
	{ { "libmpich.so.12", "libc.so.6", NULL }, RUN_MPICH },
	{ { "libmpi.so.12", NULL }, RUN_MPICH },
	{ { "/opt/x/lib/libmpi.so.40", NULL }, RUN_OPENMPI },
	/* Open MPI 1.10 had this name too, with another binary interface */
	{ { "libmpi.so.12", "libopen-rte.so.12", "libopen-pal.so.13", NULL }, RUN_NO_FLAVOUR },
	{ { "libmpi.so.1", NULL }, RUN_NO_FLAVOUR },
	{ { "libmpi_abi.so.0", NULL }, RUN_NO_FLAVOUR },
	{ { "libmpi_abi.so.1", NULL }, RUN_ABI },
	{ { "libmpi_abi.so.2", NULL }, RUN_NO_FLAVOUR },
	{ { "libmpi2dd-abi.so", NULL }, RUN_ABI },
	{ { "libmpi.so.401", NULL }, RUN_NO_FLAVOUR },
	{ { "libmpi.so", NULL }, RUN_NO_FLAVOUR },
	{ { "", NULL }, RUN_NO_FLAVOUR },
};

START_TEST(test_libraries)
{
	const char *why = NULL;
	size_t n = 0;

	while (n < 4 && lists[_i].libraries[n])
		n++;
	ck_assert_int_eq(run_flavour_of_libraries((char *const *)lists[_i].libraries, n, &why), lists[_i].flavour);
	ck_assert_int_eq(why != NULL, lists[_i].flavour != RUN_NO_FLAVOUR);
}
END_TEST

START_TEST(test_names)
{
	ck_assert_int_eq(run_flavour_parse("openmpi"), RUN_OPENMPI);
	ck_assert_int_eq(run_flavour_parse("mpich"), RUN_MPICH);
	ck_assert_int_eq(run_flavour_parse("abi"), RUN_ABI);
	ck_assert_int_eq(run_flavour_parse("Open MPI"), RUN_NO_FLAVOUR);
	ck_assert_int_eq(run_flavour_parse(""), RUN_NO_FLAVOUR);
	ck_assert_str_eq(run_flavour_title(RUN_OPENMPI), "Open MPI");
}
END_TEST

static const struct {
	const char *path;
	bool is_launcher;
	enum run_flavour flavour;
} launchers[] = {
	{ "/usr/bin/mpirun.openmpi", true, RUN_OPENMPI }, { "/usr/bin/mpiexec.openmpi", true, RUN_OPENMPI },
	{ "/usr/bin/orterun", true, RUN_OPENMPI },        { "/usr/bin/mpirun.mpich", true, RUN_MPICH },
	{ "/usr/bin/mpiexec.mpich", true, RUN_MPICH },    { "/usr/bin/mpiexec.hydra", true, RUN_MPICH },
};

START_TEST(test_launchers)
{
	if (access(launchers[_i].path, X_OK) != 0)
		return;
	ck_assert_int_eq(run_flavour_is_launcher(launchers[_i].path), launchers[_i].is_launcher);
	ck_assert_int_eq(run_flavour_of_launcher(launchers[_i].path), launchers[_i].flavour);
}
END_TEST

/* Symbolic links are followed to the file. The remaining cases are scripts, recognized by name. */
START_TEST(test_links)
{
	static const char script[] = "#!/bin/sh\nexec \"$@\"\n";
	char path[PATH_MAX + 64], link_path[PATH_MAX + 64];

	snprintf(link_path, sizeof(link_path), "%s/mpirun", dir);
	ck_assert_int_eq(symlink("/usr/bin/mpirun.openmpi", link_path), 0);
	ck_assert(run_flavour_is_launcher(link_path));
	ck_assert_int_eq(run_flavour_of_launcher(link_path), RUN_OPENMPI);
	unlink(link_path);
	ck_assert_int_eq(symlink("/usr/bin/mpiexec.hydra", link_path), 0);
	ck_assert_int_eq(run_flavour_of_launcher(link_path), RUN_MPICH);

	put(path, "mpiexec", script, sizeof(script) - 1);
	ck_assert(run_flavour_is_launcher(path));
	ck_assert_int_eq(run_flavour_of_launcher(path), RUN_NO_FLAVOUR);
	put(path, "mpiexec.openmpi", script, sizeof(script) - 1);
	ck_assert_int_eq(run_flavour_of_launcher(path), RUN_OPENMPI);

	/* A launcher by its libraries, under a name that says nothing. Open MPI 5's is PRRTE's. */
	char command[3 * PATH_MAX];
	snprintf(command, sizeof(command), "cp %s '%s/mpirun.real'",
		 access("/usr/bin/orterun", X_OK) == 0 ? "/usr/bin/orterun" : "/usr/bin/prte", dir);
	ck_assert_int_eq(system(command), 0);
	snprintf(path, sizeof(path), "%s/mpirun.real", dir);
	ck_assert(run_flavour_is_launcher(path));
	ck_assert_int_eq(run_flavour_of_launcher(path), RUN_OPENMPI);

	snprintf(path, sizeof(path), "%s/mpirun.gone", dir);
	ck_assert_int_eq(run_flavour_of_launcher(path), RUN_NO_FLAVOUR);
	ck_assert(!run_flavour_is_launcher("/usr/bin/srun"));
	ck_assert(!run_flavour_is_launcher("./a.out"));
	ck_assert(!run_flavour_is_launcher("/opt/mpirun/a.out"));
}
END_TEST

/* Programs that need MPI themselves, through a library of theirs, and not at all. */
START_TEST(test_programs)
{
	static const struct {
		const char *cc, *why;
		enum run_flavour flavour;
	} mpis[] = { { "mpicc.openmpi", "libmpi.so.40", RUN_OPENMPI }, { "mpicc.mpich", "libmpich.so.12", RUN_MPICH } };
	char command[4 * PATH_MAX], path[PATH_MAX + 64];

	for (size_t i = 0; i < sizeof(mpis) / sizeof(mpis[0]); i++) {
		snprintf(command, sizeof(command),
			 "cd '%s' && printf '#include <mpi.h>\\nint f(void) { int x; return MPI_Initialized(&x); }\\n' "
			 ">f.c "
			 "&& printf 'int f(void);\\nint main(void) { return f(); }\\n' >m.c "
			 "&& %s -shared -fPIC -o libf.so f.c && %s -o direct m.c f.c "
			 "&& gcc -o through m.c -L. -lf -Wl,-rpath,'%s' -Wl,--allow-shlib-undefined "
			 "&& echo 'int main(void) { return 0; }' | gcc -o none -x c -",
			 dir, mpis[i].cc, mpis[i].cc, dir);
		ck_assert_msg(system(command) == 0, "%s", command);
		snprintf(path, sizeof(path), "%s/direct", dir);
		struct run_program_facts f = run_flavour_of_program(path);
		ck_assert_int_eq(f.flavour, mpis[i].flavour);
		ck_assert_str_eq(f.why, mpis[i].why);
		ck_assert_int_eq(f.bits, (int)sizeof(void *) * 8);
		snprintf(path, sizeof(path), "%s/through", dir);
		f = run_flavour_of_program(path);
		ck_assert_int_eq(f.flavour, mpis[i].flavour);
		ck_assert_str_eq(f.why, mpis[i].why);
	}
	snprintf(path, sizeof(path), "%s/none", dir);
	struct run_program_facts f = run_flavour_of_program(path);
	ck_assert_int_eq(f.flavour, RUN_NO_FLAVOUR);
	ck_assert_int_eq(f.bits, (int)sizeof(void *) * 8);
}
END_TEST

/* Programs of the standard ABI, and those that no library of ours fits. */
START_TEST(test_standard_abi)
{
	static const struct {
		const char *libraries, *wrong;
		enum run_flavour flavour;
	} rows[] = {
		{ "libmpi_abi.so.1", "", RUN_ABI },
		{ "libmpi_abi.so.2", "libmpi_abi.so.2 is a version of the MPI ABI that is not known here",
		  RUN_NO_FLAVOUR },
		{ "libmpi_abi.so.1 libmpi.so.40",
		  "it is linked with both libmpi_abi.so.1 and libmpi.so.40, whose handles differ", RUN_ABI },
		{ "libmpich.so.12 libmpi_abi.so.1",
		  "it is linked with both libmpi_abi.so.1 and libmpich.so.12, whose handles differ", RUN_MPICH },
	};
	char command[4 * PATH_MAX], path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/program", dir);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(command, sizeof(command),
			 "cd '%s' && all= && for l in %s; do echo 'int x;' | gcc -shared -fPIC -Wl,-soname,$l -o "
			 "lib-$l.so -x c - "
			 "&& all=\"$all ./lib-$l.so\" || exit 1; done "
			 "&& echo 'int main(void) { return 0; }' | gcc -o program -x c - -x none -Wl,--no-as-needed "
			 "$all",
			 dir, rows[i].libraries);
		ck_assert_msg(system(command) == 0, "%s", command);
		struct run_program_facts f = run_flavour_of_program(path);
		ck_assert_str_eq(f.wrong, rows[i].wrong);
		ck_assert_int_eq(f.flavour, rows[i].flavour);
	}
}
END_TEST

/* No programs: nothing is known, nothing happens. */
START_TEST(test_no_program)
{
	static const char script[] = "#!/bin/sh\n";
	char path[PATH_MAX + 64];
	Elf32_Ehdr small = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
			     .e_type = ET_EXEC,
			     .e_machine = EM_386,
			     .e_version = EV_CURRENT,
			     .e_ehsize = sizeof(small) };

	put(path, "script", script, sizeof(script) - 1);
	ck_assert_int_eq(run_flavour_of_program(path).bits, 0);
	put(path, "empty", "", 0);
	ck_assert_int_eq(run_flavour_of_program(path).bits, 0);
	ck_assert_int_eq(run_flavour_of_program(dir).bits, 0);
	snprintf(path, sizeof(path), "%s/gone", dir);
	ck_assert_int_eq(run_flavour_of_program(path).bits, 0);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	ck_assert_int_eq(mkfifo(path, 0700), 0);
	ck_assert_int_eq(run_flavour_of_program(path).bits, 0);
	put(path, "32", &small, sizeof(small));
	ck_assert_int_eq(run_flavour_of_program(path).bits, 32);
	small.e_type = ET_CORE;
	put(path, "core", &small, sizeof(small));
	ck_assert_int_eq(run_flavour_of_program(path).bits, 0);
}
END_TEST

/* A program cut off at every so many bytes, and with bytes changed: any answer, no crash. */
START_TEST(test_damaged)
{
	enum { MOST = 1 << 16, CHANGES = 300 };
	char path[PATH_MAX + 64];
	static unsigned char bytes[MOST];
	FILE *f = fopen("/bin/true", "r");

	ck_assert_ptr_nonnull(f);
	size_t n = fread(bytes, 1, sizeof(bytes), f);
	ck_assert_uint_gt(n, 1024);
	fclose(f);
	for (size_t cut = 0; cut < n; cut += 997) {
		struct run_elf elf;

		put(path, "cut", bytes, cut);
		run_elf_init(&elf, path);
		run_elf_deinit(&elf);
	}
	unsigned seed = 1;
	for (int i = 0; i < CHANGES; i++) {
		struct run_elf elf;
		size_t at = (size_t)rand_r(&seed) % (i % 2 ? n : 1024);
		unsigned char was = bytes[at];

		bytes[at] = (unsigned char)rand_r(&seed);
		put(path, "changed", bytes, n);
		run_elf_init(&elf, path);
		run_elf_deinit(&elf);
		if (i % 3)
			bytes[at] = was;
	}
}
END_TEST

/* Commands as a shell finds them; paths that LD_PRELOAD takes apart. */
START_TEST(test_places)
{
	char path[PATH_MAX + 64], both[2 * PATH_MAX];

	put(path, "one", "#!/bin/sh\n", 10);
	snprintf(both, sizeof(both), "/nonexistent:%s:/bin", dir);
	ck_assert_int_eq(setenv("PATH", both, 1), 0);
	char *found = run_library_find_command("one");
	ck_assert_pstr_eq(found, path);
	free(found);
	ck_assert_int_eq(chmod(path, 0600), 0);
	ck_assert_ptr_null(run_library_find_command("one"));
	ck_assert_int_eq(errno, EACCES);
	ck_assert_ptr_null(run_library_find_command("no-such-command"));
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_ptr_null(run_library_find_command(""));
	ck_assert_ptr_null(run_library_find_command(dir));
	ck_assert(run_library_is_command("sh"));
	ck_assert(!run_library_is_command("4"));

	ck_assert_ptr_null(run_library_wrong_path("/usr/lib/x86_64-linux-gnu/libmpi2dd-openmpi.so"));
	ck_assert_ptr_nonnull(run_library_wrong_path("/my dir/l.so"));
	ck_assert_ptr_nonnull(run_library_wrong_path("/my:dir/l.so"));
	ck_assert_ptr_nonnull(run_library_wrong_path("/my$dir/l.so"));
	ck_assert_ptr_nonnull(run_library_wrong_path("/my;dir/l.so"));
	ck_assert_ptr_nonnull(run_library_wrong_path("/my\ndir/l.so"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("run_flavour");
	TCase *tc = tcase_create("run_flavour");
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_libraries, 0, sizeof(lists) / sizeof(lists[0]));
	tcase_add_test(tc, test_names);
	tcase_add_loop_test(tc, test_launchers, 0, sizeof(launchers) / sizeof(launchers[0]));
	tcase_add_test(tc, test_links);
	if (!system("command -v mpicc.openmpi mpicc.mpich >/dev/null"))
		tcase_add_test(tc, test_programs);
	tcase_add_test(tc, test_standard_abi);
	tcase_add_test(tc, test_no_program);
	tcase_add_test(tc, test_damaged);
	tcase_add_test(tc, test_places);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
