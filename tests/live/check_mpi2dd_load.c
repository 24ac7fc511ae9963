/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library where it has nothing to do, where the MPI library comes late, and where partners do not carry it: the
 * program behaves as without it, and nobody waits.
 */
#include "../support/job.h"
#include "../support/launcher.h"
#include "../support/scratch.h"
#include "../support/suite.h"
#include "../support/truth.h"
#include "../support/world.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_S = 240, SOON_S = 120 };

static const char *const libraries[] = { "@openmpi", "@mpich", "@openmpi:@mpich" };

/* Run it without and with the library: same exit code, same output. @p env: "env" or "env NAME=VALUE ..." */
static void same(const char *library, const char *command)
{
	struct mpidbg_run r[2];
	char line[1024];
	snprintf(line, sizeof line, "env LD_PRELOAD=%s %s", library, command);
	world_run(&r[0], command);
	world_run(&r[1], line);
	ck_assert_msg(r[0].exit_code == r[1].exit_code && strcmp(r[0].out, r[1].out) == 0 &&
			      strcmp(r[0].err, r[1].err) == 0,
		      "%s: exit %d, without the library %d\n%s%s\n%s%s", line, r[1].exit_code, r[0].exit_code, r[1].out,
		      r[1].err, r[0].out, r[0].err);
	mpidbg_run_free(&r[0]);
	mpidbg_run_free(&r[1]);
}

/* With debug information of MPI or without, with MPI or not, the loader is content with the library. */
START_TEST(test_programs_without_mpi)
{
	static const char *const commands[] = { "/bin/true",
						"/bin/false",
						"/bin/sh -c exit\\ 5",
						"/bin/echo some words",
						"/bin/sh -c ls</proc/self/fd",
						"env LD_BIND_NOW=1 /bin/true",
						"python3 -c import\tos;print(os.listdir('/proc/self/fd'))" };
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		same(libraries[_i], commands[i]);
}
END_TEST

/* The loader does not come into it. */
START_TEST(test_static_program)
{
	char dir[SCRATCH_MAX], command[512];
	scratch_make(dir, "load");
	snprintf(command, sizeof command,
		 "cd %s && echo 'int main(void){return 7;}' >a.c && cc -static -o a a.c 2>/dev/null", dir);
	ck_assert_int_eq(system(command), 0);
	snprintf(command, sizeof command, "%s/a", dir);
	same(libraries[_i], command);
	scratch_remove(dir);
}
END_TEST

/*
 * MPI is loaded by dlopen with RTLD_LOCAL, as by Python extension modules. ctypes gets the functions from the
 * handle and so bypasses the in-target library: nothing is recorded, and nothing breaks.
 */
START_TEST(test_library_comes_late)
{
	static const char *const mpis[] = { "libmpi.so.40", "libmpich.so.12" };
	char command[512];
	snprintf(command, sizeof command,
		 "python3 -c "
		 "import\tctypes,os;m=ctypes.CDLL('%s',os.RTLD_LOCAL|os.RTLD_NOW);print(m.MPI_Init(None,None),m.MPI_"
		 "Finalize())",
		 mpis[_i]);
	same(libraries[_i], command);
	same(libraries[2], command);
	same(libraries[!_i], command); /* the other flavour's */
}
END_TEST

/*
 * Linked with the library, so that the linker leaves the MPI library out, and preloaded too: as the same file, as
 * copies under other names, as the other flavour. What counts is that the program needs MPI; one copy is at work.
 */
START_TEST(test_linked_and_preloaded)
{
	static const char source[] = "#define _GNU_SOURCE 1\n#include <mpi.h>\n#include <dlfcn.h>\n#include <stdio.h>\n"
				     "#include \"track_layout.h\"\n"
				     "int main(int argc, char **argv)\n"
				     "{ int there = 0, level = -1, a = 0; char name[MPI_MAX_PROCESSOR_NAME];\n"
				     "  if (MPI_Init(&argc, &argv) || MPI_Initialized(&there) || !there) return 2;\n"
				     "  if (MPI_Query_thread(&level) || MPI_Get_processor_name(name, &a)) return 3;\n"
				     "  const struct trk_registry *g = dlsym(RTLD_DEFAULT, \"MPI2DD_registry\");\n"
				     "  printf(\"level %d state %d of %d\\n\", level, g ? (int)g->mpi_state : -1, g ? "
				     "(int)g->world_size : -1);\n"
				     "  return MPI_Finalize(); }\n";
	static const char *const ways[] = { "env",
					    "env LD_PRELOAD=@FLAVOUR",
					    "env LD_PRELOAD=DIR/first.so",
					    "env LD_PRELOAD=DIR/first.so:DIR/second.so",
					    "@build/mpi2dd-run",
					    "@build/mpi2dd-run --library DIR/first.so" };
	const char *flavour = _i ? "mpich" : "openmpi", *other = _i ? "openmpi" : "mpich";
	char dir[SCRATCH_MAX], text[2048];
	struct mpidbg_run r;

	scratch_make(dir, "linked");
	snprintf(text, sizeof text, "%s/a.c", dir);
	FILE *f = fopen(text, "w");
	ck_assert(f && fputs(source, f) >= 0 && fclose(f) == 0);
	char *build = world_command("@build/");
	snprintf(text, sizeof text,
		 "mpicc.%s %s/a.c -Iinclude -o %s/a -L%s -lmpi2dd-%s -Wl,--as-needed -Wl,-rpath,%s -ldl && cd %s && "
		 "cp %s/libmpi2dd-%s.so first.so && cp first.so second.so",
		 flavour, dir, dir, build, flavour, build, dir, build, flavour);
	ck_assert_int_eq(system(text), 0);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		snprintf(text, sizeof text, "timeout 60 ");
		for (const char *from = ways[i]; *from;) {
			const char *word = strncmp(from, "DIR", 3) == 0       ? dir
					   : strncmp(from, "FLAVOUR", 7) == 0 ? flavour
									      : NULL;
			size_t n = strlen(text);
			if (word)
				snprintf(text + n, sizeof text - n, "%s", word);
			else
				snprintf(text + n, sizeof text - n, "%c", *from);
			from += word == dir ? 3 : word ? 7 : 1;
		}
		snprintf(text + strlen(text), sizeof text - strlen(text), " %s/a", dir);
		world_run(&r, text);
		ck_assert_msg(r.exit_code == 0 && strcmp(r.out, "level 0 state 1 of 1\n") == 0, "%s: exit %d\n%s%s",
			      text, r.exit_code, r.out, r.err);
		mpidbg_run_free(&r);
	}
	/* the other flavour's stands before it and hands everything on */
	snprintf(text, sizeof text, "timeout 60 env LD_PRELOAD=@%s %s/a", other, dir);
	world_run(&r, text);
	ck_assert_msg(r.exit_code == 0 && strncmp(r.out, "level 0 ", 8) == 0, "%s: exit %d\n%s%s", text, r.exit_code,
		      r.out, r.err);
	mpidbg_run_free(&r);
	free(build);
	scratch_remove(dir);
}
END_TEST

/* ---- partners without the library ---------------------------------------------------------------- */

/* Rank by rank, '+': carries it. */
static const struct partial {
	const char *command, *who;
	int n_hosts;
} partials[] = {
	{ "mpirun.openmpi --oversubscribe -n 1 env LD_PRELOAD=@openmpi @world : -n 2 @world", "+--", 1 },
	{ "mpirun.openmpi --oversubscribe -n 1 @world : -n 2 env LD_PRELOAD=@openmpi @world", "-++", 1 },
	{ "mpirun.openmpi --oversubscribe -n 2 env LD_PRELOAD=@openmpi @world : -n 1 @world", "++-", 1 },
	{ "mpirun.openmpi --oversubscribe -n 2 @world", "--", 1 },
	{ "mpirun.mpich -n 1 env LD_PRELOAD=@mpich @worldmpich : -n 2 @worldmpich", "+--", 1 },
	{ "mpirun.mpich -n 1 @worldmpich : -n 2 env LD_PRELOAD=@mpich @worldmpich", "-++", 1 },
	{ "mpirun.mpich -n 2 env LD_PRELOAD=@mpich @worldmpich : -n 1 @worldmpich", "++-", 1 },
	/* all carry it, but nobody can know that of the other hosts */
	{ "mpirun.openmpi -H n1:2,n2:2,n3:1 --mca plm_rsh_agent @support/host_agent -n 5 -x "
	  "LD_PRELOAD=@openmpi "
	  "@world",
	  "+++++", 3 },
	/* the starter counts, and one node is short of one */
	{ "@build/mpi2dd-run mpirun.openmpi -H n1:2,n2:2,n3:1 --mca plm_rsh_agent @support/host_agent "
	  "-n 4 @world : "
	  "-n 1 "
	  "env -u LD_PRELOAD @world",
	  "++++-", 3 },
	{ "@build/mpi2dd-run mpirun.openmpi -H n1:2,n2:2 --mca plm_rsh_agent @support/host_agent -n 1 "
	  "@world : -n 1 "
	  "env -u LD_PRELOAD @world : -n 2 @world",
	  "+-++", 2 },
};

/* The published tables are true: each entry is a rank; a process that no directory lists, lists itself. */
START_TEST(test_partners_without)
{
	const struct partial *p = &partials[_i];
	double start = job_now();
	bool several = strstr(p->command, "mpirun.openmpi") && strstr(p->command, " : ");
	/* what is known of hosts is in the variables that are missing then */
	if (p->n_hosts > 1 && ((several && !launcher_takes_several()) || !launcher_reaches_hosts())) {
		printf("not run: %s\n", p->command);
		return;
	}
	if (several)
		launcher_make_take_several();
	json_t *table = world_table(p->command);
	ck_assert_msg(job_now() - start < SOON_S, "%s: took %.1f s", p->command, job_now() - start);
	ck_assert_uint_eq(json_array_size(table), strlen(p->who));
	const char *world = NULL;
	int n_listed[16] = { 0 };
	for (size_t i = 0; p->who[i]; i++) {
		json_t *entry;
		size_t k;
		ck_assert_int_eq(world_number(world_rank(table, i), "messages_waiting"), 0);
		if (p->who[i] == '-') {
			ck_assert(json_is_null(json_object_get(world_rank(table, i), "info")));
			continue;
		}
		const json_t *info = world_info(table, i);
		ck_assert_int_eq(world_number(info, "state"), 1);
		ck_assert_uint_eq(json_array_size(json_object_get(info, "directories")), 0);
		json_array_foreach(json_object_get(info, "proctable"), k, entry)
		{
			long long rank = world_number(entry, "rank");
			const json_t *truth = world_rank(table, (size_t)rank);
			ck_assert_int_eq(p->who[rank], '+');
			ck_assert_int_eq(world_number(entry, "pid"), world_number(truth, "pid"));
			ck_assert_str_eq(world_text(entry, "host"), world_text(truth, "host"));
			/* all ranks have the same name of the world, although no rank has distributed it */
			world = world ? world : world_text(entry, "world");
			ck_assert_str_eq(world_text(entry, "world"), world);
			n_listed[rank]++;
		}
		json_decref(world_walk(table, i));
	}
	for (size_t i = 0; p->who[i]; i++)
		ck_assert_msg(n_listed[i] == (p->who[i] == '+'), "rank %zu is in %d tables", i, n_listed[i]);
	json_decref(table);
}
END_TEST

/* ---- the readers' view --------------------------------------------------------------------------- */

/* With the library loaded, the output of the command is correct as well. */
START_TEST(test_command_still_right)
{
	static const struct {
		const char *program;
		int n;
	} cases[] = { { "receives", 3 }, { "sends", 2 }, { "unexpected", 3 }, { "comms", 4 } };
	char *preload = world_command("-x LD_PRELOAD=@openmpi");
	struct job job;
	job_start(cases[_i].program, preload, cases[_i].n, 0, &job);
	truth_check_live(&job);
	job_end(&job);
	free(preload);
}
END_TEST

int main(void)
{
	world_require();
	launcher_takes_several();
	launcher_reaches_hosts();

	Suite *suite = suite_create("check_mpi2dd_load");
	TCase *tc = tcase_create("load");
	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_programs_without_mpi, 0, 3);
	tcase_add_loop_test(tc, test_static_program, 0, 3);
	tcase_add_loop_test(tc, test_library_comes_late, 0, 2);
	tcase_add_loop_test(tc, test_linked_and_preloaded, 0, 2);
	tcase_add_loop_test(tc, test_partners_without, 0, sizeof partials / sizeof *partials);
	tcase_add_loop_test(tc, test_command_still_right, 0, 4);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
