/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"
#include "elsewhere.h"
#include "help.h"
#include "job_names.h"
#include "message.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cmd_entry commands[] = {
	{ "jobs", cmd_jobs, "list the MPI jobs of this machine and those of Slurm" },
	{ "procs", cmd_procs, "list the processes of a job" },
	{ "comms", cmd_comms, "list communicators: names, members, topologies" },
	{ "queues", cmd_queues, "show message queues and blocked calls of each rank" },
	{ "deadlock", cmd_deadlock, "say why a job hangs: ranks that wait for each other, missing ranks, mismatches" },
	{ "explain", cmd_explain, "show one rank: its threads, what each waits for, who holds its locks" },
	{ "stacks", cmd_stacks, "merge the stacks of all ranks to one tree: who is in which function" },
	{ "report", cmd_report, "write why a job hangs, and the state of its ranks, as one HTML page" },
	{ "snapshot", cmd_snapshot, "write the state of all ranks of a job as one JSON text" },
	{ "diff", cmd_diff, "compare two snapshots of a job: stuck, slow, or spinning" },
	{ "top", cmd_top, "watch a job: one line for each group of ranks in the same state" },
	{ "watch", cmd_watch, "watch a job unattended: write a report when nothing has moved for some time" },
	{ "calls", cmd_calls, "show the MPI call of each thread, with its arguments" },
	{ "handles", cmd_handles, "list MPI objects that the program has created and not freed" },
	{ "print", cmd_print, "show all facts about one MPI object" },
	{ "vars", cmd_vars, "show MPI_T: control and performance variables, categories, events" },
	{ "doctor", cmd_doctor, "show what can be read of a process, and why not" },
	{ "layout", cmd_layout, "make, check and list layout packs" },
	{ "agent", cmd_agent, "read the ranks of a job on this host for mpidbg on another one, which starts it" },
	{ "pmix", cmd_pmix, "ask the launcher of Open MPI 5 for the hosts of its job; mpidbg starts it" },
};
enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void help(void)
{
	fputs("Usage: mpidbg COMMAND [OPTION]...\n"
	      "       mpidbg JOB [OPTION]...      why does this job hang? The same as mpidbg deadlock --job JOB\n"
	      "       mpidbg                      which MPI jobs run here? The same as mpidbg jobs\n"
	      "\n"
	      "Show what MPI processes and jobs are doing, live or from core files.\n"
	      "\n",
	      stdout);
	for (size_t i = 0; i < N_COMMANDS; i++)
		printf("  mpidbg %-8s %s\n", commands[i].name, commands[i].what);
	fputs("  mpidbg help     this text; mpidbg help COMMAND: help of a command; mpidbg help --man COMMAND: its "
	      "manual\n"
	      "                  page; mpidbg help --bash, --zsh: completion of commands and options for these shells\n"
	      "\n"
	      "Examples:\n"
	      "  mpidbg 4711                     why the job that mpirun 4711 started hangs, or that of rank 4711\n"
	      "  mpidbg queues --job 4711        every rank of the job that mpirun 4711 started\n"
	      "  mpidbg queues -p 4712           one rank\n"
	      "  mpidbg queues --cores crash/    the cores in a directory, sorted by rank\n"
	      "  mpidbg comms --core core.4712\n"
	      "\n"
	      "Exit status: 0 success; 1 the requested item does not exist; 2 usage error; 3 not or only partly "
	      "readable;\n"
	      "             4 deadlock: the job cannot make progress; 5, 6: deadlock and watch, see there.\n",
	      stdout);
}

static const struct cmd_entry *find_command(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int unknown(const char *name)
{
	const char *names[N_COMMANDS + 2];

	for (size_t i = 0; i < N_COMMANDS; i++)
		names[i] = commands[i].name;
	names[N_COMMANDS] = "help";
	names[N_COMMANDS + 1] = NULL;
	const char *near = cmd_nearest(name, names);
	if (near)
		cmd_message("unknown command %s: did you mean %s?", name, near);
	else
		cmd_message("unknown command %s: see mpidbg help", name);
	return CMD_USAGE;
}

/* Was everything written? A full disk must not look like a complete output. */
static int finish(int rc)
{
	if (fflush(stdout) != 0 || ferror(stdout)) {
		cmd_message("standard output cannot be written");
		return CMD_PARTIAL;
	}
	return rc;
}

/* PID, PID@HOST, slurm:JOB, or as mpidbg jobs names it: does the word name a job? */
static bool is_job(const char *word)
{
	size_t n_digits = strspn(word, "0123456789");

	return (n_digits && (!word[n_digits] || word[n_digits] == '@')) || cmd_job_is_slurm(word) ||
	       cmd_job_is_flux(word) || cmd_job_is_name(word);
}

static int run_command(const struct cmd_entry *c, int argc, char **argv)
{
	int rc = cmd_elsewhere(argc, argv);

	return rc >= 0 ? rc : finish(c->run(argc, argv));
}

/* @param argv the job and options */
static int run_deadlock(int argc, char **argv)
{
	char name[] = "deadlock", option[] = "--job";
	char **args = calloc((size_t)argc + 3, sizeof(*args));

	if (!args) {
		cmd_message("out of memory");
		return CMD_PARTIAL;
	}
	args[0] = name;
	args[1] = option;
	memcpy(args + 2, argv, (size_t)argc * sizeof(*args));
	int rc = run_command(find_command(name), argc + 2, args);
	free(args);
	return rc;
}

/* Without arguments */
static int list_jobs(void)
{
	char name[] = "jobs", *args[] = { name, NULL };
	int rc = run_command(find_command(name), 1, args);

	if (isatty(STDERR_FILENO))
		cmd_message("mpidbg PID says why a job hangs; mpidbg help lists the commands");
	return rc;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return list_jobs();
	const char *name = argv[1];
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		puts("mpidbg " MPIDBG_VERSION);
		return finish(CMD_DONE);
	}
	bool asks_help = strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
	if (asks_help && (argc < 3 || name[0] == '-')) {
		help();
		return finish(CMD_DONE);
	}
	if (asks_help && argv[2][0] == '-') {
		enum cmd_help_form form = cmd_help_form(argv[2] + strspn(argv[2], "-"));
		bool known = form != CMD_HELP_NONE && form != CMD_HELP_TEXT &&
			     cmd_help_file(commands, N_COMMANDS, form, argc > 3 ? argv[3] : "");
		if (!known)
			cmd_message("help: mpidbg help --man COMMAND, --bash or --zsh");
		return known ? finish(CMD_DONE) : CMD_USAGE;
	}
	if (asks_help)
		name = argv[2];
	if (is_job(name) && !asks_help)
		return run_deadlock(argc - 1, argv + 1);
	const struct cmd_entry *c = find_command(name);
	if (!c) {
		if (name[0] == '-')
			cmd_message("the command comes first: mpidbg queues %s ... (see mpidbg help)", name);
		return name[0] == '-' ? CMD_USAGE : unknown(name);
	}
	if (asks_help) {
		char option[] = "--help", *args[] = { argv[2], option, NULL };
		return finish(c->run(2, args));
	}
	return run_command(c, argc - 1, argv + 1);
}
