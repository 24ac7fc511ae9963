/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch_words.h"

#include <string.h>

/* From mpirun --help of Open MPI 4.1 with the additions of PRRTE in 5.0, and mpiexec --help of MPICH 4.0. */
static const char *const with_one[] = {
	"N",
	"am",
	"app",
	"bind-to",
	"c",
	"cartofile",
	"cf",
	"cpu-list",
	"cpu-set",
	"cpus-per-proc",
	"cpus-per-rank",
	"debugger",
	"default-hostfile",
	"display",
	"host",
	"H",
	"hnp",
	"hostfile",
	"launch-agent",
	"machinefile",
	"map-by",
	"max-restarts",
	"max-vm-size",
	"n",
	"np",
	"npernode",
	"npersocket",
	"ompi-server",
	"output",
	"output-filename",
	"path",
	"personality",
	"ppr",
	"prefix",
	"preload-files",
	"pset",
	"rank-by",
	"rankfile",
	"report-events",
	"report-pid",
	"report-uri",
	"rf",
	"runtime-options",
	"stdin",
	"timeout",
	"tune",
	"wd",
	"wdir",
	"x",
	"xml-file",
	"xterm",
	/* hydra */
	"bootstrap",
	"bootstrap-exec",
	"configfile",
	"demux",
	"envlist",
	"errfile-pattern",
	"f",
	"genvlist",
	"gpus-per-proc",
	"hosts",
	"iface",
	"launcher",
	"launcher-exec",
	"localhost",
	"machine",
	"membind",
	"nameserver",
	"outfile-pattern",
	"perhost",
	"ppn",
	"prepend-pattern",
	"rmk",
	"topolib",
	"usize",
};

static const char *const with_two[] = { "mca", "gmca", "omca", "gomca", "pmixmca", "gpmixmca", "prtemca" };

static const char *const with_none[] = {
	"allow-run-as-root",
	"bind-to-core",
	"bind-to-socket",
	"bycore",
	"bynode",
	"byslot",
	"continuous",
	"d",
	"debug-daemons",
	"debug-daemons-file",
	"debug-devel",
	"disable-auto-cleanup",
	"disable-hostname-propagation",
	"disable-recovery",
	"disable-x",
	"display-allocation",
	"display-map",
	"do-not-launch",
	"do-not-resolve",
	"enable-recovery",
	"enable-x",
	"envall",
	"envnone",
	"genvall",
	"genvnone",
	"get-stack-traces",
	"index-argv-by-rank",
	"info",
	"leave-session-attached",
	"merge-stderr-to-stdout",
	"nolocal",
	"noprefix",
	"nooversubscribe",
	"novm",
	"order-nodes",
	"oversubscribe",
	"output-proctable",
	"pernode",
	"pmi-port",
	"preload-binary",
	"prepend-rank",
	"print-all-exitcodes",
	"profile",
	"q",
	"quiet",
	"report-bindings",
	"report-child-jobs-separately",
	"report-state-on-timeout",
	"s",
	"set-cwd-to-session-dir",
	"show-progress",
	"skip-launch-node",
	"tag-output",
	"timestamp-output",
	"use-hwthread-cpus",
	"use-regexp",
	"v",
	"V",
	"verbose",
	"version",
	"xml",
};

#define IS_IN(name, list) is_in(name, list, sizeof(list) / sizeof((list)[0]))

static bool is_in(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

const char *run_launch_option(const char *word)
{
	if (word[0] != '-' || !word[1])
		return NULL;
	return word + (word[1] == '-' ? 2 : 1);
}

size_t run_launch_arguments(const char *word, const char *next, run_launch_is_program_fn *is_program)
{
	const char *name = run_launch_option(word);

	if (!name || !next)
		return 0;
	/* hydra: "-genv NAME VALUE" and "-genv NAME=VALUE" */
	if (strcmp(name, "genv") == 0 || strcmp(name, "env") == 0)
		return strchr(next, '=') ? 1 : 2;
	if (IS_IN(name, with_two))
		return 2;
	if (IS_IN(name, with_one))
		return 1;
	if (strchr(name, '=') || IS_IN(name, with_none) || run_launch_option(next))
		return 0;
	return is_program(next) ? 0 : 1;
}
