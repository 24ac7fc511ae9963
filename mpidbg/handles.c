/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of a process: lists of them, or one.
 */
#include "names.h"
#include "describe.h"

#include "code.h"
#include "handle_value.h"
#include "handle_words.h"
#include "integer.h"
#include "leaks.h"
#include "library_name.h"
#include "native_comm.h"
#include "capacity.h"

#include "../render/fact.h"
#include "../render/handle_kind.h"
#include "../render/json.h"
#include "../render/process.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static const char
	no_kind[] = "there is no such kind of object; there are comm, group, datatype, errhandler, file, info, "
		    "op, request, win, message, session, keyval, and for print also status, aint, offset";

static const char not_recorded[] = "this kind is not recorded in this process";
static const char tracker_only[] = "only the in-target library knows it: start the program with mpi2dd-run";

static void begin_handles(struct mpidbg_description *d, const struct mdl_library *library)
{
	const struct out_identity identity = mpidbg_identity(d);

	out_process_begin(&d->o, &identity, library, d->p->note.text);
}

/* ---- lists ------------------------------------------------------------------------------------------ */

struct counts {
	uint64_t n_live, n_predefined, n_freed, n_unsettled, n_bad;
};

static bool wanted(const struct mpidbg_description *d, const struct mdl_handle *h)
{
	if (h->life != MDL_LIVE)
		return d->options.freed && !d->options.leaks;
	if (h->predefined)
		return d->options.all && !d->options.leaks;
	return !d->options.leaks || mpidbg_is_leak(h);
}

static void count_handle(struct counts *c, const struct mdl_handle *h)
{
	c->n_freed += h->life != MDL_LIVE;
	c->n_predefined += h->life == MDL_LIVE && h->predefined;
	c->n_live += h->life == MDL_LIVE && !h->predefined;
	c->n_unsettled += h->unsettled;
}

/* First walk, for the totals that precede the list in text. Failures are reported in the second walk. */
static void count_kind(struct mpidbg_description *d, enum mdl_handle_kind kind, struct counts *c)
{
	struct rd_track_iter it;
	struct mdl_handle h;

	memset(c, 0, sizeof(*c));
	if (rd_track_first(d->p->track, kind, RD_TRACK_ALL, &it))
		return;
	while (!rd_track_next(&it, &h))
		count_handle(c, &h);
	c->n_bad = it.n_bad;
	acc_note_clear(&d->p->space.note);
}

static void text_head(struct mpidbg_description *d, enum mdl_handle_kind kind, const struct counts *c)
{
	struct out *o = &d->o;

	out_line(o, 1);
	out_color(o, OUT_BOLD);
	out_text(o, "%s", out_handle_words(kind));
	out_color(o, OUT_PLAIN);
	out_text(o, ": %" PRIu64 " live", c->n_live);
	if (c->n_predefined)
		out_text(o, ", %" PRIu64 " predefined", c->n_predefined);
	if (c->n_freed)
		out_text(o, ", %" PRIu64 " freed", c->n_freed);
	out_line_end(o);
}

static void json_head(struct mpidbg_description *d, enum mdl_handle_kind kind, const struct counts *c)
{
	struct mdl_handle_count about = rd_track_count(d->p->track, kind);
	struct out *o = &d->o;

	out_json_object(o, NULL);
	out_json_string(o, "kind", out_handle_kind(kind));
	out_json_bool(o, "recorded", about.known);
	if (!about.known && rd_track_lacks(d->p->track, kind))
		out_json_string(o, "recorded_why", rd_track_lacks(d->p->track, kind));
	if (about.known) {
		out_json_uint(o, "live", c->n_live);
		out_json_uint(o, "predefined", c->n_predefined);
		out_json_uint(o, "freed", c->n_freed);
		out_json_uint(o, "not_recorded", about.n_dropped);
		out_json_uint(o, "forgotten", about.n_forgotten);
		out_json_uint(o, "capacity", about.capacity);
		out_json_uint(o, "used", about.n_slots);
	}
	out_json_array(o, "objects");
}

static void write_objects(struct mpidbg_description *d, enum mdl_handle_kind kind)
{
	struct rd_track_iter it;
	struct mdl_handle h;

	if (rd_track_first(d->p->track, kind, RD_TRACK_ALL, &it))
		return;
	enum acc_rc rc;
	while (!d->o.failed && !(rc = rd_track_next(&it, &h))) {
		if (!wanted(d, &h))
			continue;
		if (d->library_names)
			mpidbg_library_name(d->p, &h);
		if (d->o.json) {
			out_json_object(&d->o, NULL);
			mpidbg_handle_facts(d, &h);
			out_json_object_end(&d->o);
		} else {
			mpidbg_handle_line(d, &h);
		}
	}
	mpidbg_problem_walk(d, rc == ACC_NONE || d->o.failed ? ACC_OK : rc, it.n_bad, out_handle_words(kind));
	if (it.n_unsettled)
		mpidbg_problem(d, "%s: %" PRIu64 " were being written when the process was stopped",
			       out_handle_words(kind), it.n_unsettled);
}

/*
 * Compare the registry's count of live objects with the records. While the writer is between two instructions,
 * they may differ by one; a larger difference means that a count or an address in the registry was overwritten.
 */
static void compare_counts(struct mpidbg_description *d, enum mdl_handle_kind kind, const struct counts *c)
{
	struct mdl_num said = rd_track_count(d->p->track, kind).n_live;
	uint64_t seen = c->n_live + c->n_predefined;

	if (said.known != MDL_KNOWN || c->n_bad)
		return;
	uint64_t differ = seen > (uint64_t)said.value ? seen - (uint64_t)said.value : (uint64_t)said.value - seen;
	if (differ > 1)
		mpidbg_problem(
			d, "%s: %" PRIu64 " live records, and the registry counts %" PRId64 ": its memory is damaged",
			out_handle_words(kind), seen, said.value);
}

static void write_kind(struct mpidbg_description *d, enum mdl_handle_kind kind, bool asked)
{
	struct mdl_handle_count about = rd_track_count(d->p->track, kind);
	struct counts c;

	count_kind(d, kind, &c);
	const char *lacks = rd_track_lacks(d->p->track, kind);
	if (d->o.json)
		json_head(d, kind, &c);
	else if (!about.known && asked)
		out_remark(&d->o, out_handle_words(kind), lacks ? lacks : not_recorded);
	else if (!d->options.leaks &&
		 (c.n_live || (c.n_freed && d->options.freed) || (c.n_predefined && d->options.all) || asked))
		text_head(d, kind, &c);
	acc_note_clear(&d->p->space.note);
	if (d->o.json || !d->options.leaks)
		write_objects(d, kind);
	if (d->o.json) {
		out_json_array_end(&d->o);
		out_json_object_end(&d->o);
	}
	if (about.known && lacks)
		mpidbg_problem(d, "%s: incomplete: %s", out_handle_words(kind), lacks);
	compare_counts(d, kind, &c);
	mpidbg_problem_kind(d, kind);
	if (about.n_forgotten && d->options.freed)
		mpidbg_problem(d,
			       "%s: incomplete: %" PRIu64
			       " freed ones were forgotten, although a debugger wanted them: there was "
			       "no space",
			       out_handle_words(kind), about.n_forgotten);
}

/* List the kinds that are not read, once for each reason. */
static void write_unread(struct mpidbg_description *d)
{
	const char *why[MDL_N_HANDLE_KINDS];

	for (int k = 0; k < MDL_N_HANDLE_KINDS; k++) {
		enum mdl_handle_kind kind = (enum mdl_handle_kind)k;
		char words[256] = "";
		size_t n = 0;

		why[k] = rd_track_count(d->p->track, kind).known ? NULL : rd_track_lacks(d->p->track, kind);
		for (int i = 0; why[k] && i < k; i++)
			if (why[i] == why[k])
				why[k] = NULL;
		for (int i = k; why[k] && i < MDL_N_HANDLE_KINDS; i++)
			if (!rd_track_count(d->p->track, (enum mdl_handle_kind)i).known &&
			    rd_track_lacks(d->p->track, (enum mdl_handle_kind)i) == why[k] && n < sizeof(words))
				n += (size_t)snprintf(words + n, sizeof(words) - n, "%s%s", n ? ", " : "",
						      out_handle_words((enum mdl_handle_kind)i));
		if (why[k])
			out_remark(&d->o, words, why[k]);
	}
}

/* Before MPI_Init has returned, objects may exist that are not recorded yet. */
static enum acc_rc too_early(struct mpidbg_description *d, enum mdl_handle_kind kind, bool all)
{
	if (rd_track_library(d->p->track)->state != MDL_BEFORE_INIT)
		return ACC_OK;
	for (int k = 0; k < MDL_N_HANDLE_KINDS; k++)
		if ((all || k == (int)kind) && rd_track_count(d->p->track, (enum mdl_handle_kind)k).known)
			return ACC_OK;
	return mqs_state_fail(d->p, ACC_NONE, "objects are not known before MPI_Init has returned");
}

/* @return true: the option names a kind, or is empty (*all) */
static bool kind_wanted(const struct mpidbg_description *d, bool *all, enum mdl_handle_kind *kind)
{
	*all = !d->options.kind;
	return *all || out_handle_kind_of(d->options.kind, kind);
}

int mpidbg_describe_handles(struct mpidbg_description *d)
{
	enum mdl_handle_kind kind = MDL_COMM;
	bool all;

	if (!kind_wanted(d, &all, &kind)) {
		mqs_state_fail(d->p, ACC_NONE, no_kind);
		return MPIDBG_ERR_OUT_OF_RANGE;
	}

	enum acc_rc rc = mqs_state_objects(d->p);
	begin_handles(d, rc ? NULL : rd_track_library(d->p->track));
	if (!rc)
		rc = too_early(d, kind, all);
	/* without creators and freed objects, what the program must free cannot be told from what it need not */
	if (!rc && d->options.leaks && rd_track_has_no_registry(d->p->track)) {
		if (d->o.json)
			out_json_unknown(&d->o, "leaks", tracker_only);
		mpidbg_problem(d, "what the program has not freed: %s", tracker_only);
		rc = ACC_EREAD;
	}
	d->library_names = !rc && mpidbg_library_names_open(d->p);
	if (!rc && d->options.leaks)
		mpidbg_write_leaks(d, all ? MDL_N_HANDLE_KINDS : kind);
	if (d->o.json)
		out_json_array(&d->o, "handles");
	for (int k = 0; !rc && k < MDL_N_HANDLE_KINDS; k++)
		if (all || k == (int)kind)
			write_kind(d, (enum mdl_handle_kind)k, !all);
	if (!rc && all && rd_track_has_no_registry(d->p->track) && !d->options.leaks)
		write_unread(d);
	if (!rc && rd_track_has_no_registry(d->p->track))
		out_remark(&d->o, "what created them, and what was freed", tracker_only);
	if (!rc)
		mpidbg_problem_capacity(d);
	if (d->o.json)
		out_json_array_end(&d->o);
	if (rc && rc != ACC_NONE && d->p->note.rc)
		mpidbg_problem(d, "%s", d->p->note.text);
	mpidbg_write_problems(d);
	out_process_end(&d->o);
	return mpidbg_code(rc);
}

/* ---- one -------------------------------------------------------------------------------------------- */

static enum acc_rc write_status(struct mpidbg_description *d)
{
	const char *text = d->options.value;
	bool cxx = !strncmp(text, "cxx:", 4);
	struct mdl_status s;
	uint64_t addr;

	if (!mpidbg_number(text + (cxx ? 4 : text[0] == '@'), &addr))
		return mqs_state_fail(d->p, ACC_EINVAL, "a status is named by its address, 0x...");
	addr += cxx ? d->p->space.sizes.pointer_bytes : 0; /* skip the pointer to the table of virtual functions */
	enum acc_rc rc = rd_track_status(&d->p->space, mpidbg_which_mpi(d->p), addr, &s);
	if (rc)
		return mqs_state_fail(d->p, rc, "status");
	if (d->o.json) {
		out_json_object(&d->o, "handle");
	} else {
		out_line(&d->o, 1);
		out_text(&d->o, "status at 0x%" PRIx64, addr);
	}
	out_fact_word(&d->o, "kind", "status");
	out_fact_addr(&d->o, "address", mdl_known((int64_t)addr));
	out_fact_rank(&d->o, "source", s.source);
	out_fact_num(&d->o, "tag", s.tag);
	out_fact_num(&d->o, "error", s.error);
	out_fact_num(&d->o, "cancelled", s.cancelled);
	out_fact_num(&d->o, "bytes", s.bytes);
	if (d->o.json)
		out_json_object_end(&d->o);
	return ACC_OK;
}

/* Several objects may have the requested name. */
static void same_name(struct mpidbg_description *d, const struct mdl_handle *one)
{
	struct acc_note note = d->p->space.note;
	struct rd_track_iter it;
	struct mdl_handle h;
	uint64_t n = 0, value;

	if (one->life != MDL_LIVE || mpidbg_number(d->options.value, &value) ||
	    rd_track_first(d->p->track, one->kind, RD_TRACK_LIVE, &it))
		return;
	while (!rd_track_next(&it, &h))
		n += h.addr != one->addr && !strcmp(h.name, d->options.value);
	d->p->space.note = note;
	if (!n)
		return;
	out_fact_num(&d->o, "others_of_this_name", mdl_known((int64_t)n));
	if (!d->o.json)
		out_text(&d->o, ": this is %s",
			 one->predefined ? "the predefined one" : "the one with the lowest number");
}

static enum acc_rc write_one(struct mpidbg_description *d, enum mdl_handle_kind kind)
{
	struct mdl_handle h;
	enum acc_rc rc = mpidbg_find_value(d->p, kind, d->options.value, &h);

	if (rc)
		return rc;
	d->library_names = mpidbg_library_names_open(d->p);
	if (d->library_names)
		mpidbg_library_name(d->p, &h);
	mpidbg_object_begin(d, kind, h.name, h.handle);
	if (!mpidbg_shared_requests(d, &h)) {
		mpidbg_handle_facts(d, &h);
		same_name(d, &h);
		mpidbg_earlier_objects(d, &h);
	}
	mpidbg_object_end(d);
	/* its pairs, or hints, are a list */
	if ((kind == MDL_INFO || kind == MDL_FILE) && rd_track_lacks(d->p->track, kind))
		mpidbg_problem(d, "%s: incomplete: %s", out_handle_words(kind), rd_track_lacks(d->p->track, kind));
	if (h.unsettled)
		mpidbg_problem(d, "it was being written when the process was stopped");
	return ACC_OK;
}

/* Open the MPI library's own memory; if that fails, the message about the registry remains. */
static bool open_native(struct _mqs_process_info *p)
{
	struct acc_note note = p->space.note, message = p->note;
	bool ok = !mqs_state_update(p) && rd_library(p->reader)->state >= MDL_INITIALIZED &&
		  rd_library(p->reader)->state != MDL_FINALIZED;

	p->space.note = note;
	p->note = message;
	return ok;
}

int mpidbg_describe_handle(struct mpidbg_description *d)
{
	bool status = d->options.kind && !strcmp(d->options.kind, "status");
	int integer = d->options.kind ? mpidbg_integer_kind(d->options.kind) : -1;
	enum mdl_handle_kind kind = MDL_COMM;

	if (!d->options.kind || !d->options.value ||
	    (!status && integer < 0 && !out_handle_kind_of(d->options.kind, &kind))) {
		mqs_state_fail(d->p, ACC_NONE,
			       d->options.kind && d->options.value ? no_kind
								   : "which object? a kind and a value are needed");
		return MPIDBG_ERR_OUT_OF_RANGE;
	}
	if (!status && integer < 0 && mpidbg_check_value(d->p, d->options.value))
		return MPIDBG_ERR_OUT_OF_RANGE;

	enum acc_rc rc = mqs_state_objects(d->p);
	/* without a registry, the MPI library itself knows the communicators */
	bool native = rc == ACC_NONE && !status && integer < 0 && kind == MDL_COMM && open_native(d->p);
	begin_handles(d, native ? rd_library(d->p->reader) : rc ? NULL : rd_track_library(d->p->track));
	if (native) {
		mqs_state_begin(d->p);
		rc = mpidbg_native_comm(d);
	} else if (status || integer >= 0) {
		mqs_state_begin(d->p);
		rc = status ? write_status(d) : mpidbg_write_integer(d, integer);
	} else if (!rc) {
		rc = write_one(d, kind);
	}
	if (rc && rc != ACC_NONE)
		mpidbg_problem(d, "%s", d->p->note.text);
	mpidbg_write_problems(d);
	out_process_end(&d->o);
	return mpidbg_code(rc);
}
