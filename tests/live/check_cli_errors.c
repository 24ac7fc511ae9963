/* SPDX-License-Identifier: BSD-3-Clause */
/* What the command says and exits with when its target is not what one hoped for: every kind of bad input. */
#include "../support/job.h"
#include "../support/packs.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[SCRATCH_MAX];        /* of this test program */
static char out[1 << 20], err[1 << 16]; /* of the last run */

static const char *build(void)
{
	const char *b = getenv("MPIDBG_BUILD");

	return b ? b : "build";
}

static char *slurp(const char *name, char *ret, size_t n)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ret[fread(ret, 1, n - 1, f)] = '\0';
	fclose(f);
	return ret;
}

/* Run a shell command line in our folder. @return its exit code; 128 + n: killed by signal n. */
__attribute__((format(printf, 1, 2))) static int shell(const char *format, ...)
{
	char line[4096], all[6000];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	snprintf(all, sizeof(all), "cd '%s' && { %s; } >out 2>err </dev/null", folder, line);
	int status = system(all);
	slurp("out", out, sizeof(out));
	slurp("err", err, sizeof(err));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#define mpidbg(format, ...) shell("'%s/mpidbg' " format, build(), ##__VA_ARGS__)

/* Exit code and words on stderr; every line of stderr is ours. */
#define ck_error(rc, want_rc, words)                                                                                   \
	do {                                                                                                           \
		int rc_ = (rc);                                                                                        \
		ck_assert_msg(rc_ == (want_rc), "exit %d, not %d\nstdout: %s\nstderr: %s", rc_, want_rc, out, err);    \
		ck_assert_msg(strstr(err, words), "\"%s\" is not said\nstdout: %s\nstderr: %s", words, out, err);      \
		for (const char *line_ = err; *line_; line_ = strchr(line_, '\n') + 1) {                               \
			ck_assert_msg(strncmp(line_, "mpidbg: ", 8) == 0, "stderr: %s", err);                          \
			ck_assert_msg(strchr(line_, '\n'), "stderr: %s", err);                                         \
		}                                                                                                      \
	} while (0)

/* ---- targets ------------------------------------------------------------------------------------- */

/* Start a shell command line as a process that dies with us. "exec" makes the process the program itself. */
__attribute__((format(printf, 1, 2))) static pid_t start(const char *format, ...)
{
	char line[4096];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (chdir(folder) == 0 && freopen("/dev/null", "r", stdin) && freopen("target.log", "w", stdout) &&
		    dup2(STDOUT_FILENO, STDERR_FILENO) >= 0)
			execl("/bin/sh", "sh", "-c", line, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool exists(const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return access(path, F_OK) == 0;
}

static void wait_for(const char *name, pid_t pid)
{
	for (int i = 0; i < 600; i++) {
		if (exists(name))
			return;
		if (waitpid(pid, NULL, WNOHANG) == pid)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	}
	ck_abort_msg("the target does not come up: %s", slurp("target.log", out, sizeof(out)));
}

/* A target that runs the program of tests/programs alone, as a world of one. */
static pid_t start_ring(const char *ready)
{
	shell("rm -rf %s && mkdir %s", ready, ready);
	pid_t pid = start("exec '%s/programs/ring_hang' %s", build(), ready);
	char name[64];
	snprintf(name, sizeof(name), "%s/0", ready);
	wait_for(name, pid);
	return pid;
}

static void gcore(pid_t pid, const char *name)
{
	int rc = shell("DEBUGINFOD_URLS= gcore -o %s %d && mv %s.%d %s", name, (int)pid, name, (int)pid, name);

	ck_assert_msg(rc == 0, "gcore: %s %s", out, err);
}

static pid_t start_sleep(void)
{
	pid_t pid = start("exec sleep 1000");

	/* Until exec has happened it is a shell: also no MPI program, but be exact. */
	for (int i = 0; i < 200; i++) {
		char path[64], exe[256] = "";
		snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
		ssize_t n = readlink(path, exe, sizeof(exe) - 1);
		if (n > 0 && strstr(exe, "sleep"))
			break;
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
	return pid;
}

/* ---- the cases ----------------------------------------------------------------------------------- */

START_TEST(test_no_mpi)
{
	pid_t pid = start_sleep();

	ck_error(mpidbg("queues -p %d", (int)pid), 1, "not an MPI process");
	ck_error(mpidbg("comms -p %d", (int)pid), 1, "not an MPI process");
	ck_error(mpidbg("queues -p %d --json", (int)pid), 1, "not an MPI process");
	ck_assert_msg(strstr(out, "\"problems\": [\"process"), "%s", out);
	ck_error(mpidbg("doctor -p %d", (int)pid), 1, "not an MPI process");
	ck_assert_msg(strstr(out, "libmpidbg.so"), "doctor says nothing: %s", out);
	ck_error(mpidbg("queues --job %d", (int)pid), 1, "no rank");
	ck_error(mpidbg("procs --job %d", (int)pid), 1, "no rank");
	end(pid);
}
END_TEST

START_TEST(test_gone)
{
	pid_t pid = start_sleep();

	end(pid);
	ck_error(mpidbg("queues -p %d", (int)pid), 1, "no such process");
	ck_error(mpidbg("doctor -p %d", (int)pid), 1, "no such process");
	ck_error(mpidbg("procs -p %d", (int)pid), 1, "no such process");
	ck_error(mpidbg("queues --job %d", (int)pid), 1, "no such process");
	ck_error(mpidbg("queues --job %d --json", (int)pid), 1, "no such process");
	ck_assert_ptr_nonnull(strstr(out, "\"processes\": ["));
}
END_TEST

START_TEST(test_zombie)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	siginfo_t info;
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	ck_error(mpidbg("queues -p %d", (int)pid), 3, "zombie");
	waitpid(pid, NULL, 0);
}
END_TEST

/* Run as user nobody, who may not trace root's processes. */
START_TEST(test_not_ours)
{
	pid_t victim = start_sleep();

	if (geteuid() != 0) {
		ck_error(mpidbg("queues -p 1"), 3, "not");
		end(victim);
		return;
	}
	/* In /tmp: the build and $TMPDIR may lie where nobody can go. */
	char open_folder[] = "/tmp/mpidbg-open-XXXXXX";
	ck_assert_ptr_nonnull(mkdtemp(open_folder));
	ck_assert_int_eq(shell("cp '%s/mpidbg' '%s/libmpidbg.so' %s && chmod -R a+rX %s", build(), build(), open_folder,
			       open_folder),
			 0);
	int rc = shell("setpriv --reuid=65534 --regid=65534 --clear-groups %s/mpidbg queues -p %d", open_folder,
		       (int)victim);
	scratch_remove(open_folder);
	if (!strstr(err, "setpriv")) /* in a container there may be no right to change user */
		ck_error(rc, 3, "run as that user or as root");
	end(victim);
}
END_TEST

START_TEST(test_traced)
{
	pid_t pid = start_sleep();
	/* gdb stays attached until its input ends. */
	pid_t gdb = start("exec gdb -nx -q -batch -p %d -ex 'shell touch traced; sleep 30'", (int)pid);

	wait_for("traced", gdb);
	ck_error(mpidbg("queues -p %d", (int)pid), 3, "being traced by");
	end(gdb);
	end(pid);
}
END_TEST

/* A process in a namespace of its own: read by the pid that we see. */
START_TEST(test_container)
{
	if (shell("unshare --pid --fork --mount-proc true") != 0) {
		printf("no pid namespaces here: not tested: %s", err);
		return;
	}
	shell("rm -rf inside && mkdir inside");
	pid_t outer = start("exec unshare --pid --fork --kill-child --mount-proc '%s/programs/ring_hang' inside",
			    build());
	wait_for("inside/0", outer);
	ck_assert_int_eq(shell("pgrep -P %d", (int)outer), 0);
	int pid = atoi(out);
	ck_assert_int_gt(pid, 1);
	ck_error(mpidbg("queues -p %d", pid), 0, "");
	ck_assert_msg(strstr(out, "tag 8"), "%s", out);
	end(outer);
}
END_TEST

START_TEST(test_launcher_as_process)
{
	shell("rm -rf job && mkdir job");
	pid_t launcher = start("exec mpirun.openmpi --oversubscribe -n 2 '%s/programs/ring_hang' job", build());

	wait_for("job/0", launcher);
	wait_for("job/1", launcher);
	ck_error(mpidbg("queues -p %d", (int)launcher), 1, "did you mean --job");
	ck_error(mpidbg("queues --job %d --ranks 1,5", (int)launcher), 1, "no such rank: [5]");
	ck_assert_msg(strstr(out, "rank 1 of 2  pid"), "%s", out);
	ck_assert_msg(!strstr(out, "rank 0 of 2  pid"), "%s", out);
	ck_error(mpidbg("queues --job %d --ranks 7", (int)launcher), 1, "no such rank: [7]");
	kill(launcher, SIGTERM);
	waitpid(launcher, NULL, 0);
}
END_TEST

START_TEST(test_not_a_core)
{
	ck_error(mpidbg("queues --core nowhere"), 1, "nowhere");
	shell("echo words > text; : > empty; mkdir -p nothing");
	ck_error(mpidbg("queues --core text"), 3, "text");
	ck_error(mpidbg("queues --core empty"), 3, "empty");
	ck_error(mpidbg("queues --core /bin/true"), 3, "core");
	ck_error(mpidbg("queues --cores nothing"), 1, "no core files");
	ck_error(mpidbg("queues --cores nowhere"), 1, "nowhere");
	ck_error(mpidbg("queues --cores text empty"), 3, "text");
	ck_error(mpidbg("procs --core text"), 3, "text");
}
END_TEST

START_TEST(test_core_of_another_program)
{
	pid_t pid = start_sleep();

	gcore(pid, "sleep.core");
	end(pid);
	ck_error(mpidbg("queues --core sleep.core"), 1, "not an MPI process");
	ck_error(mpidbg("queues --core sleep.core -e /bin/true"), 3, "/bin/true");
	ck_error(mpidbg("queues -p sleep.core"), 2, "did you mean --core?");
	ck_error(mpidbg("queues sleep.core"), 2, "did you mean --core?");
	ck_error(mpidbg("queues --cores ."), 1, "sleep.core");
}
END_TEST

START_TEST(test_truncated_core)
{
	pid_t pid = start_ring("ring");

	gcore(pid, "whole");
	end(pid);
	ck_error(mpidbg("queues --core whole"), 0, "");
	ck_assert_msg(strstr(out, "tag 8"), "%s", out);
	struct stat st;
	char path[1024];
	snprintf(path, sizeof(path), "%s/whole", folder);
	ck_assert_int_eq(stat(path, &st), 0);
	/* Without the notes (at the end of the file): all that is in memory is found, missing parts are reported. */
	ck_assert_int_eq(
		shell("head -c $((0x$(readelf -lW whole | awk '$1 == \"NOTE\" { print substr($2, 3) }') + 64)) "
		      "whole > cut && readelf -lW whole | grep -q NOTE"),
		0);
	for (int named = 0; named < 2; named++) {
		shell("ln -sf '%s/programs/ring_hang' here", build());
		int rc = mpidbg("queues --core cut %s", named ? "-e ./here" : "");
		ck_assert_msg(rc == 0 || rc == 3, "exit %d\n%s%s", rc, out, err);
		ck_assert_msg(strstr(out, "MPI_COMM_WORLD") && strstr(out, "tag 8"), "%s%s", out, err);
		ck_assert_msg(!strstr(out, "no thread is in an MPI function"), "%s", out);
		ck_assert_msg(strstr(err, "core is truncated"), "%s", err);
	}
	/* From nearly all of it to its header: words, never a crash, never a wrong answer without words. */
	for (int cut = 95; cut > 0; cut -= 19) {
		shell("head -c %lld whole > cut", (long long)st.st_size * cut / 100);
		int rc = mpidbg("queues --core cut");
		ck_assert_msg(rc == 0 || rc == 1 || rc == 3, "%d%%: exit %d\n%s%s", cut, rc, out, err);
		ck_assert_msg(strstr(err, "truncated"), "%d%%: exit %d\n%s%s", cut, rc, out, err);
		/* gcore writes the notes, which list the mapped files, at the end */
		ck_error(rc, 3, "mpidbg: cut: core is truncated: ");
		ck_assert_msg(strncmp(err, "mpidbg: cut: core is truncated: ", 32) == 0, "%s", err);
		ck_assert_msg(!strstr(err, "no MPI"), "%s", err);
		static const char *const others[] = { "calls", "handles", "print comm 0x1", "comms", "doctor" };
		for (size_t i = 0; cut == 57 && i < sizeof(others) / sizeof(others[0]); i++) {
			ck_error(mpidbg("%s --core cut", others[i]), 3, "mpidbg: cut: core is truncated: ");
			ck_assert_msg(!strstr(err, "no MPI"), "%s: %s", others[i], err);
		}
		ck_error(mpidbg("procs --core cut"), 3, "core is truncated: ");
		ck_assert_msg(!strstr(err, "no MPI"), "%s", err);
	}
	shell("head -c 100 whole > cut");
	int rc = mpidbg("queues --core cut");
	ck_assert_msg(rc == 1 || rc == 3, "exit %d\n%s%s", rc, out, err);
	ck_assert(*err);
}
END_TEST

/* A core as a 32-bit kernel would write it: one note, one page. */
START_TEST(test_core_of_32_bit)
{
	struct {
		Elf32_Ehdr e;
		Elf32_Phdr p[2];
		Elf32_Nhdr note;
		char name[8];
		unsigned char status[144];
		char page[4096];
	} core = { .e = { .e_type = ET_CORE,
			  .e_machine = EM_386,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(Elf32_Ehdr),
			  .e_ehsize = sizeof(Elf32_Ehdr),
			  .e_phentsize = sizeof(Elf32_Phdr),
			  .e_phnum = 2 },
		   .note = { 5, sizeof(core.status), NT_PRSTATUS },
		   .name = "CORE" };
	char path[1024];

	memcpy(core.e.e_ident, "\177ELF\1\1\1", 7);
	core.p[0] = (Elf32_Phdr){ .p_type = PT_NOTE,
				  .p_offset = (Elf32_Off)((char *)&core.note - (char *)&core),
				  .p_filesz = sizeof(core.note) + sizeof(core.name) + sizeof(core.status),
				  .p_align = 4 };
	core.p[1] = (Elf32_Phdr){ .p_type = PT_LOAD,
				  .p_offset = (Elf32_Off)((char *)&core.page - (char *)&core),
				  .p_vaddr = 0x8048000,
				  .p_filesz = sizeof(core.page),
				  .p_memsz = sizeof(core.page),
				  .p_flags = PF_R,
				  .p_align = 4096 };
	core.status[12] = SIGSEGV;
	snprintf(path, sizeof(path), "%s/core32", folder);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(&core, sizeof(core), 1, f), 1);
	fclose(f);
	ck_error(mpidbg("queues --core core32"), 1, "core32");
	mpidbg("procs --cores core32");
	ck_assert_msg(strstr(out, "SIGSEGV"), "%s", out);
}
END_TEST

static pid_t start_lifetime(const char *when)
{
	shell("rm -rf truth && mkdir truth");
	pid_t pid = start("TRUTH_DIR=truth %s exec '%s/programs/lifetime' %s",
			  strcmp(when, "before") == 0 ? "OMPI_COMM_WORLD_RANK=0" : "", build(), when);
	wait_for("truth/truth.0.json", pid);
	return pid;
}

START_TEST(test_not_initialised)
{
	pid_t pid = start_lifetime("before");

	ck_error(mpidbg("queues -p %d", (int)pid), 1, "not initiali");
	mpidbg("queues -p %d --json", (int)pid);
	ck_assert_msg(strstr(out, "before init"), "%s", out);
	end(pid);
}
END_TEST

START_TEST(test_finalised)
{
	pid_t pid = start_lifetime("after");

	ck_error(mpidbg("queues -p %d", (int)pid), 1, "finali");
	mpidbg("queues -p %d --json", (int)pid);
	ck_assert_msg(strstr(out, "finalized"), "%s", out);
	end(pid);
}
END_TEST

/* An Open MPI with an unknown layout: a witness reports it, and nothing is guessed. */
START_TEST(test_unknown_open_mpi)
{
	pid_t pid = start_ring("ring");

	ck_assert_int_eq(mpidbg("layout list"), 0);
	int rc = shell("rm -rf packs; mkdir packs; for p in '%s'/layouts/openmpi/*.layout; do "
		       "sed -E 's/^(witness uint ompi_communicator_t_class .*) [0-9]+$/\\1 7777/' \"$p\" > "
		       "packs/$(basename \"$p\"); done; grep -l ' 7777$' packs/*",
		       build());
	ck_assert_msg(rc == 0, "no pack has that witness: %s", err);
	ck_error(shell("MPIDBG_LAYOUTS=packs '%s/mpidbg' queues -p %d", build(), (int)pid), 3,
		 "ompi_communicator_t_class");
	ck_assert_msg(!strstr(out, "tag 8"), "a guess: %s", out);
	rc = shell("MPIDBG_LAYOUTS=packs '%s/mpidbg' doctor -p %d", build(), (int)pid);
	ck_assert_int_ne(rc, 0);
	const struct acc_pack_builtin *ours = pack_of_release(pack_installed_release());
	ck_assert_msg(ours && strstr(out, "nearest layout pack") && strstr(out, ours->file),
		      "doctor does not say which pack is nearest: %s%s", out, err);
	ck_assert_msg(strstr(out, " are not in this process, 1 disagree"), "how near: %s", out);
	ck_assert_msg(strstr(out, "it disagrees          ompi_communicator_t_class+56 is "),
		      "doctor does not name the witness: %s%s", out, err);
	ck_assert_msg(strstr(out, "mpidbg layout make --source FOLDER"), "what to do: %s", out);
	/* two packs that both fit are said */
	rc = shell("rm -rf packs; mkdir packs; cp '%s'/layouts/openmpi/%s packs/copy.layout; "
		   "MPIDBG_LAYOUTS=packs '%s/mpidbg' doctor -p %d",
		   build(), ours->file, build(), (int)pid);
	ck_assert_msg(!rc && strstr(out, "another pack fits, too") &&
			      strstr(out, "    fits as well          builtin:openmpi-"),
		      "two packs fit: %s%s", out, err);
	end(pid);
}
END_TEST

START_TEST(test_mpich)
{
	static const char program[] = "#include <mpi.h>\\n#include <stdio.h>\\n#include <unistd.h>\\n"
				      "int main(int c, char **v) { MPI_Init(&c, &v); fclose(fopen(v[1], \"w\")); "
				      "for (;;) pause(); }\\n";

	if (job_omits_mpich())
		return;
	ck_assert_msg(shell("printf '%s' > mpich.c && mpicc.mpich -o mpich_program mpich.c", program) == 0, "%s", err);
	shell("rm -f mpich_ready");
	pid_t pid = start("exec ./mpich_program mpich_ready");
	wait_for("mpich_ready", pid);
	ck_error(mpidbg("queues -p %d", (int)pid), 0, "");
	ck_assert_msg(strstr(out, "(MPICH ") && strstr(out, "MPI_COMM_WORLD  rank 0 of 1"), "stdout: %s", out);
	ck_error(mpidbg("doctor -p %d", (int)pid), 0, "");
	ck_assert_msg(strstr(out, "witnesses agree"), "stdout: %s", out);
	ck_error(mpidbg("handles datatype --all -p %d", (int)pid), 0, "");
	ck_assert_msg(strstr(out, "MPI_DOUBLE"), "stdout: %s", out);
	/* what only the in-target library knows is not to be had, and what to do is said */
	ck_error(mpidbg("vars -p %d", (int)pid), 1, "start the program with mpi2dd-run");
	end(pid);
}
END_TEST

/* MPICH with the in-target library, too early or too late: not that it should be started as it was. */
START_TEST(test_mpich_prepared)
{
	static const char program[] = "#include <mpi.h>\\n#include <stdio.h>\\n#include <unistd.h>\\n"
				      "int main(int c, char **v) { if (v[2][0] == (char)97) { MPI_Init(&c, &v); "
				      "MPI_Finalize(); } fclose(fopen(v[1], \"w\")); for (;;) pause(); }\\n";
	static const char *const stages[] = { "before", "after" };

	if (shell("command -v mpicc.mpich") != 0) {
		printf("no MPICH here: not tested\n");
		return;
	}
	ck_assert_msg(shell("printf '%s' > prepared.c && mpicc.mpich -o prepared prepared.c", program) == 0, "%s", err);
	for (size_t i = 0; i < 2; i++) {
		shell("rm -f prepared_ready");
		pid_t pid = start("LD_PRELOAD='%s/libmpi2dd-mpich.so' exec ./prepared prepared_ready %s", build(),
				  stages[i]);
		wait_for("prepared_ready", pid);
		ck_error(mpidbg("queues -p %d", (int)pid), 1, "");
		ck_assert_msg(!strstr(err, "started with mpi2dd-run"), "%s: %s", stages[i], err);
		ck_assert_msg(*err, "%s: nothing is said", stages[i]);
		end(pid);
	}
}
END_TEST

/* Control sequences for terminals in strings of a target appear in no output. */
static void check_harmless(const char *text, const char *what)
{
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		ck_assert_msg(*c >= 0x20 || *c == '\n', "%s: byte 0x%02x: %s", what, *c, text);
		ck_assert_msg(*c < 0x7f, "%s: byte 0x%02x: %s", what, *c, text);
	}
}

START_TEST(test_hostile_names)
{
	/* CSI as one byte, CSI as a character, right to left, BEL, escape, the end of a line */
	static const char
		make[] = "name=$(printf 'b\\233\\302\\233\\342\\200\\256\\007\\033[2J\\nx'); cp /bin/sleep \"$name\"";
	static const char *const commands[] = { "procs", "queues", "comms", "calls", "vars", "doctor" };

	ck_assert_msg(shell("%s", make) == 0, "%s", err);
	pid_t pid = start("exec ./b*x 1000");
	char path[64], exe[4096] = "";
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	for (int i = 0; i < 600 && !strstr(exe, "/b\x9b"); i++) {
		ssize_t n = readlink(path, exe, sizeof(exe) - 1);
		exe[n > 0 ? n : 0] = '\0';
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	}
	ck_assert_msg(strstr(exe, "/b\x9b"), "%s", exe);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		mpidbg("%s -p %d", commands[i], (int)pid);
		check_harmless(out, commands[i]);
		check_harmless(err, commands[i]);
		ck_assert_msg(strstr(out, "\\x9b") || strstr(err, "\\x9b"), "%s: %s%s", commands[i], out, err);
		ck_assert_msg(strstr(out, "\\u{202e}") || strstr(err, "\\u{202e}"), "%s: %s%s", commands[i], out, err);
		mpidbg("%s -p %d --json", commands[i], (int)pid);
		check_harmless(out, commands[i]);
		check_harmless(err, commands[i]);
	}
	end(pid);
}
END_TEST

/* The name of a thread may hold anything: its state is still read, and so is that of a process that is stopped. */
START_TEST(test_odd_states)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "a) R\n1 (b");
		for (;;)
			pause();
	}
	char state[256] = "";
	for (int i = 0; i < 600 && !strstr(state, "sleeping"); i++) {
		mpidbg("procs -p %d --json", (int)pid);
		const char *at = strstr(out, "\"state\": ");
		snprintf(state, sizeof(state), "%.200s", at ? at : out);
		ck_assert_msg(!strstr(out, "\"gone\""), "%.900s", out);
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	ck_assert_msg(strstr(state, "sleeping"), "%s", state);
	end(pid);

	pid = start_ring("odd");
	mpidbg("queues -p %d", (int)pid);
	ck_assert_msg(!strstr(out, "stopped by a signal"), "%.900s", out);
	kill(pid, SIGSTOP);
	int status;
	ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
	mpidbg("queues -p %d", (int)pid);
	ck_assert_msg(strstr(out, ")  stopped by a signal\n"), "%.900s", out);
	mpidbg("queues -p %d --json", (int)pid);
	ck_assert_msg(strstr(out, "\"condition\":\"stopped by a signal\""), "%.900s", out);
	end(pid);
}
END_TEST

static void end_with_children(pid_t pid)
{
	char path[64], text[1024] = "";

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	end(pid);
	for (char *at = text, *next; strtol(at, &next, 10) > 0 && next != at; at = next)
		kill((pid_t)strtol(at, NULL, 10), SIGKILL);
}

/* A launcher by its name, two ranks by their environment. @param second words before the second one's program */
static pid_t start_fake_job(const char *second, const char *program)
{
	shell("cp /bin/sh mpirun; rm -rf truth; mkdir truth");
	pid_t pid = start("exec ./mpirun -c 'export TRUTH_DIR=truth PMIX_NAMESPACE=x1 OMPI_COMM_WORLD_SIZE=2; "
			  "for r in 0 1; do export OMPI_COMM_WORLD_RANK=$r; test $r = 1 && before=\"%s\"; "
			  "$before %s & done; wait'",
			  second, program);
	return pid;
}

/* As root: what another user's launcher names is not attached to unless it is asked for. */
START_TEST(test_other_owner)
{
	if (geteuid() != 0) {
		printf("only root may attach to others' processes: not tested\n");
		return;
	}
	pid_t pid = start_fake_job("setpriv --reuid=65534 --clear-groups", "sleep 1000");
	for (int i = 0; i < 600; i++) {
		mpidbg("queues --job %d", (int)pid);
		if (strstr(err, "--any-owner"))
			break;
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	}
	ck_error(mpidbg("queues --job %d", (int)pid), 3, "belongs to uid 65534");
	ck_assert_msg(strstr(err, "rank 1") && strstr(err, "--any-owner"), "%s", err);
	mpidbg("queues --job %d --any-owner", (int)pid);
	ck_assert_msg(!strstr(err, "belongs to uid"), "%s", err);
	end_with_children(pid);
}
END_TEST

/* A job that hangs in MPI_Init: the launcher knows the ranks, and those that do the same are one group. */
START_TEST(test_job_before_init)
{
	char program[2048];

	snprintf(program, sizeof(program), "%s/programs/lifetime before", build());
	pid_t pid = start_fake_job("", program);
	wait_for("truth/truth.0.json", pid);
	wait_for("truth/truth.1.json", pid);
	mpidbg("queues --job %d", (int)pid);
	ck_assert_msg(strstr(out, "ranks [0-1] (2 ranks)"), "%s%s", out, err);
	ck_assert_msg(!strstr(out, "without a rank"), "%s", out);
	mpidbg("queues --job %d --json", (int)pid);
	ck_assert_msg(strstr(out, "\"rank\":1") || strstr(out, "\"rank\": 1"), "%s", out);
	ck_assert_msg(strstr(out, "launcher"), "%s", out);
	end_with_children(pid);
}
END_TEST

START_TEST(test_cores_of_two_jobs)
{
	pid_t a = start_ring("ring_a"), b = start_ring("ring_b");

	shell("rm -rf two && mkdir two");
	gcore(a, "two/a.core");
	gcore(b, "two/b.core");
	end(a);
	end(b);
	int rc = mpidbg("queues --cores two");
	ck_assert_msg(strstr(err, "two/a.core") && strstr(err, "two/b.core"), "exit %d: %s%s", rc, out, err);
	ck_assert_msg(strstr(err, "both of this rank") || strstr(err, "another job"), "exit %d: %s%s", rc, out, err);
}
END_TEST

/* A launcher whose ranks are on other hosts, have ended, or are not MPI programs. */
START_TEST(test_job_with_holes)
{
	static const char
		program[] = "#include <stdio.h>\\n#include <stdlib.h>\\n#include <unistd.h>\\n"
			    "struct { char *host, *exe; int pid; } table[3], *MPIR_proctable = table;\\n"
			    "int MPIR_proctable_size, MPIR_being_debugged;\\n"
			    "int main(int c, char **v) { static char here[256]; gethostname(here, 255);\\n"
			    "table[0].host = \"elsewhere\"; table[0].pid = 4711; table[0].exe = \"/bin/a\";\\n"
			    "table[1].host = here; table[1].pid = atoi(v[1]); table[1].exe = \"/bin/b\";\\n"
			    "table[2].host = here; table[2].pid = atoi(v[2]); table[2].exe = \"/bin/c\";\\n"
			    "MPIR_proctable_size = 3; fclose(fopen(\"table\", \"w\")); for (;;) pause(); }\\n";

	ck_assert_msg(shell("printf '%s' > table.c && cc -w -o launcher table.c", program) == 0, "%s", err);
	pid_t gone = start_sleep(), sleeper = start_sleep();
	end(gone);
	pid_t launcher = start("rm -f table; exec ./launcher %d %d", (int)gone, (int)sleeper);
	wait_for("table", launcher);
	ck_error(mpidbg("procs --job %d", (int)launcher), 0, "");
	ck_assert_msg(strstr(out, "MPIR_proctable") && strstr(out, "elsewhere") && strstr(out, "gone"), "%s", out);
	ck_error(mpidbg("queues --job %d", (int)launcher), 3, "on host elsewhere: run mpidbg there");
	ck_assert_msg(strstr(err, "rank 1: ") && strstr(err, "no such process"), "%s", err);
	ck_assert_msg(strstr(err, "rank 2") && strstr(err, "not an MPI process"), "%s", err);
	int rc = mpidbg("queues --job %d --json", (int)launcher);
	ck_assert_int_eq(rc, 3);
	ck_assert_msg(strstr(out, "\"rank\": 0, \"pid\": 4711, \"host\": \"elsewhere\""), "%s", out);
	end(launcher);
	end(sleeper);
}
END_TEST

START_TEST(test_plugin)
{
	ck_error(mpidbg("queues -p 1 --plugin nowhere.so"), 1, "nowhere.so");
	ck_error(mpidbg("queues -p 1 --plugin /bin/true"), 3, "/bin/true");
	/* A library, but no plugin. */
	int rc = mpidbg("queues -p 1 --plugin /lib/x86_64-linux-gnu/libm.so.6");
	ck_assert_msg((rc == 3 || rc == 1) && strstr(err, "libm.so.6"), "%d: %s", rc, err);
}
END_TEST

/* A plugin older than the command: its exports take precedence over those of the library that it links. */
START_TEST(test_old_plugin)
{
	static const char program[] = "char *mqs_version_string(void) { return \"mpidbg 0.0.7: message queues\"; }\n"
				      "const char *mpidbg_error_string(void *p) { return \"no failure\"; }\n"
				      "int mpidbg_describe(void *p, int what) { return 3; }\n";
	ck_assert_msg(shell("printf '%%s' '%s' > old.c && cc -w -shared -fPIC -o old.so old.c -Wl,--no-as-needed "
			    "'%s/libmpidbg.so' -Wl,-rpath,'%s'",
			    program, build(), build()) == 0,
		      "%s", err);
	pid_t sleeper = start_sleep();
	ck_error(mpidbg("vars -p %d --plugin ./old.so", (int)sleeper), 3, "vars: the plugin does not know that: ");
	ck_assert_msg(strstr(err, "old.so is mpidbg 0.0.7, this command is mpidbg ") && !strstr(err, "no failure") &&
			      !*out,
		      "%s%s", out, err);
	ck_error(mpidbg("vars -p %d --plugin ./old.so --json", (int)sleeper), 3, "does not know that");
	ck_assert_msg(strstr(out, "\"problems\": [\"vars: the plugin does not know that"), "%s", out);
	end(sleeper);
}
END_TEST

START_TEST(test_full_disk)
{
	if (access("/dev/full", W_OK) != 0)
		return;
	ck_assert_int_eq(shell("'%s/mpidbg' help >/dev/full", build()), 3);
	ck_assert_ptr_nonnull(strstr(err, "cannot be written"));
}
END_TEST

static void make_folder(void)
{
	scratch_make(folder, "cli-errors");
	ck_assert_int_eq(chmod(folder, 0755), 0);
}

static void remove_folder(void)
{
	scratch_remove(folder);
}

int main(void)
{
	static char b[1024];
	if (!realpath(build(), b) || setenv("MPIDBG_BUILD", b, 1) != 0) {
		perror(build());
		return EXIT_FAILURE;
	}
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);

	Suite *suite = suite_create("cli errors");
	TCase *tc = tcase_create("all");
	tcase_set_timeout(tc, 180);
	tcase_add_unchecked_fixture(tc, make_folder, remove_folder);
	tcase_add_test(tc, test_no_mpi);
	tcase_add_test(tc, test_gone);
	tcase_add_test(tc, test_zombie);
	tcase_add_test(tc, test_not_ours);
	tcase_add_test(tc, test_traced);
	tcase_add_test(tc, test_container);
	tcase_add_test(tc, test_launcher_as_process);
	tcase_add_test(tc, test_not_a_core);
	tcase_add_test(tc, test_core_of_another_program);
	tcase_add_test(tc, test_truncated_core);
	tcase_add_test(tc, test_core_of_32_bit);
	tcase_add_test(tc, test_not_initialised);
	tcase_add_test(tc, test_finalised);
	tcase_add_test(tc, test_unknown_open_mpi);
	tcase_add_test(tc, test_mpich);
	tcase_add_test(tc, test_mpich_prepared);
	tcase_add_test(tc, test_hostile_names);
	tcase_add_test(tc, test_odd_states);
	tcase_add_test(tc, test_other_owner);
	tcase_add_test(tc, test_job_before_init);
	tcase_add_test(tc, test_cores_of_two_jobs);
	tcase_add_test(tc, test_job_with_holes);
	tcase_add_test(tc, test_plugin);
	tcase_add_test(tc, test_old_plugin);
	tcase_add_test(tc, test_full_disk);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
