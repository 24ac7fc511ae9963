/* SPDX-License-Identifier: BSD-3-Clause */
#include "place.h"

#include "../render/fact.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

bool mpidbg_place(const struct mpidbg_description *d, uint64_t return_addr, char ret[MPIDBG_PLACE_BYTES])
{
	ret[0] = '\0';
	if (!d->options.place || d->options.place(d->options.place_ctx, return_addr, ret, MPIDBG_PLACE_BYTES)) {
		ret[0] = '\0';
		return false;
	}
	ret[MPIDBG_PLACE_BYTES - 1] = '\0';
	return ret[0] != '\0';
}

bool mpidbg_is_mpi_place(const char *place)
{
	/* ompi_recv_f: Open MPI's name of what it gives to Fortran; wrap_M2D_: the in-target library */
	static const char *const names[] = { "MPI_",      "PMPI_",   "mpi_",     "pmpi_", "ompi_",
					     "wrap_M2D_", "_ZN3MPI", "_ZNK3MPI", "MPI::" };
	static const char *const files[] = { "libmpi", "libpmpi", "libompi", "libopen-", "mca_" };
	static const char unnamed[] = "?? in ";
	const char *file = place;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(place, names[i], strlen(names[i])))
			return true;
	if (!strncmp(place, unnamed, sizeof(unnamed) - 1))
		file += sizeof(unnamed) - 1;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strncmp(file, files[i], strlen(files[i])) && strstr(file, ".so"))
			return true;
	return false;
}

/* Code that Cython makes, or without lines: nobody's own, when a function of Python has called it. */
static bool is_binding(const char *place)
{
	return !strncmp(place, "__pyx_", 6) || !strstr(place, " at ");
}

bool mpidbg_caller_place(const struct mpidbg_description *d, uint64_t tid, uint64_t return_addr,
			 char ret[MPIDBG_PLACE_BYTES])
{
	bool known = mpidbg_place(d, return_addr, ret), own = known && !mpidbg_is_mpi_place(ret);

	if (own && !is_binding(ret))
		return true;
	for (size_t i = 0; d->options.threads && i < d->options.n_threads; i++) {
		const struct mpidbg_thread *t = &d->options.threads[i];

		if ((uint64_t)t->id != tid || !t->backtrace)
			continue;
		/* from the outermost: what a callback calls is of no interest here */
		for (size_t k = t->n_backtrace; k-- > 0;) {
			if (!mpidbg_is_mpi_place(t->backtrace[k]))
				continue;
			if (k + 1 == t->n_backtrace)
				return known;
			const char *python = mpidbg_python_caller(&d->python, d->options.threads, t->id, k + 1);
			if (python || !own)
				snprintf(ret, MPIDBG_PLACE_BYTES, "%s", python ? python : t->backtrace[k + 1]);
			return true;
		}
	}
	return known;
}

static void write_fact(struct mpidbg_description *d, const char *key, struct mdl_num addr, const char *text)
{
	char name[64];

	out_fact_addr(&d->o, key, addr);
	if (!text[0])
		return;
	if (d->o.json) {
		snprintf(name, sizeof(name), "%s_place", key);
		out_json_string(&d->o, name, text);
	} else {
		out_text(&d->o, "  ");
		out_name(&d->o, text, false);
	}
}

void mpidbg_place_fact(struct mpidbg_description *d, const char *key, struct mdl_num return_addr)
{
	char text[MPIDBG_PLACE_BYTES] = "";

	if (return_addr.known == MDL_KNOWN)
		mpidbg_place(d, (uint64_t)return_addr.value, text);
	write_fact(d, key, return_addr, text);
}

void mpidbg_known_place_fact(struct mpidbg_description *d, const char *key, struct mdl_num return_addr,
			     const char *place)
{
	write_fact(d, key, return_addr, place);
}

/* A place is asked for by the address behind a call: here it is the function's first byte that is meant. */
bool mpidbg_function(const struct mpidbg_description *d, uint64_t addr, char ret[MPIDBG_PLACE_BYTES])
{
	char *plus, *end;

	if (!mpidbg_place(d, addr + 1, ret))
		return false;
	/* "add+0x1" is add, "program+0x1235" program+0x1234 */
	plus = strrchr(ret, '+');
	uint64_t offset = plus && !strncmp(plus, "+0x", 3) ? strtoull(plus + 3, &end, 16) : 0;
	if (offset > 1 && !*end)
		snprintf(plus, (size_t)(ret + MPIDBG_PLACE_BYTES - plus), "+0x%" PRIx64, offset - 1);
	else if (offset && !*end)
		*plus = '\0';
	return true;
}

void mpidbg_function_fact(struct mpidbg_description *d, const char *key, struct mdl_num addr)
{
	char text[MPIDBG_PLACE_BYTES] = "";

	if (addr.known == MDL_KNOWN)
		mpidbg_function(d, (uint64_t)addr.value, text);
	write_fact(d, key, addr, text);
}

void mpidbg_places(struct mpidbg_description *d, const char *key, const int64_t *return_addrs, size_t n)
{
	char text[MPIDBG_PLACE_BYTES], name[64];
	struct out *o = &d->o;

	if (!o->json) {
		for (size_t i = 0; i < n; i++) {
			out_fact_label(o, i ? "" : key);
			out_text(o, "0x%" PRIx64, (uint64_t)return_addrs[i]);
			if (!mpidbg_place(d, (uint64_t)return_addrs[i], text))
				continue;
			out_text(o, "  ");
			out_name(o, text, false);
		}
		return;
	}
	out_json_array(o, key);
	for (size_t i = 0; i < n; i++)
		out_json_addr(o, NULL, (uint64_t)return_addrs[i]);
	out_json_array_end(o);
	if (!d->options.place)
		return;
	snprintf(name, sizeof(name), "%s_places", key);
	out_json_array(o, name);
	for (size_t i = 0; i < n; i++) {
		if (mpidbg_place(d, (uint64_t)return_addrs[i], text))
			out_json_string(o, NULL, text);
		else
			out_json_null(o, NULL);
	}
	out_json_array_end(o);
}
