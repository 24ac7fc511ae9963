/* SPDX-License-Identifier: BSD-3-Clause */
#include "ended.h"

#include "answer.h"

#include <string.h>
#include <sys/wait.h>

static bool text_is(const json_t *object, const char *key, const char *text)
{
	const char *is = json_string_value(json_object_get(object, key));

	return is && strcmp(is, text) == 0;
}

/* Has MPI_Init returned in a rank of this world? @param mpi of that MPI; NULL: of any */
static bool is_up(const json_t *processes, json_int_t world, const char *mpi)
{
	const json_t *process;
	size_t i;

	json_array_foreach(processes, i, process)
	{
		const json_t *its = json_object_get(process, "mpi");
		if (json_integer_value(json_object_get(process, "world_number")) == world &&
		    (text_is(its, "state", "initialized") || text_is(its, "state", "finalized")) &&
		    (!mpi || text_is(its, "name", mpi)))
			return true;
	}
	return false;
}

/* How it has ended, if that is known. @param status as of host_process_exit_status() */
static void set_exit(json_t *process, int status)
{
	if (status < 0)
		return;
	if (WIFSIGNALED(status))
		json_object_set_new(process, "exit_signal", json_integer(WTERMSIG(status)));
	else if (WIFEXITED(status))
		json_object_set_new(process, "exit_code", json_integer(WEXITSTATUS(status)));
}

static void insert(json_t *processes, json_int_t world, const struct host_ended *e)
{
	const json_t *process;
	size_t i;

	json_array_foreach(processes, i, process)
	{
		json_int_t its = json_integer_value(json_object_get(process, "world_number"));
		if (its > world ||
		    (its == world && json_integer_value(json_object_get(process, "rank")) > (json_int_t)e->rank))
			break;
	}
	json_t *ended = json_pack("{s:I, s:s, s:s, s:[], s:I}", "rank", (json_int_t)e->rank, "host", cmd_this_host(),
				  "state", "gone", "problems", "world_number", world);
	set_exit(ended, e->status);
	json_array_insert_new(processes, i, ended);
}

/*
 * The script that has started a rank goes on, and there is no MPI program below it. MPICH's MPI_Init returns in no rank
 * before all have called it: the program was there.
 */
static void mark_script(const struct cmd_proc *p, const json_t *processes, json_t *process)
{
	json_int_t world = json_integer_value(json_object_get(process, "world_number"));

	if (p->core || !p->here || p->pid <= 0 || json_is_object(json_object_get(process, "mpi")) ||
	    !json_is_integer(json_object_get(process, "rank")) || !is_up(processes, world, "MPICH") ||
	    !host_is_no_mpi_program((pid_t)p->pid))
		return;
	json_object_set_new(process, "state", json_string("gone"));
	json_object_del(process, "calls"); /* of another program */
}

void cmd_ended_mark(const struct cmd_job *job, json_t *processes)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i];
		if (p->answer->left_out)
			continue;
		json_t *process = json_array_get(processes, n++);
		mark_script(p, processes, process);
		if (text_is(process, "state", "zombie"))
			set_exit(process, host_process_exit_status((pid_t)p->pid));
	}
	for (size_t e = 0; e < job->n_ended; e++) {
		k = 0;
		for (size_t i = 0; i < job->n; i++) {
			const struct cmd_proc *p = &job->procs[i];
			if (p->answer->left_out)
				continue;
			json_int_t world = json_integer_value(
				json_object_get(json_array_get(processes, k++), "world_number"));
			if (strcmp(p->job, job->ended[e].job) != 0)
				continue;
			if (is_up(processes, world, NULL))
				insert(processes, world, &job->ended[e]);
			break;
		}
	}
}
