/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The starter with jobs of both MPIs: the library is in each rank and not in the launcher, and otherwise the job is
 * the one that it is without the starter. The ranks say what they have in them.
 */
#include "../../include/mpi2dd.h"
#include "../support/job.h"
#include "../support/launcher.h"
#include "../support/starter_run.h"
#include "../support/suite.h"
#include "../support/process.h"

#include <check.h>
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct mpi {
	const char *cc, *run, *library, *plain_run; /* plain_run: as root on one host, without options of ours */
} mpis[] = {
	{ "mpicc.openmpi", "mpirun.openmpi --oversubscribe", "libmpi2dd-openmpi.so", "mpirun.openmpi" },
	{ "mpicc.mpich", "mpirun.mpich", "libmpi2dd-mpich.so", "mpirun.mpich" },
};
enum { N_MPIS = sizeof(mpis) / sizeof(mpis[0]), TIMEOUT_S = 240 };

static const char rank_source
	[] = "#define _GNU_SOURCE 1\n#include <dlfcn.h>\n#include <mpi.h>\n#include <signal.h>\n#include "
	     "<stdio.h>\n#include <stdlib.h>\n"
	     "#include <string.h>\n#include <sys/prctl.h>\n#include <unistd.h>\n"
	     "int main(int argc, char **argv)\n{\n"
	     "	int rank, size, c;\n	Dl_info where = { 0 };\n	void *info = dlsym(RTLD_DEFAULT, "
	     "\"MPI2DD_info\");\n"
	     "	const char *what = argc > 1 ? argv[1] : \"\", *slash;\n"
	     "	alarm(120);\n	setvbuf(stdout, NULL, _IOLBF, 0);\n"
	     "	if (!strcmp(what, \"gate\"))\n		printf(\"pid %d info %p\\n\", (int)getpid(), info);\n"
	     "	MPI_Init(&argc, &argv);\n	MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
	     "	MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
	     "	if (info)\n		dladdr(info, &where);\n"
	     "	slash = where.dli_fname ? strrchr(where.dli_fname, '/') : NULL;\n"
	     "	printf(\"rank %d of %d pid %d has %s %s %s %s\\n\", rank, size, (int)getpid(), slash ? slash + 1 : "
	     "\"none\",\n"
	     "	       getenv(\"MPI2DD_STARTER\") ? \"starter\" : \"-\", dlsym(RTLD_DEFAULT, \"users_own\") ? "
	     "\"users\" : \"-\",\n"
	     "	       getenv(\"MPI2DD_GATE\") ? \"gate\" : \"-\");\n"
	     "	if (!strcmp(what, \"cat\") && rank == 0)\n		while ((c = getchar()) != EOF)\n	"
	     "		putchar(c);\n"
	     "	if (!strcmp(what, \"wait\"))\n		while (access(argv[2], F_OK))\n			"
	     "usleep(10000);\n"
	     "	if (!strcmp(what, \"signal\"))\n		raise(atoi(argv[2]));\n"
	     "	MPI_Finalize();\n	return !strcmp(what, \"exit\") ? atoi(argv[2]) : 0;\n}\n";

static const struct mpi *mpi;

/* Of the MPI that the test's number names: @rank, and @users.so that a user preloads. */
static void use(int i)
{
	mpi = &mpis[i];
	starter_put("rank.c", rank_source);
	starter_compile(mpi->cc, "rank");
	starter_put("users.c", "int users_own;\n");
	starter_compile("gcc -shared -fPIC", "users");
}

static void has(const char *text, const char *format, int rank, int size, const char *library)
{
	char head[128], all[512];

	snprintf(head, sizeof(head), "rank %d of %d pid ", rank, size);
	const char *at = strstr(text, head);
	ck_assert_msg(at != NULL, "no rank %d of %d:\n%.1000s", rank, size, text);
	at += strlen(head);
	at += strspn(at, "0123456789");
	snprintf(all, sizeof(all), format, library);
	ck_assert_msg(strncmp(at, all, strlen(all)) == 0, "rank %d: \"%s\" expected:\n%.1000s", rank, all, text);
}

static const char plainly[] = " has %s starter - -\n";

/* ---- the library is in the ranks ------------------------------------------------------------------ */

START_TEST(test_ranks)
{
	static struct starter_run r;

	use(_i);
	starter_do(&r, "R %s -n 2 @rank", mpi->run);
	ck_assert_msg(starter_code(&r) == 0, "%s", r.err);
	has(r.out, plainly, 0, 2, mpi->library);
	has(r.out, plainly, 1, 2, mpi->library);
	ck_assert_str_eq(r.err, "");
	/* without the starter: nothing of it */
	starter_do(&r, "%s -n 2 @rank", mpi->run);
	has(r.out, " has none - - -\n", 0, 2, "");
}
END_TEST

START_TEST(test_no_launcher)
{
	static struct starter_run r, without;

	use(_i);
	starter_do(&r, "R @rank");
	ck_assert_msg(starter_code(&r) == 0, "%s", r.err);
	has(r.out, plainly, 0, 1, mpi->library);
	starter_do(&r, "R -- @rank exit 3");
	ck_assert_int_eq(starter_code(&r), 3);
	/* the MPI libraries catch some of them: as without the starter */
	for (int signal_number = 1; signal_number <= 15; signal_number += 7) {
		starter_do(&without, "@rank signal %d", signal_number);
		starter_do(&r, "R @rank signal %d", signal_number);
		ck_assert_int_eq(r.status, without.status);
	}
}
END_TEST

START_TEST(test_mpmd)
{
	static struct starter_run r;

	use(_i);
	launcher_make_take_several();
	starter_do(&r, "R %s -n 1 @rank : -n 2 @rank exit 0 : -n 1 env A=b @rank", mpi->run);
	ck_assert_msg(starter_code(&r) == 0, "%s", r.err);
	for (int i = 0; i < 4; i++)
		has(r.out, plainly, i, 4, mpi->library);
}
END_TEST

/* A user's own preload, given in each way, stays: and before ours nothing changes for it. */
START_TEST(test_users_preload)
{
	static struct starter_run r;
	static const char with_users[] = " has %s starter users -\n";

	use(_i);
	launcher_make_take_several();
	if (_i == 0) {
		starter_do(&r, "R %s -x LD_PRELOAD=@users -n 2 @rank", mpi->run);
		has(r.out, with_users, 1, 2, mpi->library);
		starter_do(&r, "R %s -n 1 @rank : -x LD_PRELOAD=@users -n 1 @rank", mpi->run);
		has(r.out, plainly, 0, 2, mpi->library);
		has(r.out, with_users, 1, 2, mpi->library);
		starter_do(
			&r,
			"env OMPI_MCA_mca_base_env_list=LD_PRELOAD=@users sh -c '%s/mpi2dd-run %s -n 1 \"$0\"' @rank",
			getenv("MPIDBG_BUILD"), mpi->run);
		has(r.out, with_users, 0, 1, mpi->library);
		starter_do(&r, "R %s --mca mca_base_env_list FOO=1 -n 1 @rank : -n 1 @rank", mpi->run);
		has(r.out, plainly, 0, 2, mpi->library);
		has(r.out, plainly, 1, 2, mpi->library);
	} else {
		starter_do(&r, "R %s -genv LD_PRELOAD @users -n 2 @rank", mpi->run);
		has(r.out, with_users, 1, 2, mpi->library);
		starter_do(&r, "R %s -genvnone -n 2 @rank", mpi->run);
		has(r.out, plainly, 1, 2, mpi->library);
		starter_do(&r, "R %s -genvlist PATH -n 1 @rank : -env LD_PRELOAD=@users -n 1 @rank", mpi->run);
		has(r.out, plainly, 0, 2, mpi->library);
		has(r.out, with_users, 1, 2, mpi->library);
	}
	starter_do(&r, "env LD_PRELOAD=@users %s/mpi2dd-run %s -n 2 @rank", getenv("MPIDBG_BUILD"), mpi->run);
	has(r.out, with_users, 0, 2, mpi->library);
	ck_assert_int_eq(starter_code(&r), 0);
}
END_TEST

/* Files that hold the command line. */
START_TEST(test_files)
{
	static struct starter_run r;
	char text[3 * STARTER_PATH_MAX];

	use(_i);
	launcher_make_take_several();
	/* MPICH 4.2 takes the lines for one, 4.0 each for a program */
	snprintf(text, sizeof(text), _i == 0 ? "-n 1 %s/rank\n-n 1 %s/rank\n" : "-n 1 %s/rank : -n 1 %s/rank\n",
		 starter_dir, starter_dir);
	starter_put("file", text);
	starter_do(&r, _i == 0 ? "R %s --app @file" : "R %s -configfile @file", mpi->plain_run);
	ck_assert_msg(starter_code(&r) == 0, "%s", r.err);
	has(r.out, plainly, 0, 2, mpi->library);
	has(r.out, plainly, 1, 2, mpi->library);
	if (_i == 0) {
		snprintf(text, sizeof(text), "-x FOO=1 -n 1 %s/rank\n-n 1 %s/rank\n", starter_dir, starter_dir);
		starter_put("file", text);
		starter_do(&r, "R %s --app @file", mpi->plain_run);
		has(r.out, plainly, 1, 2, mpi->library);
	}
}
END_TEST

/* Scripts as launcher, as program, as both; and --mpi if the MPI cannot be determined. */
START_TEST(test_scripts)
{
	static struct starter_run r;
	char text[STARTER_PATH_MAX + 128];

	use(_i);
	snprintf(text, sizeof(text), "#!/bin/sh\nexec %s \"$@\"\n", mpi->run);
	starter_put("mpirun", text);
	starter_put("launch", text);
	snprintf(text, sizeof(text), "#!/bin/sh\nexec %s/rank \"$@\"\n", starter_dir);
	starter_put("program", text);
	snprintf(text, sizeof(text), "exec %s/rank \"$@\"\n", starter_dir);
	starter_put("no_interpreter", text);
	starter_do(&r, "R @mpirun -n 2 @rank");
	has(r.out, plainly, 1, 2, mpi->library);
	starter_do(&r, "R @launch -n 2 @rank");
	has(r.out, plainly, 1, 2, mpi->library);
	starter_do(&r, "R %s -n 2 @program", mpi->run);
	has(r.out, plainly, 1, 2, mpi->library);
	starter_do(&r, "R --mpi %s @mpirun -n 2 @program", _i ? "mpich" : "openmpi");
	has(r.out, plainly, 1, 2, mpi->library);
	starter_do(&r, "R --mpi %s @launch -n 2 @program", _i ? "mpich" : "openmpi");
	has(r.out, plainly, 1, 2, mpi->library);
	starter_do(&r, "R --mpi %s @no_interpreter exit 4", _i ? "mpich" : "openmpi");
	has(r.out, plainly, 0, 1, mpi->library);
	ck_assert_int_eq(starter_code(&r), 4);
	starter_do(&r, "R @mpirun -n 2 @program");
	ck_assert_int_eq(starter_code(&r), 2);
	ck_assert_ptr_nonnull(strstr(r.err, "use --mpi openmpi, mpich or abi"));
	ck_assert_str_eq(r.out, "");
}
END_TEST

/* ---- and nothing else is different ---------------------------------------------------------------- */

START_TEST(test_same_end)
{
	static struct starter_run with, without;
	static const char *const ends[] = { "exit 0", "exit 3", "exit 255", "signal 11", "signal 9", "signal 15" };

	use(_i);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		starter_do(&without, "%s -n 1 @rank %s", mpi->run, ends[i]);
		starter_do(&with, "R %s -n 1 @rank %s", mpi->run, ends[i]);
		ck_assert_msg(with.status == without.status, "%s: status %x, without the starter %x", ends[i],
			      (unsigned)with.status, (unsigned)without.status);
	}
	starter_do(&with, "R %s --version", mpi->plain_run);
	starter_do(&without, "%s --version", mpi->plain_run);
	ck_assert_str_eq(with.out, without.out);
	ck_assert_int_eq(with.status, without.status);
}
END_TEST

START_TEST(test_input)
{
	static struct starter_run r;
	static char text[STARTER_TEXT_MAX / 2];

	use(_i);
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = i % 64 == 63 ? '\n' : (char)('a' + i % 26);
	text[sizeof(text) - 2] = '\n';
	starter_start_with_input(&r, "R %s -n 1 @rank cat", mpi->run);
	ck_assert_int_eq(write(r.in, text, sizeof(text) - 1), (ssize_t)sizeof(text) - 1);
	starter_wait(&r);
	ck_assert_int_eq(starter_code(&r), 0);
	const char *line = strstr(r.out, " - -\n");
	ck_assert_ptr_nonnull(line);
	ck_assert_str_eq(line + 5, text);
}
END_TEST

static bool file_has(pid_t pid, const char *file, const char *what)
{
	char path[64];
	static char text[1 << 20];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	if (f)
		fclose(f);
	return memmem(text, n, what, strlen(what)) != NULL;
}

static pid_t child_of(pid_t parent)
{
	char path[64];
	int child = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%d", &child), 1);
	fclose(f);
	return child;
}

static unsigned long cpu_ticks(pid_t pid)
{
	struct process_stat s;

	ck_assert(process_stat(pid, &s));
	return s.ticks;
}

/*
 * The cookie is in environments, but not on command lines, which everybody can read. An idle starter uses no processor.
 */
START_TEST(test_launcher)
{
	static struct starter_run r;
	char cookie[128] = "", path[64];
	int rank_pid = 0;

	use(_i);
	starter_start(&r, "R %s -n 1 @rank wait @go", mpi->run);
	starter_await(&r, "rank 0 of 1");
	ck_assert_int_eq(sscanf(strstr(r.out, "pid "), "pid %d", &rank_pid), 1);
	pid_t launcher = child_of(r.pid);
	ck_assert(file_has(rank_pid, "maps", mpi->library));
	ck_assert(!file_has(launcher, "maps", "libmpi2dd"));
	ck_assert(!file_has(r.pid, "maps", "libmpi2dd"));

	static char environ_text[1 << 17];
	snprintf(path, sizeof(path), "/proc/%d/environ", rank_pid);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(environ_text, 1, sizeof(environ_text) - 1, f);
	fclose(f);
	const char *value = memmem(environ_text, n, "MPI2DD_STARTER=unix:", 20);
	ck_assert_ptr_nonnull(value);
	snprintf(cookie, sizeof(cookie), "%s", strrchr(value, ';') + 1);
	ck_assert_uint_eq(strlen(cookie), 32);
	DIR *d = opendir("/proc");
	ck_assert_ptr_nonnull(d);
	for (struct dirent *e; (e = readdir(d));)
		if (atoi(e->d_name) > 1)
			ck_assert_msg(!file_has(atoi(e->d_name), "cmdline", cookie), "in the command line of %s",
				      e->d_name);
	closedir(d);

	unsigned long before = cpu_ticks(r.pid);
	sleep(2);
	ck_assert_uint_le(cpu_ticks(r.pid) - before, 2);
	starter_put("go", "");
	starter_wait(&r);
	ck_assert_int_eq(starter_code(&r), 0);
}
END_TEST

/* ---- with a debugger ------------------------------------------------------------------------------ */

static void set_gate(int pid, unsigned long info)
{
	uint32_t flags = MPI2DD_FLAG_GATE;
	struct iovec from = { &flags, sizeof(flags) },
		     to = { (char *)info + offsetof(struct MPI2DD_INFO, debugger_flags), sizeof(flags) };

	ck_assert_int_eq(process_vm_writev(pid, &from, 1, &to, 1, 0), sizeof(flags));
}

/* Requirement 8, with the starter's --gate: no rank leaves MPI_Init before it is let go, each by itself. */
START_TEST(test_req_8_gate)
{
	static struct starter_run r;
	int pids[2];
	unsigned long infos[2];

	use(_i);
	starter_start(&r, "R --gate %s -n 2 @rank gate", mpi->run);
	starter_await(&r, "info");
	for (double until = job_now() + 20; job_now() < until;) {
		const char *first = strstr(r.out, "info"), *second = first ? strstr(first + 1, "info") : NULL;
		if (second && strchr(second, '\n'))
			break;
		job_nap();
		starter_await(&r, "info");
	}
	ck_assert_int_eq(sscanf(r.out, "pid %d info %lx pid %d info %lx", &pids[0], &infos[0], &pids[1], &infos[1]), 4);
	sleep(2);
	starter_await(&r, "info");
	ck_assert_ptr_null(strstr(r.out, "rank "));
	set_gate(pids[0], infos[0]);
	set_gate(pids[1], infos[1]);
	starter_wait(&r);
	ck_assert_int_eq(starter_code(&r), 0);
	has(r.out, " has %s starter - gate\n", 0, 2, mpi->library);
	has(r.out, " has %s starter - gate\n", 1, 2, mpi->library);
}
END_TEST

/* Leaks cannot be looked for under a debugger. */
#define DEBUG "env ASAN_OPTIONS=detect_leaks=0 gdb -nx -batch -x @gdb.in %s/mpi2dd-run"

/* Requirements 1, 9, 13, 33: the starter's MPI2DD_info at START, reported when the metadirectory is known. */
START_TEST(test_req_33_start_in_starter)
{
	static struct starter_run gdb, job;
	int rank_pid = 0, meta_pid = 0, flags = -1, state = -1;
	char host[256], text[4096];

	use(_i);
	/* the job's output goes to a separate file, so that the lines of both do not mix */
	snprintf(text, sizeof(text),
		 "set confirm off\nbreak MPI2DD_breakpoint\nrun %s -n 2 %s/rank >%s/job 2>&1\n"
		 "printf \"state %%d flags %%d meta %%d\\n\", MPI2DD_info.debug_state, MPI2DD_info.mpi_flags, "
		 "MPI2DD_info.meta_pid\n"
		 "printf \"host %%s\\n\", (char *)MPI2DD_info.meta_host_name\n"
		 "printf \"exe %%s\\n\", (char *)MPI2DD_info.meta_executable_name\ncontinue\n",
		 mpi->run, starter_dir, starter_dir);
	starter_put("gdb.in", text);
	starter_do(&gdb, DEBUG, getenv("MPIDBG_BUILD"));
	starter_do(&job, "cat @job");
	has(job.out, plainly, 0, 2, mpi->library);
	ck_assert_int_eq(sscanf(strstr(job.out, "rank 0 of 2"), "rank 0 of 2 pid %d", &rank_pid), 1);
	const char *at = strstr(gdb.out, "\nstate ");
	ck_assert_msg(at != NULL, "no START in the starter:\n%.1000s\n%.500s", gdb.out, gdb.err);
	ck_assert_int_eq(sscanf(at, "\nstate %d flags %d meta %d", &state, &flags, &meta_pid), 3);
	ck_assert_int_eq(state, MPI2DD_DEBUG_START);
	ck_assert_int_eq(flags, MPI2DD_MPIFLAG_I_AM_STARTER | MPI2DD_MPIFLAG_PARTIAL_ATTACH_OK);
	ck_assert_int_eq(meta_pid, rank_pid);
	ck_assert_int_eq(gethostname(host, sizeof(host)), 0);
	snprintf(text, sizeof(text), "\nhost %s\n", host);
	ck_assert_ptr_nonnull(strstr(gdb.out, text));
	snprintf(text, sizeof(text), "\nexe %s/rank\n", starter_dir);
	ck_assert_ptr_nonnull(strstr(gdb.out, text));
	/* once: the breakpoint is not met again before the end */
	ck_assert_ptr_nonnull(strstr(gdb.out, "exited normally"));
}
END_TEST

/* Requirement 9: a debugger that says BEING_DEBUGGED to the starter before it starts the job finds a closed gate. */
START_TEST(test_req_9_being_debugged)
{
	static struct starter_run gdb, job;
	char text[2048];

	starter_put("show", "#!/bin/sh\necho \"gate=$MPI2DD_GATE\"\n");
	snprintf(text, sizeof(text),
		 "break main\nrun --mpi openmpi %s/show >%s/job 2>&1\nset var MPI2DD_info.debugger_flags = 2\n"
		 "break run_child\ncontinue\nprintf \"flags %%d\\n\", MPI2DD_info.mpi_flags\ncontinue\n",
		 starter_dir, starter_dir);
	starter_put("gdb.in", text);
	starter_do(&gdb, DEBUG, getenv("MPIDBG_BUILD"));
	starter_do(&job, "cat @job");
	ck_assert_msg(strcmp(job.out, "gate=1\n") == 0, "%s%.1000s%.500s", job.out, gdb.out, gdb.err);
	ck_assert_msg(strstr(gdb.out, "\nflags 4\n") != NULL, "%.1500s", gdb.out);
	starter_do(&job, "R --mpi openmpi @show");
	ck_assert_str_eq(job.out, "gate=\n");
}
END_TEST

/* ---- several hosts -------------------------------------------------------------------------------- */

static const char tables_source
	[] = "#define _GNU_SOURCE 1\n#include <dlfcn.h>\n#include <mpi.h>\n#include <mpi2dd.h>\n#include <stdio.h>\n"
	     "int main(int argc, char **argv)\n{\n	int rank;\n	struct MPI2DD_INFO *info = dlsym(RTLD_DEFAULT, "
	     "\"MPI2DD_info\");\n"
	     "	MPI_Init(&argc, &argv);\n	MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
	     "	printf(\"rank %d dir %d meta %d listed %d directories %d\\n\", rank, !!(info && info->mpi_flags & 2), "
	     "!!(info && info->mpi_flags & 1), info ? info->proctable_size : -1, info ? info->directory_size : -1);\n"
	     "	MPI_Finalize();\n	return 0;\n}\n";

static const struct {
	int mpi;
	const char *what; /* the words after the hosts */
	const char *ranks[4];
} hosts[] = {
	{ 0,
	  "-n 4 @tables",
	  { "dir 1 meta 1 listed 2 directories 1", "dir 0 meta 0 listed 0", "dir 1 meta 0 listed 2",
	    "dir 0 meta 0 listed 0" } },
	{ 1,
	  "-n 4 @tables",
	  { "dir 1 meta 1 listed 2 directories 1", "dir 0 meta 0 listed 0", "dir 1 meta 0 listed 2",
	    "dir 0 meta 0 listed 0" } },
	/* by TCP, as from another machine */
	{ 0,
	  "-n 4 @only_tcp @tables",
	  { "dir 1 meta 1 listed 2 directories 1", "dir 0 meta 0 listed 0", "dir 1 meta 0 listed 2",
	    "dir 0 meta 0 listed 0" } },
	/* one host's ranks have no library: the other one's speak with nobody there */
	{ 0,
	  "-n 2 @tables : -n 2 env -u LD_PRELOAD @tables",
	  { "dir 1 meta 1 listed 2 directories 0", "dir 0 meta 0 listed 0", "dir 0 meta 0 listed -1",
	    "dir 0 meta 0 listed -1" } },
	/* one host's ranks cannot reach the starter */
	{ 0,
	  "-n 2 @tables : -n 2 env -u MPI2DD_STARTER @tables",
	  { "dir 1 meta 1 listed 2 directories 0", "dir 0 meta 0 listed 0", "dir 1 meta 1 listed 2 directories 0",
	    "dir 0 meta 0 listed 0" } },
};

START_TEST(test_hosts)
{
	static struct starter_run r;
	char cc[STARTER_PATH_MAX], top[STARTER_PATH_MAX / 2], text[256];

	if ((strstr(hosts[_i].what, " : ") && !launcher_takes_several()) ||
	    (hosts[_i].mpi == 0 && !launcher_reaches_hosts())) {
		printf("not run on two hosts: %s\n", hosts[_i].what);
		return;
	}
	ck_assert_ptr_nonnull(getcwd(top, sizeof(top)));
	snprintf(cc, sizeof(cc), "%s -I'%s/include'", mpis[hosts[_i].mpi].cc, top);
	starter_put("tables.c", tables_source);
	starter_compile(cc, "tables");
	starter_put("only_tcp", "#!/bin/sh\nMPI2DD_STARTER=$(echo \"$MPI2DD_STARTER\" | sed 's/unix:[^,;]*,//')\n"
				"export MPI2DD_STARTER\nexec \"$@\"\n");
	/* MPICH's ch3 asks for the address of the host's name, which its launcher passes on unless told not to */
	setenv("MPIR_CVAR_CH3_INTERFACE_HOSTNAME", "127.0.0.1", 1);
	double start = job_now();
	if (hosts[_i].mpi == 0)
		starter_do(&r, "R mpirun.openmpi --mca plm_rsh_agent %s/tests/support/host_agent -H one:2,two:2 %s",
			   top, hosts[_i].what);
	else
		starter_do(&r,
			   "R mpirun.mpich -disable-hostname-propagation -launcher ssh -launcher-exec "
			   "%s/tests/support/host_agent"
			   " -hosts one:2,two:2 %s",
			   top, hosts[_i].what);
	ck_assert_msg(starter_code(&r) == 0, "%s", r.err);
	for (int i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), "rank %d %s", i, hosts[_i].ranks[i]);
		ck_assert_msg(strstr(r.out, text) != NULL, "%s: expected:\n%s", text, r.out);
	}
	ck_assert_msg(job_now() - start < 8, "took %.1f s", job_now() - start);
}
END_TEST

/* A job on this host has a starter that no other host reaches, unless somebody says so. */
static const struct {
	const char *options, *command;
	bool is_local;
} listens[] = {
	{ "", "mpirun.openmpi --oversubscribe -n 1", true },
	{ "", "mpirun.mpich -n 1", true },
	{ "--listen network", "mpirun.mpich -n 1", false },
	{ "--listen network", "mpirun.openmpi -n 1", false },
	{ "", "mpirun.mpich -launcher fork -hosts localhost -n 1", true },
	{ "--mpi mpich", "", false }, /* a script: it is unknown what it starts */
	{ "--listen local --mpi mpich", "", true },
};

START_TEST(test_listen)
{
	static struct starter_run r;

	starter_put("value", "#!/bin/sh\necho \"value $MPI2DD_STARTER\"\n");
	starter_do(&r, "R %s %s @value", listens[_i].options, listens[_i].command);
	ck_assert_msg(starter_code(&r) == 0, "%s", r.err);
	const char *value = strstr(r.out, "value unix:");
	ck_assert_msg(value != NULL, "%s%s", r.out, r.err);
	const char *tcp = strstr(value, ",tcp:");
	bool is_loopback = tcp && strncmp(tcp, ",tcp:127.0.0.1:", 15) == 0 && !strchr(tcp + 1, ',');
	ck_assert_msg(is_loopback == listens[_i].is_local, "%s", value);
}
END_TEST

/* ---- wrong usage ---------------------------------------------------------------------------------- */

static const struct {
	const char *words;
	int code;
	const char *says;
} wrong[] = {
	{ "", 2, "which command?" },
	{ "--", 2, "which command?" },
	{ "--no-such ls", 2, "--no-such: no such option" },
	{ "-x ls", 2, "-x: no such option" },
	{ "--listen everywhere ls", 2, "--listen everywhere: local or network" },
	{ "--gate=1 ls", 2, "takes no value" },
	{ "--mpi", 2, "--mpi needs a value" },
	{ "--mpi lam ls", 2, "--mpi lam: openmpi, mpich or abi" },
	{ "--library", 2, "--library needs a value" },
	{ "--library /nonexistent/l.so ls", 2, "/nonexistent/l.so: No such file" },
	{ "--library /etc/passwd ls", 2, "/etc/passwd: not a library" },
	{ "--mpi openmpi no-such-command", 127, "no-such-command: no such command" },
	{ "--mpi openmpi /etc/passwd", 126, "/etc/passwd: Permission denied" },
	{ "--mpi openmpi /etc", 126, "/etc: Permission denied" },
	{ "ls", 2, "ls is not a known launcher and needs no MPI library: use --mpi" },
};

static int n_of(const char *text, const char *word)
{
	int n = 0;

	for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
		n++;
	return n;
}

/* --leaks: what is left, once for the ranks that agree, and the job is what it was. */
START_TEST(test_leaks)
{
	struct starter_run r;

	use(_i);
	starter_do(&r, "R --leaks %s -n 3 %s/programs%s/leaks finalize", mpi->run, getenv("MPIDBG_BUILD"),
		   _i ? "-mpich" : "");
	ck_assert_msg(starter_code(&r) == 0, "%s%s", r.out, r.err);
	ck_assert_msg(strstr(r.err, "\nranks [0,2] (2 ranks)") && strstr(r.err, "\nrank 1 of 3 "), "%s", r.err);
	ck_assert_msg(n_of(r.err, "    7 communicators by MPI_Comm_dup in leave_comms at leaks.c:") == 2, "%s", r.err);
	ck_assert_msg(n_of(r.err, "    3 datatypes by MPI_Type_contiguous in leave_types at leaks.c:") == 1, "%s",
		      r.err);
	starter_do(&r, "R --leaks %s -n 2 @rank exit 7", mpi->run);
	ck_assert_msg(starter_code(&r) == 7 && strstr(r.err, "ranks [0-1] (2 ranks)") &&
			      n_of(r.err, "  nothing is left that the program must free\n") == 1,
		      "%d %s", starter_code(&r), r.err);
	starter_do(&r, "R --leaks %s -n 1 true", mpi->run);
	ck_assert_msg(starter_code(&r) == 0 && strstr(r.err, "mpi2dd-run: --leaks: no report: not all ranks"), "%s",
		      r.err);
}
END_TEST

START_TEST(test_wrong)
{
	static struct starter_run r;

	starter_do(&r, "R %s", wrong[_i].words);
	ck_assert_msg(starter_code(&r) == wrong[_i].code, "%s: %d: %s", wrong[_i].words, starter_code(&r), r.err);
	ck_assert_msg(strstr(r.err, wrong[_i].says) != NULL, "%s: %s", wrong[_i].words, r.err);
	ck_assert_int_eq(strncmp(r.err, "mpi2dd-run: ", 12), 0);
	ck_assert_ptr_eq(strchr(r.err, '\n'), r.err + strlen(r.err) - 1);
	ck_assert_str_eq(r.out, "");
}
END_TEST

/* A library for aarch64 (on x86-64; elsewhere for x86-64) is refused before anything is started. */
START_TEST(test_foreign_library)
{
	static struct starter_run r;
	char path[2 * STARTER_PATH_MAX], words[4 * STARTER_PATH_MAX];
	unsigned char machine[2] = { 183, 0 }; /* EM_AARCH64 */

#if defined(__aarch64__)
	machine[0] = 62; /* EM_X86_64 */
#endif
	snprintf(path, sizeof(path), "%s/foreign.so", starter_dir);
	snprintf(words, sizeof(words), "cp '%s/libmpi2dd-openmpi.so' '%s'", getenv("MPIDBG_BUILD"), path);
	ck_assert_int_eq(system(words), 0);
	int fd = open(path, O_WRONLY);
	ck_assert_int_eq(pwrite(fd, machine, sizeof(machine), offsetof(Elf64_Ehdr, e_machine)), sizeof(machine));
	close(fd);
	starter_do(&r, "R --library %s mpirun.openmpi -n 1 @rank", path);
	ck_assert_msg(starter_code(&r) == 2 && strstr(r.err, "/foreign.so: a library for another processor"), "%s",
		      r.err);
	ck_assert_ptr_eq(strchr(r.err, '\n'), r.err + strlen(r.err) - 1);
	ck_assert_str_eq(r.out, "");
}
END_TEST

/* Launcher and programs of two MPIs, unless the user decides; 32-bit programs. */
START_TEST(test_disagree)
{
	static struct starter_run r;
	char command[3 * STARTER_PATH_MAX];

	use(1);
	snprintf(command, sizeof(command), "mv '%s/rank' '%s/mpich_rank'", starter_dir, starter_dir);
	ck_assert_int_eq(system(command), 0);
	use(0);
	starter_do(&r, "R mpirun.openmpi -n 1 @mpich_rank");
	ck_assert_int_eq(starter_code(&r), 2);
	ck_assert_ptr_nonnull(strstr(r.err, "belongs to Open MPI, but "));
	starter_do(&r, "R mpirun.mpich -n 1 @rank");
	ck_assert_int_eq(starter_code(&r), 2);
	ck_assert_ptr_nonnull(strstr(r.err, "needs Open MPI (libmpi.so.40)"));
	starter_do(&r, "R mpirun.openmpi -n 1 @rank : -n 1 @mpich_rank");
	ck_assert_int_eq(starter_code(&r), 2);
	ck_assert_ptr_nonnull(strstr(r.err, "needs MPICH (libmpich.so.12)"));
	starter_do(&r, "R --mpi mpich mpirun.openmpi -n 1 @mpich_rank");
	/* MPICH 5.0 aborts below a launcher of PMIx, without our library too */
	if (strstr(r.err, "unsupported PMI version PMIx"))
		return;
	ck_assert_msg(starter_code(&r) == 0, "%s", r.err);
	has(r.out, plainly, 0, 1, "libmpi2dd-mpich.so");
}
END_TEST

START_TEST(test_texts)
{
	static struct starter_run r;

	starter_do(&r, "R --help");
	ck_assert_int_eq(starter_code(&r), 0);
	ck_assert_int_eq(strncmp(r.out, "Usage: mpi2dd-run ", 18), 0);
	starter_do(&r, "R -V");
	ck_assert_int_eq(strncmp(r.out, "mpi2dd-run ", 11), 0);
	starter_do(&r, "R --mpi openmpi sh -c 'exec >/dev/full; %s/mpi2dd-run -V'", getenv("MPIDBG_BUILD"));
	ck_assert_int_eq(starter_code(&r), 125);
}
END_TEST

int main(void)
{
	job_require();
	launcher_takes_several();
	launcher_reaches_hosts();
	if (system("command -v mpicc.openmpi mpicc.mpich mpirun.mpich >/dev/null") != 0) {
		puts("both MPIs are needed");
		return 77;
	}
	Suite *s = suite_create("mpi2dd_run");
	TCase *tc = tcase_create("mpi2dd_run");
	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_checked_fixture(tc, starter_setup, starter_teardown);
	tcase_add_loop_test(tc, test_ranks, 0, N_MPIS);
	tcase_add_loop_test(tc, test_no_launcher, 0, N_MPIS);
	tcase_add_loop_test(tc, test_mpmd, 0, N_MPIS);
	tcase_add_loop_test(tc, test_users_preload, 0, N_MPIS);
	tcase_add_loop_test(tc, test_files, 0, N_MPIS);
	tcase_add_loop_test(tc, test_scripts, 0, N_MPIS);
	tcase_add_loop_test(tc, test_same_end, 0, N_MPIS);
	tcase_add_loop_test(tc, test_input, 0, N_MPIS);
	tcase_add_loop_test(tc, test_launcher, 0, N_MPIS);
	tcase_add_loop_test(tc, test_req_8_gate, 0, N_MPIS);
	tcase_add_loop_test(tc, test_req_33_start_in_starter, 0, N_MPIS);
	tcase_add_test(tc, test_req_9_being_debugged);
	if (system("unshare --uts true 2>/dev/null") == 0)
		tcase_add_loop_test(tc, test_hosts, 0, sizeof(hosts) / sizeof(hosts[0]));
	else
		puts("no name spaces: several hosts are not tried");
	tcase_add_loop_test(tc, test_listen, 0, sizeof(listens) / sizeof(listens[0]));
	TCase *leaks = tcase_create("leaks");
	tcase_set_timeout(leaks, TIMEOUT_S);
	tcase_add_checked_fixture(leaks, starter_setup, starter_teardown);
	tcase_add_loop_test(leaks, test_leaks, 0, N_MPIS);
	suite_add_tcase(s, leaks);
	tcase_add_loop_test(tc, test_wrong, 0, sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_test(tc, test_foreign_library);
	tcase_add_test(tc, test_disagree);
	tcase_add_test(tc, test_texts);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
