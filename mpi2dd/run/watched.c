/* SPDX-License-Identifier: BSD-3-Clause */
#include "watched.h"

#include "request.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

struct run_watched *run_watched_make(const char *host, int pid)
{
	struct run_watched *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->host = strdup(host);
	w->pid = pid;
	w->rank = -1;
	if (!w->host) {
		free(w);
		return NULL;
	}
	return w;
}

void run_watched_free(struct run_watched *w)
{
	if (w)
		free(w->host);
	free(w);
}

/* Store the name of a C function, or "" for "%". @return false: not a name. */
static bool take_function(struct run_watched *w, const char *word)
{
	size_t n = strlen(word);

	if (strcmp(word, "%") == 0) {
		w->function[0] = '\0';
		return true;
	}
	if (n == 0 || n >= sizeof(w->function))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)word[i]) && word[i] != '_')
			return false;
	memcpy(w->function, word, n + 1);
	return true;
}

bool run_watched_hear(struct run_watched *w, char *line)
{
	char *rest = line;
	const char *verb = strsep(&rest, " ");

	if (strcmp(verb, "GOING") == 0) {
		w->stalled = false;
		return rest == NULL;
	}
	const char *rank = strsep(&rest, " "), *seconds = strsep(&rest, " ");
	if (strcmp(verb, "STALL") != 0 || !rank || !seconds || !rest)
		return false;
	w->stalled = run_request_number(rank, -1, INT_MAX, &w->rank) &&
		     run_request_number(seconds, 0, INT_MAX, &w->seconds) && take_function(w, rest);
	return w->stalled;
}

void run_watched_look(struct run_watched *w)
{
	struct utsname here;
	char path[64], state = 0;

	w->stopped = false;
	if (uname(&here) != 0 || strcmp(w->host, here.nodename) != 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/stat", w->pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return;
	/* the name of the command may contain anything, at most 15 characters */
	w->stopped = fscanf(f, "%*d (%*15[^)]%*[)] %c", &state) == 1 && state == 'T';
	fclose(f);
}
