/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"

#include "job.h"
#include "launcher.h"

#include <check.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { WORDS_MAX = 64, COMMAND_MAX = 4096 };

void world_require(void)
{
	job_require();
	launcher_environment();
	if (system("command -v mpirun.mpich >/dev/null 2>&1") == 0)
		return;
	puts("mpirun.mpich is not installed");
	exit(77);
}

char *world_command(const char *command)
{
	static const struct {
		const char *word, *file;
	} files[] = { { "@openmpi", "libmpi2dd-openmpi.so" },
		      { "@mpich", "libmpi2dd-mpich.so" },
		      { "@worldmpich", "programs-mpich/world" },
		      { "@world", "programs/world" },
		      { "@build/", "" } };
	const char *build = getenv("MPIDBG_BUILD");
	char *ret = calloc(1, COMMAND_MAX), *real = build ? realpath(build, NULL) : NULL;
	size_t n = 0;

	ck_assert(ret && real);
	while (*command) {
		size_t i = 0;
		while (i < sizeof files / sizeof *files && strncmp(command, files[i].word, strlen(files[i].word)) != 0)
			i++;
		if (strncmp(command, "@support/", 9) == 0) {
			char folder[PATH_MAX];
			ck_assert_ptr_nonnull(realpath("tests/support", folder));
			n += (size_t)snprintf(ret + n, COMMAND_MAX - n, "%s/", folder);
			command += 9;
		} else if (i < sizeof files / sizeof *files) {
			n += (size_t)snprintf(ret + n, COMMAND_MAX - n, "%s/%s", real, files[i].file);
			command += strlen(files[i].word);
		} else {
			ret[n++] = *command++;
		}
		ck_assert_uint_lt(n, COMMAND_MAX - 1);
		ret[n] = '\0';
	}
	free(real);
	return ret;
}

static void split(char *command, char *argv[WORDS_MAX])
{
	size_t n = 0;

	for (char *save = NULL, *word = strtok_r(command, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		ck_assert_uint_lt(n, WORDS_MAX - 1);
		argv[n++] = word;
	}
	argv[n] = NULL;
}

void world_run(struct mpidbg_run *ret, const char *command)
{
	char *line = world_command(command), *argv[WORDS_MAX];

	split(line, argv);
	mpidbg_run_program(ret, argv);
	free(line);
}

json_t *world_table(const char *command)
{
	struct mpidbg_run r;

	world_run(&r, command);
	ck_assert_msg(r.exit_code == 0, "%s: exit %d\n%s%s", command, r.exit_code, r.err, r.out);
	/* mpirun sometimes warns that it has lost a race with the agent that it starts */
	ck_assert_msg(!r.err[0] || strstr(r.err, "plm:rsh: Warning") || strstr(r.err, "plm:ssh: Warning"),
		      "%s: says\n%s", command, r.err);
	json_t *ret = mpidbg_run_json(&r);
	mpidbg_run_free(&r);
	return ret;
}

pid_t world_start(const char *command, int *out)
{
	char *line = world_command(command), *argv[WORDS_MAX];

	split(line, argv);
	*out = memfd_create("out", MFD_CLOEXEC);
	ck_assert_int_ge(*out, 0);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		dup2(*out, 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	free(line);
	return child;
}

const json_t *world_rank(const json_t *table, size_t rank)
{
	const json_t *ret = json_array_get(table, rank);

	ck_assert_msg(json_is_object(ret), "rank %zu says nothing", rank);
	ck_assert_int_eq(world_number(ret, "rank"), rank);
	return ret;
}

const json_t *world_info(const json_t *table, size_t rank)
{
	const json_t *ret = json_object_get(world_rank(table, rank), "info");

	ck_assert_msg(json_is_object(ret), "rank %zu has no MPI2DD_info", rank);
	return ret;
}

long long world_number(const json_t *object, const char *name)
{
	const json_t *v = json_object_get(object, name);

	ck_assert_msg(json_is_integer(v), "%s: no number", name);
	return json_integer_value(v);
}

const char *world_text(const json_t *object, const char *name)
{
	const json_t *v = json_object_get(object, name);

	ck_assert_msg(json_is_string(v), "%s: no text", name);
	return json_string_value(v);
}

/* The process there is at a place; ends the test when there is none. */
static const json_t *at_place(const json_t *table, const char *host, long long pid)
{
	const json_t *rank;
	size_t i;

	json_array_foreach(table, i, rank)
	{
		if (world_number(rank, "pid") == pid && strcmp(world_text(rank, "host"), host) == 0)
			return world_info(table, i);
	}
	ck_abort_msg("no process of the job is at %s, pid %lld", host, pid);
	return NULL;
}

json_t *world_walk(const json_t *table, size_t from_rank)
{
	const json_t *from = world_info(table, from_rank), *entry;
	const json_t *meta = at_place(table, world_text(from, "meta_host"), world_number(from, "meta_pid"));
	json_t *ret = json_array();
	size_t i;

	json_array_extend(ret, json_object_get(meta, "proctable"));
	json_array_foreach(json_object_get(meta, "directories"), i, entry)
	{
		const json_t *directory = at_place(table, world_text(entry, "host"), world_number(entry, "pid"));
		ck_assert_uint_gt(json_array_size(json_object_get(directory, "proctable")), 0);
		json_array_extend(ret, json_object_get(directory, "proctable"));
	}
	return ret;
}
