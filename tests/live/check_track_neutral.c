/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The in-target library changes nothing: a program says and returns the same without it, with it, and with the library
 * of the other MPI; tools that use the profiling interface see each call as often as without it; a module that brings
 * its own MPI by dlopen is seen.
 */
#include "../support/scratch.h"
#include "../support/suite.h"
#include "../support/world.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_S = 240 };

static const struct mpi {
	const char *name, *launcher, *programs;
} mpis[] = {
	{ "openmpi", "mpirun.openmpi --oversubscribe -n 2", "@build/programs" },
	{ "mpich", "mpirun.mpich -n 2", "@build/programs-mpich" },
};
enum { N_MPIS = sizeof mpis / sizeof mpis[0] };

static char scratch[SCRATCH_MAX];

static void begin(void)
{
	scratch_make(scratch, "neutral");
}

static void end(void)
{
	scratch_remove(scratch);
}

/* Compile text as a file of the scratch folder. */
static void compile(const char *compiler, const char *name, const char *source)
{
	char path[300], command[5000];

	snprintf(path, sizeof path, "%s/%s.c", scratch, name);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(source, f);
	fclose(f);
	snprintf(command, sizeof command, "cd '%s' && %s", scratch, compiler);
	ck_assert_msg(system(command) == 0, "%s", command);
}

/* Same exit code and output of two commands, which are all that may differ. */
static void same(const char *first, const char *second)
{
	char said[SCRATCH_MAX + 8];
	struct mpidbg_run r[2];

	size_t n = 0;

	snprintf(said, sizeof said, "%s/said", scratch);
	world_run(&r[0], first);
	mpidbg_run_read(&r[0], said);
	world_run(&r[1], second);
	mpidbg_run_read(&r[1], said);
	ck_assert_msg(strlen(r[0].out) > 10, "%s: exit %d, says\n%.1000s%.2000s", first, r[0].exit_code, r[0].out,
		      r[0].err);
	while (r[0].out[n] && r[0].out[n] == r[1].out[n])
		n++;
	/* Check ends the test without its message if that is longer than 8192 bytes */
	ck_assert_msg(r[0].exit_code == r[1].exit_code && r[0].out[n] == r[1].out[n],
		      "%s: exit %d, the other %d; from byte %zu on\n%.1000s\nthe other\n%.1000s\nerrors\n%.2000s",
		      second, r[1].exit_code, r[0].exit_code, n, r[1].out + n, r[0].out + n, r[1].err);
	mpidbg_run_free(&r[0]);
	mpidbg_run_free(&r[1]);
}

/* Preloaded into the ranks only; the launcher goes without. */
static void job(char *ret, size_t size, const struct mpi *m, const char *preload, const char *program)
{
	snprintf(ret, size, "%s env %s%s %s", m->launcher, preload ? "LD_PRELOAD=" : "-u LD_PRELOAD",
		 preload ? preload : "", program);
}

static const char *const preloads[] = { "@openmpi", "@mpich", "@openmpi:@mpich", "@mpich:@openmpi" };

START_TEST(test_same_results)
{
	const struct mpi *m = &mpis[_i % N_MPIS];
	char without[600], with[600], program[SCRATCH_MAX + 100];

	snprintf(program, sizeof program, "%s/neutral %s/said", m->programs, scratch);
	job(without, sizeof without, m, NULL, program);
	job(with, sizeof with, m, preloads[_i / N_MPIS], program);
	same(without, with);
}
END_TEST

/* ---- tools -------------------------------------------------------------------------------------------- */

static const char
	tool[] = "#include <mpi.h>\n"
		 "#include <stdio.h>\n"
		 "static int n_send, n_recv, n_isend, n_wait, n_dup;\n"
		 "int MPI_Send(const void *b, int n, MPI_Datatype t, int d, int g, MPI_Comm c)\n"
		 "{ n_send++; return PMPI_Send(b, n, t, d, g, c); }\n"
		 "int MPI_Recv(void *b, int n, MPI_Datatype t, int d, int g, MPI_Comm c, MPI_Status *s)\n"
		 "{ n_recv++; return PMPI_Recv(b, n, t, d, g, c, s); }\n"
		 "int MPI_Isend(const void *b, int n, MPI_Datatype t, int d, int g, MPI_Comm c, MPI_Request *r)\n"
		 "{ n_isend++; return PMPI_Isend(b, n, t, d, g, c, r); }\n"
		 "int MPI_Wait(MPI_Request *r, MPI_Status *s) { n_wait++; return PMPI_Wait(r, s); }\n"
		 "int MPI_Comm_dup(MPI_Comm c, MPI_Comm *d) { n_dup++; return PMPI_Comm_dup(c, d); }\n"
		 "int MPI_Finalize(void)\n"
		 "{ printf(\"send %d recv %d isend %d wait %d dup %d\\n\", n_send, n_recv, n_isend, n_wait, n_dup);\n"
		 "  fflush(stdout); return PMPI_Finalize(); }\n";

static const char user[] =
	"#include <mpi.h>\n"
	"int main(int c, char **v)\n"
	"{ int rank, a = 1, b; MPI_Request r; MPI_Comm d; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
	"  MPI_Comm_dup(MPI_COMM_WORLD, &d);\n"
	"  for (int i = 0; i < 10; i++) { MPI_Isend(&a, 1, MPI_INT, !rank, i, d, &r);\n"
	"    MPI_Recv(&b, 1, MPI_INT, !rank, i, d, MPI_STATUS_IGNORE); MPI_Wait(&r, MPI_STATUS_IGNORE); }\n"
	"  if (rank == 0) MPI_Send(&a, 1, MPI_INT, 1, 1, d); else MPI_Recv(&b, 1, MPI_INT, 0, 1, d, "
	"MPI_STATUS_IGNORE);\n"
	"  MPI_Comm_free(&d); MPI_Finalize(); return 0; }\n";

START_TEST(test_tools)
{
	const struct mpi *m = &mpis[_i];
	char compiler[300], with[1200], preload[600], program[300];

	begin();
	snprintf(compiler, sizeof compiler, "mpicc.%s -shared -fPIC -O1 -o libtool.so tool.c", m->name);
	compile(compiler, "tool", tool);
	snprintf(compiler, sizeof compiler, "mpicc.%s -O1 -o user user.c", m->name);
	compile(compiler, "user", user);
	snprintf(compiler, sizeof compiler,
		 "mpicc.%s -O1 -o linked linked.c -L. -Wl,-rpath,\"$PWD\" -Wl,--no-as-needed -ltool", m->name);
	compile(compiler, "linked", user);
	snprintf(program, sizeof program, "%s/user", scratch);
	/* above and below us */
	snprintf(preload, sizeof preload, "%s/libtool.so:@%s", scratch, m->name);
	for (int turn = 0; turn < 2; turn++) {
		struct mpidbg_run r;
		job(with, sizeof with, m, preload, program);
		world_run(&r, with);
		ck_assert_msg(r.exit_code == 0, "%s: exit %d\n%s%s", with, r.exit_code, r.out, r.err);
		ck_assert_msg(strstr(r.out, "send 1 recv 10 isend 10 wait 10 dup 1\n") &&
				      strstr(r.out, "send 0 recv 11 isend 10 wait 10 dup 1\n"),
			      "%s:\n%s", with, r.out);
		mpidbg_run_free(&r);
		snprintf(preload, sizeof preload, "@%s:%s/libtool.so", m->name, scratch);
	}
	/* linked with the program */
	struct mpidbg_run r;
	snprintf(program, sizeof program, "%s/linked", scratch);
	snprintf(preload, sizeof preload, "@%s", m->name);
	job(with, sizeof with, m, preload, program);
	world_run(&r, with);
	ck_assert_msg(r.exit_code == 0 && strstr(r.out, "send 1 recv 10 isend 10 wait 10 dup 1\n") &&
			      strstr(r.out, "send 0 recv 11 isend 10 wait 10 dup 1\n"),
		      "%s: exit %d\n%s%s", with, r.exit_code, r.out, r.err);
	mpidbg_run_free(&r);
	end();
}
END_TEST

/* ---- modules ------------------------------------------------------------------------------------------ */

static const char module[] =
	"#define _GNU_SOURCE\n"
	"#include \"track_layout.h\"\n"
	"#include <mpi.h>\n"
	"#include <dlfcn.h>\n"
	"#include <stdio.h>\n"
	"int run(void)\n"
	"{ int a = 1, b = 0; MPI_Request r; MPI_Init(NULL, NULL);\n"
	"  MPI_Irecv(&b, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &r); MPI_Send(&a, 1, MPI_INT, 0, 1, MPI_COMM_SELF);\n"
	"  MPI_Wait(&r, MPI_STATUS_IGNORE);\n"
	"  const struct trk_registry *g = dlsym(RTLD_DEFAULT, \"MPI2DD_registry\");\n"
	"  const struct trk_thread *t = g ? (void *)g->threads : NULL;\n"
	"  printf(\"received %d; born %d retired %d\\n\", b, t ? (int)t->n_born : -1, t ? (int)t->n_retired : -1);\n"
	"  fflush(stdout); return MPI_Finalize(); }\n";
static const char host[] = "#include <dlfcn.h>\n"
			   "int main(int c, char **v)\n"
			   "{ (void)c; void *h = dlopen(v[1], RTLD_NOW | RTLD_LOCAL); if (!h) return 9;\n"
			   "  int (*run)(void) = (int (*)(void))dlsym(h, \"run\"); return run ? run() : 8; }\n";

START_TEST(test_local_module)
{
	const struct mpi *m = &mpis[_i];
	char compiler[4400], command[800], top[4096];
	struct mpidbg_run r;

	begin();
	ck_assert_ptr_nonnull(getcwd(top, sizeof top));
	snprintf(compiler, sizeof compiler, "mpicc.%s -shared -fPIC -O1 -I%s/include -o module.so module.c", m->name,
		 top);
	compile(compiler, "module", module);
	compile("gcc -O1 -o host host.c -ldl", "host", host);
	snprintf(command, sizeof command, "env LD_PRELOAD=@%s %s/host %s/module.so", m->name, scratch, scratch);
	world_run(&r, command);
	ck_assert_msg(r.exit_code == 0 && strcmp(r.out, "received 1; born 1 retired 1\n") == 0, "%s: exit %d\n%s%s",
		      command, r.exit_code, r.out, r.err);
	mpidbg_run_free(&r);
	end();
}
END_TEST

int main(void)
{
	world_require();
	Suite *s = suite_create("check_track_neutral");
	TCase *tc = tcase_create("neutral");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_same_results, 0, N_MPIS * (int)(sizeof preloads / sizeof preloads[0]));
	tcase_add_loop_test(tc, test_tools, 0, N_MPIS);
	tcase_add_loop_test(tc, test_local_module, 0, N_MPIS);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
