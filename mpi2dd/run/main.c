/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi2dd-run: starts an MPI job with the in-target library in its ranks, and is the job's MPI2DD starter.
 */
#include "child.h"
#include "hang.h"
#include "hub.h"
#include "info.h"
#include "leaks.h"
#include "library.h"
#include "plan.h"
#include "reach.h"
#include "request.h"
#include "log.h"

#include "../tables/settings.h"
#include "../tables/starter.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_GATE = 256,
	OPT_MPI,
	OPT_LIBRARY,
	OPT_HANG,
	OPT_ON_HANG,
	OPT_HANG_COMMAND,
	OPT_HANG_METRICS,
	OPT_HANG_KEEP,
	OPT_LISTEN,
	OPT_LEAKS,
	VARIABLES_MAX = 32,
	HANG_MAX_S = 1000 * 1000,
	KEEP_MAX = 1000
};

static const char gate_name[] = "MPI2DD_GATE";
static const char hang_name[] = "MPI2DD_HANG", leaks_name[] = "MPI2DD_LEAKS";
static const char env_list_name[] = "OMPI_MCA_mca_base_env_list";

struct options {
	bool gate, leaks;
	enum run_flavour mpi;
	const char *library;
	int hang_seconds; /* 0: no hang detection */
	unsigned on_hang; /* enum run_on_hang */
	struct run_hang_wishes wishes;
	enum run_reach listen;
	char **command;
};

static void help(void)
{
	fputs("Usage: mpi2dd-run [OPTION]... [--] COMMAND [ARGUMENT]...\n"
	      "\n"
	      "Start an MPI job so that every debugger can find its processes (MPI2DD).\n"
	      "\n"
	      "  mpi2dd-run mpirun -n 4 ./a.out\n"
	      "  mpi2dd-run ./a.out\n"
	      "\n"
	      "  --gate          hold each rank in MPI_Init until a debugger sets MPI2DD_FLAG_GATE in it\n"
	      "  --hang SECONDS  act once when no rank has finished an MPI call for this time; the job continues\n"
	      "  --on-hang WHAT[,WHAT]\n"
	      "                  report: write what mpidbg says of the job to a file, and beside it a snapshot\n"
	      "                  (for mpidbg diff and report) and an HTML page (the default)\n"
	      "                  core: write a core of each rank of this host\n"
	      "                  end: then end the job\n"
	      "                  break, alone: have each rank call MPI2DD_breakpoint, for a debugger\n"
	      "  --hang-command COMMAND\n"
	      "                  then run it with sh -c; $MPI2DD_HANG_TEXT, $MPI2DD_HANG_SNAPSHOT, "
	      "$MPI2DD_HANG_VERDICT,\n"
	      "                  $MPI2DD_HANG_PAGE and $MPI2DD_HANG_CORES are what was written\n"
	      "  --hang-keep N   remove older reports in that folder until N are left\n"
	      "  --hang-metrics FILE\n"
	      "                  write for Prometheus whether the job hangs; removed at its end, unless it has hung\n"
	      "  --leaks         print on stderr what the ranks have not freed when all are in MPI_Finalize\n"
	      "  --listen WHERE  local: only ranks on this host reach the starter; network: on every address.\n"
	      "                  The default is local, unless the job uses other hosts\n"
	      "  --mpi NAME      openmpi, mpich or abi; needed if the command does not identify it\n"
	      "  --library FILE  preload this library instead of libmpi2dd-NAME.so\n"
	      "  -h, --help      this text\n"
	      "  -V, --version   version\n"
	      "\n"
	      "Exit status: that of the command, or its signal; 2 usage error; 124 the job hung and was ended\n"
	      "(--on-hang end); 125 the starter failed; 126 the command cannot be executed; 127 no such command.\n",
	      stdout);
}

static void finish_text(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		run_fail(RUN_FAILED, "standard output cannot be written");
	exit(0);
}

static struct options parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "gate", no_argument, NULL, OPT_GATE },
		{ "mpi", required_argument, NULL, OPT_MPI },
		{ "library", required_argument, NULL, OPT_LIBRARY },
		{ "hang", required_argument, NULL, OPT_HANG },
		{ "on-hang", required_argument, NULL, OPT_ON_HANG },
		{ "hang-command", required_argument, NULL, OPT_HANG_COMMAND },
		{ "hang-metrics", required_argument, NULL, OPT_HANG_METRICS },
		{ "hang-keep", required_argument, NULL, OPT_HANG_KEEP },
		{ "leaks", no_argument, NULL, OPT_LEAKS },
		{ "listen", required_argument, NULL, OPT_LISTEN },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	struct options o = { .wishes = { .metrics = "" } };
	int letter;

	opterr = 0;
	/* "+": stop at the first non-option; the words after it belong to the command */
	while ((letter = getopt_long(argc, argv, "+:hV", options, NULL)) != -1) {
		switch (letter) {
		case OPT_GATE:
			o.gate = true;
			break;
		case OPT_MPI:
			o.mpi = run_flavour_parse(optarg);
			if (!o.mpi)
				run_fail(RUN_USAGE, "--mpi %s: openmpi, mpich or abi", optarg);
			break;
		case OPT_LIBRARY:
			o.library = optarg;
			break;
		case OPT_HANG:
			if (!run_request_number(optarg, 1, HANG_MAX_S, &o.hang_seconds))
				run_fail(RUN_USAGE, "--hang %s: seconds, from 1 to %d", optarg, HANG_MAX_S);
			break;
		case OPT_ON_HANG:
			o.on_hang = run_hang_parse(optarg);
			if (!o.on_hang)
				run_fail(RUN_USAGE,
					 "--on-hang %s: report, core, end, with commas between them; or break", optarg);
			break;
		case OPT_HANG_COMMAND:
			o.wishes.command = optarg;
			break;
		case OPT_HANG_METRICS:
			o.wishes.metrics = optarg;
			break;
		case OPT_HANG_KEEP:
			if (!run_request_number(optarg, 1, KEEP_MAX, &o.wishes.keep))
				run_fail(RUN_USAGE, "--hang-keep %s: reports, from 1 to %d", optarg, KEEP_MAX);
			break;
		case OPT_LEAKS:
			o.leaks = true;
			break;
		case OPT_LISTEN:
			o.listen = run_reach_parse(optarg);
			if (!o.listen)
				run_fail(RUN_USAGE, "--listen %s: local or network", optarg);
			break;
		case 'h':
			help();
			finish_text();
			break;
		case 'V':
			puts("mpi2dd-run " MPIDBG_VERSION);
			finish_text();
			break;
		case ':':
			run_fail(RUN_USAGE, "%s needs a value: see mpi2dd-run --help", argv[optind - 1]);
		default:
			if (optopt >= OPT_GATE)
				run_fail(RUN_USAGE, "%s: the option takes no value", argv[optind - 1]);
			run_fail(RUN_USAGE, "%s: no such option: see mpi2dd-run --help",
				 optopt ? (char[]){ '-', (char)optopt, '\0' } : argv[optind - 1]);
		}
	}
	if ((o.on_hang || o.wishes.command) && !o.hang_seconds)
		run_fail(RUN_USAGE, "--on-hang: after how long? Say --hang SECONDS, too");
	if ((*o.wishes.metrics || o.wishes.keep) && !o.hang_seconds)
		run_fail(RUN_USAGE, "--hang-metrics, --hang-keep: after how long? Say --hang SECONDS, too");
	if (o.wishes.command && (o.on_hang & RUN_HANG_BREAK))
		run_fail(RUN_USAGE, "--hang-command: not with --on-hang break, which is for a debugger");
	if (!argv[optind])
		run_fail(RUN_USAGE, "which command? mpi2dd-run mpirun -n 4 ./a.out (see mpi2dd-run --help)");
	o.command = argv + optind;
	return o;
}

/* Names of the variables to pass to the ranks: our own, and the library's settings that the user has set. */
static const char *const *names_for_ranks(void)
{
	static const char *names[VARIABLES_MAX + 1];
	extern char **environ;
	size_t n = 0;

	names[n++] = M2D_STARTER_VARIABLE;
	for (char **e = environ; *e && n < VARIABLES_MAX; e++) {
		size_t length = strcspn(*e, "=");

		if (strncmp(*e, "MPI2DD_", 7) == 0 && strncmp(*e, M2D_STARTER_VARIABLE "=", length + 1) != 0)
			names[n++] = run_text("%.*s", (int)length, *e);
	}
	return names;
}

/* Report settings that the library will not understand; in the ranks it cannot print. */
static void warn_of_settings(void)
{
	extern char **environ;
	char line[M2D_SETTING_LINE];

	for (char *const *e = environ; *e; e++)
		if (m2d_setting_wrong(*e, line))
			run_log("%s", line);
}

static unsigned on_hang; /* enum run_on_hang */

static void on_first_world(const char *host, const char *executable, int pid)
{
	run_info_start(host, executable, pid);
}

static bool on_job_hang(const struct run_watched *const *processes, size_t n)
{
	run_hang_act(processes, n);
	return on_hang & RUN_HANG_BREAK;
}

static void watch_for_hangs(struct run_hub *hub, const struct options *o)
{
	char seconds[16];
	const char *outer = getenv(M2D_STARTER_VARIABLE) ? getenv(hang_name) : NULL;

	/* a rank has one starter, the innermost */
	if (outer && o->hang_seconds)
		run_log("inside another mpi2dd-run with --hang %s, which does not see this job: this one watches it, "
			"with --hang %d",
			outer, o->hang_seconds);
	else if (outer)
		run_log("inside another mpi2dd-run with --hang %s, which does not see this job: nobody watches it; use "
			"--hang SECONDS here",
			outer);
	/* a value inherited from an outer starter does not apply to this job */
	unsetenv(hang_name);
	if (!o->hang_seconds)
		return;
	on_hang = o->on_hang ? o->on_hang : RUN_HANG_REPORT;
	run_hang_prepare(on_hang, &o->wishes);
	run_hub_watch(hub, on_job_hang);
	snprintf(seconds, sizeof(seconds), "%d", o->hang_seconds);
	setenv(hang_name, seconds, 1);
}

static bool gate_is_closed(void)
{
	const char *value = getenv(gate_name);

	return value && strcmp(value, "1") == 0;
}

int main(int argc, char **argv)
{
	struct options o = parse(argc, argv);
	struct run_plan plan;
	struct run_launched launched;

	warn_of_settings();
	run_plan_make(o.command, o.mpi, o.library, &plan);
	char *dll = run_library_find("libmpidbg.so");
	if (dll)
		run_info_set_dll(dll);
	free(dll);
	if (!o.listen)
		o.listen = run_reach_needed(o.command, plan.is_launcher, plan.is_program, run_library_is_command);
	struct run_hub *hub = run_hub_open(on_first_world, o.listen == RUN_REACH_LOCAL);
	if (!hub)
		run_fail(RUN_FAILED, "cannot listen for the ranks: %s", strerror(errno));
	/* A debugger that controls the starter from the beginning wants to attach to the ranks before they run. */
	if (o.gate || run_info_is_debugged())
		setenv(gate_name, "1", 1);
	if (gate_is_closed())
		run_info_gate_is_closed();
	watch_for_hangs(hub, &o);
	unsetenv(leaks_name);
	if (o.leaks) {
		run_leaks_prepare();
		run_hub_final(hub, run_leaks_report);
		setenv(leaks_name, "1", 1);
		setenv("MPI2DD_TRACK_WHERE", "4", 0); /* where objects were made; what the user has set counts */
	}

	struct run_launch launch = {
		.style = plan.style,
		.argv = o.command,
		.library = plan.library,
		.preload = getenv("LD_PRELOAD"),
		.env_list = getenv(env_list_name),
		.names = names_for_ranks(),
		.is_program = run_library_is_command,
	};
	run_launch_rewrite(&launch, &launched);
	struct run_variable variables[4] = { { M2D_STARTER_VARIABLE, run_hub_value(hub) } };
	size_t n = 1;
	if (launched.preload)
		variables[n++] = (struct run_variable){ "LD_PRELOAD", launched.preload };
	if (launched.env_list)
		variables[n++] = (struct run_variable){ env_list_name, launched.env_list };

	int status = run_child(plan.path, launched.argv, variables, hub);
	bool is_ended = run_hang_wait();
	run_leaks_end();
	run_hub_close(hub);
	run_launched_free(&launched);
	run_plan_free(&plan);
	if (is_ended)
		exit(RUN_HANG);
	run_child_end_as(status);
}
