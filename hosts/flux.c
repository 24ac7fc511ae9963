/* SPDX-License-Identifier: BSD-3-Clause */
#include "flux.h"

#include "child.h"
#include "way.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_S = 30 };

const char *hs_flux_id(const char *text)
{
	static const char florin[] = "\xc6\x92"; /* U+0192 */

	if (strncmp(text, florin, 2) == 0)
		return text + 2;
	return text + (*text == 'f');
}

/* "f2CQzyMuZ" as the command takes it, in any locale; nothing else is passed to it. */
static bool is_job(const char *id)
{
	static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

	return *id && strlen(id) < 32 && strspn(id, letters) == strlen(id);
}

/* "[0-3,7]" without brackets. */
static void take_ranks(const char *text, char *ret, size_t n)
{
	text += *text == '[';
	snprintf(ret, n, "%.*s", (int)strspn(text, "0123456789,-"), text);
}

bool hs_flux_find(const char *job, struct hs_flux *ret, char *why, size_t n_why)
{
	const char *id = hs_flux_id(job);
	struct hs_words words = { 0 };
	struct hs_flux f = { .job = "" };
	char name[64], state[32] = "", ranks[sizeof(f.ranks)] = "";

	if (!is_job(id)) {
		snprintf(why, n_why, "\"%s\" is no job of Flux: flux:f2CQzyMuZ", job);
		return false;
	}
	hs_words_add(&words, "flux");
	hs_words_add(&words, "jobs");
	hs_words_add(&words, "-n");
	hs_words_add(&words, "-o");
	hs_words_add(&words, "{id.f58} {state} {ranks} {nodelist}");
	hs_words_printf(&words, "%s%s", id == job ? "" : "f", id);
	char *text = words.no_memory ? NULL : hs_child_output(words.v, LIMIT_S, why, n_why);
	hs_words_deinit(&words);
	int n = text ? sscanf(text, "%63s %31s %4095s %4095s", name, state, ranks, f.nodes) : 0;
	free(text);
	if (n >= 2 && strcmp(state, "RUN") != 0)
		snprintf(why, n_why, "job %s does not run: its state is %s", job, state);
	else if (n != 4 && !*why)
		snprintf(why, n_why, "Flux lists no nodes of job %s", job);
	if (n != 4 || strcmp(state, "RUN") != 0)
		return false;
	snprintf(f.job, sizeof(f.job), "%s", hs_flux_id(name));
	take_ranks(ranks, f.ranks, sizeof(f.ranks));
	*ret = f;
	return true;
}
