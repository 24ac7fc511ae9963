/* SPDX-License-Identifier: BSD-3-Clause */
/* Cores of live processes, by gcore and by the kernel, whole, damaged and wrong. */
#include "../../host/host.h"
#include "../../host/modules.h"
#include "../support/host_child.h"
#include "../support/suite.h"

#include <check.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* tests/programs/core_target.c, never sanitized: a core of a sanitized process has terabytes of shadow memory. */
static char *program;

struct target {
	pid_t pid;
	uint64_t marker, constant, local, hole, here; /* addresses, as it says */
};

static struct target target; /* of the core below */
static char *core_path;      /* made once, read by all tests */

static struct target target_start(void)
{
	struct target t = { 0 };
	int to_us[2];
	char line[256] = "";

	ck_assert_int_eq(pipe(to_us), 0);
	t.pid = fork();
	ck_assert_int_ge(t.pid, 0);
	if (t.pid == 0) {
		setenv("CHECK_HOST_VALUE", "a=b", 1);
		setenv("CORE_TARGET_CHANGED", "before", 1);
		dup2(to_us[1], 1);
		execl(program, program, (char *)NULL);
		_exit(127);
	}
	close(to_us[1]);
	FILE *f = fdopen(to_us[0], "r");
	ck_assert_msg(fgets(line, sizeof(line), f) != NULL, "%s does not run", program);
	fclose(f);
	ck_assert_int_eq(sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &t.marker,
				&t.constant, &t.local, &t.hole, &t.here),
			 5);
	return t;
}

/* One core for all tests: each test is a fork of this process. */
static void make_core(void)
{
	char command[1024];
	char *prefix = host_child_path("core");

	target = target_start();
	snprintf(command, sizeof(command), "timeout 600 gcore -o '%s' %d >/dev/null 2>&1", prefix, (int)target.pid);
	int rc = system(command);
	kill(target.pid, SIGKILL);
	waitpid(target.pid, NULL, 0);
	ck_assert_msg(rc == 0, "gcore failed");
	ck_assert_int_gt(asprintf(&core_path, "%s.%d", prefix, (int)target.pid), 0);
	free(prefix);
}

static struct host_target *open_core(const char *path, const char *exe)
{
	struct host_target *t;
	struct host_error err;

	ck_assert_msg(host_open_core(path, exe, NULL, &t, &err) == HOST_OK, "%s", err.text);
	return t;
}

static bool warns(const struct host_target *t, const char *words)
{
	const char *w;

	for (size_t i = 0; (w = host_warning(t, i)); i++)
		if (strstr(w, words))
			return true;
	return false;
}

/* ---- a good core --------------------------------------------------------------------------------- */

static void check_contents(struct host_target *t, const struct target *truth)
{
	static const char constant[] = "read-only, so that it is not in every core";
	uint64_t v = 0, addr;
	char text[sizeof(constant)];

	ck_assert(host_symbol(t, "core_target_marker", &addr));
	ck_assert_uint_eq(addr, truth->marker);
	ck_assert(host_read(t, addr, sizeof(v), &v));
	ck_assert_uint_eq(v, 0x1122334455667788);
	ck_assert(host_symbol(t, "core_target_local", &addr));
	ck_assert_uint_eq(addr, truth->local);
	/* From the file, when the core leaves it out. */
	ck_assert(host_read(t, truth->constant, sizeof(text), text));
	ck_assert_str_eq(text, constant);
}

static void check_stacks(struct host_target *t, const struct target *truth)
{
	size_t n, in_mpi = 0;
	bool line = false;
	const struct mpidbg_thread *th = host_threads(t, &n);

	ck_assert_uint_eq(n, 2);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_gt(th[i].n_backtrace, 1);
		for (size_t k = 0; k < th[i].n_backtrace; k++)
			line |= strstr(th[i].backtrace[k], "main at core_target.c:") != NULL;
		if (!th[i].function)
			continue;
		in_mpi++;
		ck_assert_int_eq(th[i].id, truth->pid);
		ck_assert_str_eq(th[i].function, "MPI_Send");
		ck_assert_uint_lt(th[i].stack_lo, truth->here);
		ck_assert_uint_gt(th[i].stack_hi, truth->here);
	}
	ck_assert_uint_eq(in_mpi, 1);
	ck_assert(line);
}

START_TEST(test_gcore)
{
	struct host_target *t = open_core(core_path, NULL);

	ck_assert_int_eq(host_pid(t), target.pid);
	ck_assert_str_eq(host_core_path(t), core_path);
	ck_assert_uint_eq(host_word_bytes(t), sizeof(void *));
	ck_assert(host_stopped_ms(t) == 0);
	ck_assert(strstr(host_executable(t), "core_target") != NULL);
	ck_assert(host_module(t, "libc.so") || host_module(t, "libc-2."));
	ck_assert(host_module_at(t, 0)->executable);
	ck_assert_msg(host_warning(t, 0) == NULL, "%s", host_warning(t, 0));
	check_contents(t, &target);
	check_stacks(t, &target);
	ck_assert_str_eq(host_getenv(t, "CHECK_HOST_VALUE"), "a=b");
	ck_assert_ptr_nonnull(host_getenv(t, "PATH"));
	ck_assert_ptr_null(host_getenv(t, "CHECK_HOST_NO"));
	host_resume(t);
	host_close(t);
}
END_TEST

START_TEST(test_not_in_the_core)
{
	struct host_target *t = open_core(core_path, NULL);
	char got[8];

	ck_assert(!host_read(t, 0, 1, got));
	ck_assert(!host_read(t, UINT64_MAX - 3, 8, got));
	/* Not dumped is not zero. */
	ck_assert(!host_read(t, target.hole, 8, got));
	ck_assert(host_read(t, target.hole, 0, got));
	host_close(t);
}
END_TEST

START_TEST(test_kernel_core)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	char *dir = host_child_path("kernel"), *path = NULL;
	int status;

	ck_assert(mkdir(dir, 0700) == 0 || errno == EEXIST);
	ck_assert_int_eq(chdir(dir), 0);
	if (setrlimit(RLIMIT_CORE, &limit) != 0)
		goto none;
	struct target mine = target_start();
	kill(mine.pid, SIGABRT);
	ck_assert_int_eq(waitpid(mine.pid, &status, 0), mine.pid);
	DIR *d = opendir(".");
	for (struct dirent *e; (e = readdir(d));)
		if (strncmp(e->d_name, "core", 4) == 0)
			ck_assert_int_gt(asprintf(&path, "%s/%s", dir, e->d_name), 0);
	closedir(d);
	if (!path)
		goto none; /* the system hands its cores to somebody else */
	struct host_target *t = open_core(path, NULL);
	ck_assert_int_eq(host_pid(t), mine.pid);
	ck_assert_msg(host_warning(t, 0) == NULL, "%s", host_warning(t, 0));
	check_contents(t, &mine);
	check_stacks(t, &mine);
	ck_assert_str_eq(host_getenv(t, "CHECK_HOST_VALUE"), "a=b");
	host_close(t);
	unlink(path);
none:
	free(path);
	free(dir);
}
END_TEST

/* ---- damaged and wrong ones ---------------------------------------------------------------------- */

/* Cut at many lengths: never a crash, always words. */
START_TEST(test_truncated)
{
	size_t n;
	unsigned char *bytes = host_child_file(core_path, &n);
	char *path = host_child_write("cut", bytes, n);
	size_t lengths[64], n_lengths = 0, warned = 0;

	for (size_t i = 1; i < 24; i++)
		lengths[n_lengths++] = n - n / 24 * i;
	for (size_t i = 70000; i > 1; i = i * 2 / 3)
		lengths[n_lengths++] = i < n ? i : n;
	for (size_t i = 0; i < n_lengths; i++) {
		struct host_target *t;
		struct host_error err;
		ck_assert_int_eq(truncate(path, (off_t)lengths[i]), 0);
		enum host_errc rc = host_open_core(path, NULL, NULL, &t, &err);
		if (rc) {
			ck_assert_int_eq(rc, HOST_UNREADABLE);
			ck_assert_str_ne(err.text, "");
			continue;
		}
		size_t n_threads;
		uint64_t v;
		warned += warns(t, "core is truncated");
		host_threads(t, &n_threads);
		host_read(t, target.marker, sizeof(v), &v);
		host_getenv(t, "PATH");
		host_close(t);
	}
	ck_assert_uint_ge(warned, 23);
	unlink(path);
	free(path);
	free(bytes);
}
END_TEST

/*
 * The notes are gone with the end of a gcore. Without -e the program is found by its name at the top
 * of the stack, and believed for its build-id; with -e, the libraries are found by the link map, too.
 */
START_TEST(test_without_file_list)
{
	size_t n;
	unsigned char *bytes = host_child_file(core_path, &n);
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)bytes;

	/* Make every note of another owner. */
	const Elf64_Phdr *ph = (const Elf64_Phdr *)(bytes + eh->e_phoff);
	for (int i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type != PT_NOTE)
			continue;
		for (size_t at = 0; at + 16 < ph[i].p_filesz;) {
			Elf64_Nhdr *note = (Elf64_Nhdr *)(bytes + ph[i].p_offset + at);
			bytes[ph[i].p_offset + at + sizeof(*note)] = 'X';
			at += sizeof(*note) + ((note->n_namesz + 3) & ~3u) + ((note->n_descsz + 3) & ~3u);
		}
	}
	char *path = host_child_write("anonymous", bytes, n);
	free(bytes);
	struct host_target *t = open_core(path, NULL);
	uint64_t addr, v;
	ck_assert(warns(t, "NT_FILE"));
	ck_assert(host_symbol(t, "core_target_marker", &addr));
	ck_assert_uint_eq(addr, target.marker);
	ck_assert(host_read(t, target.marker, sizeof(v), &v));
	host_close(t);
	t = open_core(path, program);
	check_contents(t, &target);
	ck_assert(host_module(t, "libc.so") || host_module(t, "libc-2."));
	host_close(t);
	unlink(path);
	free(path);
}
END_TEST

START_TEST(test_other_executable)
{
	struct host_target *t = open_core(core_path, "/bin/sh");
	char warning[PATH_MAX + 64], *path = realpath("/bin/sh", NULL);
	uint64_t addr;

	ck_assert_ptr_nonnull(path);
	snprintf(warning, sizeof(warning), "%s: build-id differs from the core's", path);
	free(path);
	ck_assert(warns(t, warning));
	/* Nothing from the wrong file is used; data in the core from the right one may be. */
	if (host_symbol(t, "core_target_marker", &addr))
		ck_assert_uint_eq(addr, target.marker);
	struct host_module *m = host_module_of(t, target.marker);
	ck_assert(m == NULL || m->file == NULL);
	host_close(t);
}
END_TEST

START_TEST(test_right_executable)
{
	struct host_target *t = open_core(core_path, program);

	ck_assert_msg(host_warning(t, 0) == NULL, "%s", host_warning(t, 0));
	check_contents(t, &target);
	host_close(t);
}
END_TEST

static void expect_error(const char *path, const char *exe, enum host_errc code, const char *words)
{
	struct host_target *t = (struct host_target *)&t;
	struct host_error err;

	ck_assert_int_eq(host_open_core(path, exe, NULL, &t, &err), code);
	ck_assert_ptr_null(t);
	ck_assert_msg(strstr(err.text, words) != NULL, "\"%s\" has no \"%s\"", err.text, words);
	ck_assert(strchr(err.text, '\n') == NULL);
}

static void expect_refused(const char *name, const void *bytes, size_t n, const char *words)
{
	char *path = host_child_write(name, bytes, n);

	expect_error(path, NULL, HOST_UNREADABLE, words);
	unlink(path);
	free(path);
}

START_TEST(test_no_core)
{
	Elf64_Ehdr eh = { .e_type = ET_CORE };

	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	expect_refused("empty", "", 0, "is empty, not a core");
	expect_refused("text", "hello", 5, "is not a core (no ELF file)");
	expect_refused("half", &eh, 20, "is it cut off?");
	expect_refused("bare", &eh, sizeof(eh), "without any memory");
	eh.e_ident[EI_CLASS] = 7;
	expect_refused("class", &eh, sizeof(eh), "header is invalid");
	expect_refused("x.zst", "\x28\xb5\x2f\xfd....", 8, "compressed with zstd: run unzstd");
	expect_refused("x.gz", "\x1f\x8b\x08.....", 8, "compressed with gzip: run gunzip");
	expect_error(program, NULL, HOST_UNREADABLE, "is an executable, not a core: did you mean -e?");
	expect_error("/nonexistent/core", NULL, HOST_ABSENT, "No such file");
	expect_error("/", NULL, HOST_ABSENT, "Is a directory");
	expect_error("/dev/null", NULL, HOST_UNREADABLE, "not a core");
	expect_error(core_path, "/nonexistent/exe", HOST_USAGE, "/nonexistent/exe: No such file");
	expect_error(core_path, core_path, HOST_USAGE, "is a core, not an executable: did you mean --core?");
	struct host_target *t;
	ck_assert_int_eq(host_open_core("/nonexistent/core", NULL, NULL, &t, NULL), HOST_ABSENT);
}
END_TEST

int main(void)
{
	const char *build = getenv("MPIDBG_BUILD");
	char path[4096];

	snprintf(path, sizeof(path), "%s/programs/core_target", build ? build : "build");
	program = realpath(path, NULL);
	if (!program || access(program, X_OK) != 0) {
		printf("%s is not built\n", path);
		return 77;
	}
	if (system("command -v gcore >/dev/null") != 0) {
		printf("gcore (of gdb) is not installed\n");
		return 77;
	}
	Suite *s = suite_create("host_core");
	TCase *tc = tcase_create("core");
	tcase_set_timeout(tc, 120);
	tcase_add_unchecked_fixture(tc, make_core, NULL);
	tcase_add_test(tc, test_gcore);
	tcase_add_test(tc, test_not_in_the_core);
	tcase_add_test(tc, test_kernel_core);
	tcase_add_test(tc, test_truncated);
	tcase_add_test(tc, test_without_file_list);
	tcase_add_test(tc, test_other_executable);
	tcase_add_test(tc, test_right_executable);
	tcase_add_test(tc, test_no_core);
	suite_add_tcase(s, tc);
	int failed = suite_run(s);
	if (core_path)
		unlink(core_path);
	free(core_path);
	free(program);
	return failed != 0;
}
