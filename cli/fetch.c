/* SPDX-License-Identifier: BSD-3-Clause */
#include "fetch.h"

#include "message.h"
#include "options.h"

#include "../access/quote.h"

#include <stdio.h>

enum {
	SECONDS = 300,  /* for all files of a process */
	PROCESSES = 64, /* the others are of the same program */
};

static bool shows, shown;

static void on_progress(const char *name, long done, long total)
{
	char quoted[256];

	if (!shows)
		return;
	shown = true;
	acc_quote(quoted, sizeof(quoted), name);
	fprintf(stderr, total > 0 ? "\rdebuginfod: %s %ld of %ld kB \033[K" : "\rdebuginfod: %s %ld kB \033[K", quoted,
		done >> 10, total >> 10);
}

void cmd_fetch_debug_files(const struct cmd_options *o, struct cmd_job *job)
{
	size_t n_fetched = 0, n_opened = 0;

	shows = o->progress;
	for (size_t i = 0; i < job->n && n_opened < PROCESSES; i++) {
		const struct cmd_proc *p = &job->procs[i];
		struct host_error err = { 0 };
		struct host_target *t = NULL;

		if (!p->core && (!p->here || p->pid <= 0))
			continue;
		enum host_errc rc = p->core ? host_open_core(p->core, o->exe, o->sysroot, &t, &err)
					    : host_open_running((pid_t)p->pid, &t, &err);
		if (rc != HOST_OK)
			continue; /* reported when it is read */
		n_opened++;
		rc = host_debuginfod_fetch(t, SECONDS, on_progress, &n_fetched, &err);
		host_close(t);
		if (rc == HOST_OK)
			continue;
		cmd_lines_add(&job->problems, "%s", err.text);
		break;
	}
	if (shown)
		fputs("\r\033[K", stderr);
}
