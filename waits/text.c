/* SPDX-License-Identifier: BSD-3-Clause */
#include "waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *wt_relation_text(const struct wt_wait *x)
{
	return x->use == WT_LOCKS ? "holder" : x->use == WT_REAPS ? "child" : "other end";
}

/* " process 4711 (cat), which waits for data from a pipe that this process can end" */
static void peer_text(const struct wt_peer *p, char *ret, size_t size)
{
	snprintf(ret, size, " process %d%s%s%s%s%s%s", (int)p->pid, *p->name ? " (" : "", p->name, *p->name ? ")" : "",
		 *p->does ? ", which " : "", p->does, p->waits_back ? ", whose other end this process has" : "");
}

/* ", at the other end process 4711 (cat), which sleeps"; "" if nothing is known of other processes. */
static void wt_peers_text(const struct wt_wait *x, char ret[WT_PEERS_BYTES])
{
	const char *first = x->use == WT_LOCKS ? ", held by" : x->use == WT_REAPS ? ":" : ", at the other end";
	char one[WT_PEERS_BYTES / 2];
	size_t n = 0;

	*ret = '\0';
	if (x->kind != WT_CALL || !x->peers_known)
		return;
	if (!x->n_peers)
		snprintf(ret, WT_PEERS_BYTES, ", whose other end only this process has");
	for (size_t i = 0; i < x->n_peers; i++) {
		peer_text(&x->peers[i], one, sizeof(one));
		if (n + strlen(one) + 32 > WT_PEERS_BYTES) {
			snprintf(ret + n, WT_PEERS_BYTES - n, "; and %zu more", x->n_peers - i);
			return;
		}
		n += (size_t)snprintf(ret + n, WT_PEERS_BYTES - n, "%s%s", i ? ";" : first, one);
	}
}

void wt_text(const struct wt_wait *x, int64_t pid, char ret[WT_TEXT_BYTES])
{
	const char *why = "", *more = "";
	char held[96] = "", where[32] = "", signal[WT_SIGNAL_BYTES + 24] = "", peers[WT_PEERS_BYTES];

	switch (x->holder) {
	case WT_HOLDER_SELF:
		why = x->kind == WT_JOIN ? ", which is this thread" : ", which it holds itself";
		break;
	case WT_HOLDER_THREAD:
		if (x->kind != WT_JOIN && x->owner == pid)
			why = ", held by the main thread";
		else if (x->kind != WT_JOIN)
			snprintf(held, sizeof(held), ", held by thread %" PRId64, x->owner);
		break;
	case WT_HOLDER_GONE:
		snprintf(held, sizeof(held), ", held by thread %" PRId64 ", which this process does not have",
			 x->owner);
		break;
	default:
		break;
	}
	if (x->addr && strncmp(x->what, "a ", 2) == 0)
		snprintf(where, sizeof(where), " at 0x%" PRIx64, x->addr);
	if (*x->signal)
		snprintf(signal, sizeof(signal), ", which %s may end", x->signal);
	else if (x->foreign && x->kind != WT_CALL && x->kind != WT_GPU)
		more = "; another process may use it, too";
	wt_peers_text(x, peers);
	snprintf(ret, WT_TEXT_BYTES, "waits for %s%s%s%s%s%s%s", x->what, where, why, held, peers, signal, more);
}
