/* SPDX-License-Identifier: BSD-3-Clause */
#include "elsewhere.h"

#include "commands.h"
#include "message.h"

#include "../hosts/way.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The text of --job in an argument, or in the one after it; NULL: it is another argument. */
static char *job_of(int argc, char **argv, int i)
{
	if (strcmp(argv[i], "--job") == 0)
		return i + 1 < argc ? argv[i + 1] : NULL;
	return strncmp(argv[i], "--job=", 6) == 0 ? argv[i] + 6 : NULL;
}

/* @return the '@' of PID@HOST; NULL: it is something else */
static char *at_host(char *job)
{
	char *at = job ? job + strspn(job, "0123456789") : NULL;

	return at && at > job && *at == '@' && hs_is_host(at + 1) ? at : NULL;
}

/* A word in single quotes, for the shell of the other host. */
static void put_quoted(FILE *f, const char *word)
{
	fputs(" '", f);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	}
	fputc('\'', f);
}

int cmd_elsewhere(int argc, char **argv)
{
	char *at = NULL, *line = NULL, path[4096];
	size_t n;

	for (int i = 1; i < argc && !at; i++)
		at = at_host(job_of(argc, argv, i));
	if (!at)
		return -1;
	char *host = strdup(at + 1);
	FILE *f = host ? open_memstream(&line, &n) : NULL;
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (!f || length < 0) {
		cmd_message("%s: out of memory, or no /proc", argv[0]);
		if (f)
			fclose(f);
		free(line);
		free(host);
		return CMD_PARTIAL;
	}
	path[length] = '\0';
	*at = '\0'; /* the pid is one of that host */
	fputs("exec sh -c 'm=$0; [ -x \"$m\" ] || m=mpidbg; exec \"$m\" \"$@\"'", f);
	put_quoted(f, path);
	for (int i = 0; i < argc; i++)
		put_quoted(f, argv[i]);
	fclose(f);
	char *words[] = {
		(char[]){ "ssh" }, (char[]){ "-oBatchMode=yes" }, (char[]){ "-oConnectTimeout=5" }, host, line, NULL
	};
	execvp(words[0], words);
	cmd_message("%s: ssh: %s", argv[0], strerror(errno));
	return CMD_PARTIAL;
}
