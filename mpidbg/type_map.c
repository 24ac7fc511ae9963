/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Type maps in the form of section 3.12 of MPI-1: {(MPI_DOUBLE, 0), (MPI_CHAR, 8)}, and the holes in them.
 */
#include "handle_words.h"
#include "../access/sort.h"
#include "references.h"

#include "../render/fact.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { RUNS_SHOWN = 32, NAMES = 16 };

/* A cache of names of basic types; a type map has few different ones. */
struct name {
	uint64_t id;
	bool quote;
	char text[MDL_NAME_BYTES];
};

struct names {
	struct mpidbg_description *d;
	struct name v[NAMES];
	unsigned n;
};

static const struct name *name_of(struct names *names, uint64_t id)
{
	unsigned i;

	for (i = 0; i < names->n; i++)
		if (names->v[i].id == id)
			return &names->v[i];
	i = names->n < NAMES ? names->n++ : NAMES - 1;
	names->v[i].id = id;
	names->v[i].quote = mpidbg_type_words(names->d, id, names->v[i].text);
	return &names->v[i];
}

/* Consecutive elements of one type. */
struct run {
	struct mdl_typemap_entry first;
	uint64_t n;
};

static bool run_next(const struct rd_track_typemap *map, uint64_t *i, struct run *ret)
{
	if (*i >= map->n)
		return false;
	*ret = (struct run){ map->entries[*i], 1 };
	for (++*i; *i < map->n; ++*i, ret->n++) {
		const struct mdl_typemap_entry *e = &map->entries[*i];
		uint64_t expected = (uint64_t)ret->first.displacement + ret->n * ret->first.bytes;

		if (e->id != ret->first.id || e->bytes != ret->first.bytes || (uint64_t)e->displacement != expected)
			break;
	}
	return true;
}

static void text_map(struct names *names, const struct rd_track_typemap *map)
{
	struct out *o = &names->d->o;
	uint64_t i = 0, n_runs = 0;
	struct run run;

	out_fact_label(o, "type_map");
	out_text(o, "{");
	while (n_runs < RUNS_SHOWN && run_next(map, &i, &run)) {
		out_text(o, n_runs++ ? ", (" : "(");
		const struct name *name = name_of(names, run.first.id);
		out_name(o, name->text, name->quote);
		out_text(o, ", %" PRId64 ")", run.first.displacement);
		if (run.n > 1)
			out_text(o, " x %" PRIu64, run.n);
	}
	if (map->total > i)
		out_text(o, ", ... %" PRIu64 " more", map->total - i);
	out_text(o, "}");
	out_fact_label(o, "elements");
	out_text(o, map->total == UINT64_MAX ? "more than can be counted" : "%" PRIu64, map->total);
}

static void json_map(struct names *names, const struct rd_track_typemap *map)
{
	struct out *o = &names->d->o;

	out_json_array(o, "type_map");
	for (uint64_t i = 0; i < map->n && !o->failed; i++) {
		out_json_object(o, NULL);
		out_json_string(o, "type", name_of(names, map->entries[i].id)->text);
		out_json_int(o, "displacement", map->entries[i].displacement);
		out_json_uint(o, "bytes", map->entries[i].bytes);
		out_json_object_end(o);
	}
	out_json_array_end(o);
	if (map->total == UINT64_MAX)
		out_json_unknown(o, "elements", "more than can be counted");
	else
		out_json_uint(o, "elements", map->total);
}

/* ---- holes ------------------------------------------------------------------------------------------ */

static int compare_displacements(const void *a, const void *b)
{
	const struct mdl_typemap_entry *x = a, *y = b;

	return (x->displacement > y->displacement) - (x->displacement < y->displacement);
}

struct holes {
	struct mpidbg_description *d;
	uint64_t n, bytes;
};

static void hole(struct holes *h, int64_t from, int64_t to)
{
	struct out *o = &h->d->o;

	if (to <= from)
		return;
	h->bytes += (uint64_t)to - (uint64_t)from;
	if (h->n++ >= RUNS_SHOWN && !o->json)
		return;
	if (o->json) {
		out_json_object(o, NULL);
		out_json_int(o, "displacement", from);
		out_json_uint(o, "bytes", (uint64_t)to - (uint64_t)from);
		out_json_object_end(o);
		return;
	}
	if (h->n == 1)
		out_fact_label(o, "holes");
	out_text(o, "%s%" PRIu64 " at %" PRId64, h->n > 1 ? ", " : "", (uint64_t)to - (uint64_t)from, from);
}

/* Sort the entries. @param lb, ub bounds of the type; in a truncated map, holes are known only up to its end */
static void write_holes(struct mpidbg_description *d, struct rd_track_typemap *map, struct mdl_num lb,
			struct mdl_num extent)
{
	struct holes holes = { d, 0, 0 };
	bool whole = map->n == map->total;

	acc_sort(map->entries, map->n, sizeof(*map->entries), compare_displacements);
	if (d->o.json)
		out_json_array(&d->o, "holes");
	int64_t first = map->n ? map->entries[0].displacement : 0, end;
	/* a lower bound set in a part (MPI_Type_create_resized) may be after the first byte */
	int64_t at = lb.known == MDL_KNOWN && (!map->n || lb.value < first) ? lb.value : first;
	for (uint64_t i = 0; i < map->n; i++) {
		hole(&holes, at, map->entries[i].displacement);
		if (__builtin_add_overflow(map->entries[i].displacement, (int64_t)map->entries[i].bytes, &end))
			end = INT64_MAX;
		at = end > at ? end : at;
	}
	if (whole && lb.known == MDL_KNOWN && extent.known == MDL_KNOWN &&
	    !__builtin_add_overflow(lb.value, extent.value, &end))
		hole(&holes, at, end);
	if (d->o.json) {
		out_json_array_end(&d->o);
		return;
	}
	if (holes.n > RUNS_SHOWN)
		out_text(&d->o, ", %" PRIu64 " more", holes.n - RUNS_SHOWN);
	if (holes.n)
		out_text(&d->o, "  (%" PRIu64 " bytes in all%s)", holes.bytes, whole ? "" : " as far as is shown");
}

/* Number of bytes from the lower bound or first byte of data to the upper bound or last byte of data. */
static bool span(const struct rd_track_typemap *map, int64_t *from, int64_t *to)
{
	for (uint64_t i = 0; i < map->n; i++) {
		const struct mdl_typemap_entry *e = &map->entries[i];
		int64_t end;

		if (__builtin_add_overflow(e->displacement, (int64_t)e->bytes, &end))
			return false;
		*from = e->displacement < *from ? e->displacement : *from;
		*to = end > *to ? end : *to;
	}
	return true;
}

/* Draw small types: a letter for each byte of data, a dot for each byte of a hole; includes data outside the bounds. */
static void draw(struct mpidbg_description *d, const struct rd_track_typemap *map, struct mdl_num lb,
		 struct mdl_num extent)
{
	enum { WIDTH = 72 };
	char line[WIDTH + 1];
	int64_t from, to, ub, width;

	if (d->o.json || map->n != map->total || lb.known != MDL_KNOWN || extent.known != MDL_KNOWN ||
	    extent.value < 1 || __builtin_add_overflow(lb.value, extent.value, &ub))
		return;
	from = lb.value;
	to = ub;
	if (!span(map, &from, &to) || __builtin_sub_overflow(to, from, &width) || width > WIDTH)
		return;
	memset(line, '.', sizeof(line));
	line[width] = '\0';
	for (uint64_t i = 0; i < map->n; i++) {
		const struct mdl_typemap_entry *e = &map->entries[i];

		for (uint64_t k = 0; k < e->bytes && k < WIDTH; k++) {
			uint64_t at = (uint64_t)e->displacement - (uint64_t)from + k;

			if (at < (uint64_t)width)
				line[at] = (char)('a' + i % 26);
		}
	}
	out_fact_label(&d->o, "bytes");
	out_text(&d->o, "|%s|", line);
	if (from != lb.value || to != ub)
		out_text(&d->o, "  from %" PRId64 ", beyond the bounds %" PRId64 " and %" PRId64, from, lb.value, ub);
}

void mpidbg_type_map(struct mpidbg_description *d, const struct mdl_handle *h)
{
	struct rd_track_typemap map;
	enum acc_rc rc = rd_track_typemap(d->p->track, h, MPIDBG_TYPE_MAP_SHOWN, &map);

	/* a basic type is its own map; predefined pairs have a map */
	bool basic = h->predefined && (rc == ACC_NONE || (!rc && map.n == 1 && map.entries[0].id == h->id));

	if (basic)
		;
	else if (rc == ACC_NONE)
		out_fact_num(&d->o, "type_map", mdl_unavailable("how it, or a part of it, was made is not recorded"));
	else if (rc)
		mpidbg_problem_walk(d, rc, 0, "type map");
	if (!rc && !basic) {
		struct names names = { .d = d };

		if (d->o.json)
			json_map(&names, &map);
		else
			text_map(&names, &map);
		write_holes(d, &map, h->datatype.lower_bound, h->datatype.extent);
		draw(d, &map, h->datatype.lower_bound, h->datatype.extent);
	}
	if (!rc)
		rd_track_typemap_free(d->p->track, &map);
}
