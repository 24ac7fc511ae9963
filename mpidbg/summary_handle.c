/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPIDBG_WHAT_HANDLE as one line: from the registry, or from Open MPI's own memory.
 */
#include "summary.h"

#include "code.h"
#include "handle_value.h"
#include "handle_words.h"
#include "names.h"

#include "../render/handle_kind.h"
#include "../render/text.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static const char need_library[] = "needs the in-target library: start the program with mpi2dd-run";

/* ---- the value ------------------------------------------------------------------------------------ */

/* @return the bits of the handle; *known false: a name, or a Fortran handle */
static uint64_t value_of(struct mpidbg_description *d, enum mdl_handle_kind kind, bool *known, enum acc_rc *rc)
{
	struct _mqs_process_info *p = d->p;
	const char *text = d->options.value;
	unsigned width = p->track ? rd_track_handle_bytes(p->track, kind) : p->space.sizes.pointer_bytes;
	uint64_t value = 0;

	*rc = ACC_OK;
	*known = mpidbg_number(text + (text[0] == '@'), &value);
	if (*known && text[0] == '@')
		*rc = acc_read_u(&p->space, value, width, &value);
	/* the upper half of a 32-bit handle is zero or the sign extension; otherwise it is not a handle */
	if (width == 4 && (int64_t)value == (int32_t)(uint32_t)value)
		value = (uint32_t)value;
	return value;
}

/* Write "0x44000000 <", or the text of the query if it has no value. */
static void open_line(struct mpidbg_description *d, bool known, uint64_t value)
{
	out_line(&d->o, 0);
	if (known)
		out_text(&d->o, "0x%" PRIx64 " <", value);
	else {
		out_name(&d->o, d->options.value, true);
		out_text(&d->o, " <");
	}
}

static void close_line(struct mpidbg_description *d)
{
	out_text(&d->o, ">");
	out_line_end(&d->o);
}

/* ---- from the registry -------------------------------------------------------------------------------- */

/* Null handles are recorded as "no object"; in MPICH and its derivatives they are numbers fixed by its ABI. */
static const char *null_name(struct _mqs_process_info *p, enum mdl_handle_kind kind, uint64_t value)
{
	static const struct {
		enum mdl_handle_kind kind;
		uint32_t value;
		const char *name;
	} mpich[] = {
		{ MDL_COMM, 0x04000000, "MPI_COMM_NULL" },
		{ MDL_GROUP, 0x08000000, "MPI_GROUP_NULL" },
		{ MDL_DATATYPE, 0x0c000000, "MPI_DATATYPE_NULL" },
		{ MDL_ERRHANDLER, 0x14000000, "MPI_ERRHANDLER_NULL" },
		{ MDL_OP, 0x18000000, "MPI_OP_NULL" },
		{ MDL_INFO, 0x1c000000, "MPI_INFO_NULL" },
		{ MDL_WIN, 0x20000000, "MPI_WIN_NULL" },
		{ MDL_REQUEST, 0x2c000000, "MPI_REQUEST_NULL" },
		{ MDL_A_MESSAGE, 0x2c000000, "MPI_MESSAGE_NULL" },
		{ MDL_A_MESSAGE, 0x6c000000, "MPI_MESSAGE_NO_PROC" },
		{ MDL_SESSION, 0x38000000, "MPI_SESSION_NULL" },
		{ MDL_FILE, 0, "MPI_FILE_NULL" },
	};

	if (rd_track_mpi(p->track) == RD_TRACK_OPENMPI)
		return mpidbg_predefined(&p->space, kind, value);
	for (size_t i = 0; rd_track_mpi(p->track) == RD_TRACK_MPICH && i < sizeof(mpich) / sizeof(mpich[0]); i++)
		if (mpich[i].kind == kind && mpich[i].value == value)
			return mpich[i].name;
	return NULL;
}

static void absent(struct mpidbg_description *d, enum mdl_handle_kind kind, uint64_t value)
{
	const char *why = rd_track_absent(d->p->track, kind, value);
	struct mdl_handle_count count = rd_track_count(d->p->track, kind);
	const struct mdl_library *library = rd_track_library(d->p->track);

	if (library->state == MDL_BEFORE_INIT)
		out_text(&d->o, "not known before MPI_Init has returned");
	else if (!count.known && rd_track_lacks(d->p->track, kind))
		out_text(&d->o, "unavailable: %s", rd_track_lacks(d->p->track, kind));
	else if (!count.known)
		out_text(&d->o, "%s are not recorded in this process", out_handle_words(kind));
	else if (count.n_dropped)
		out_text(&d->o, "not known: %" PRIu64 " %s were not recorded because there was no space",
			 count.n_dropped, out_handle_words(kind));
	else
		out_text(&d->o, "no %s has this handle%s%s", out_handle_word(kind), why ? ": " : "", why ? why : "");
}

static enum acc_rc native_request(struct mpidbg_description *d, uint64_t value)
{
	struct mdl_comm c;
	struct mdl_op op;
	enum acc_rc rc = rd_request_get(d->p->reader, value, &c, &op);

	if (!rc)
		mpidbg_summary_operation(d, &c, &op, NULL, true);
	return rc;
}

static enum acc_rc tracked(struct mpidbg_description *d, enum mdl_handle_kind kind)
{
	struct mdl_handle h;
	enum acc_rc rc;
	bool known;
	uint64_t value = value_of(d, kind, &known, &rc);

	if (!rc)
		rc = known ? rd_track_find(d->p->track, kind, value, &h)
			   : mpidbg_find_value(d->p, kind, d->options.value, &h);
	open_line(d, known || !rc, known ? value : rc ? 0 : h.handle);
	const char *null = rc == ACC_NONE && known ? null_name(d->p, kind, value) : NULL;
	/* without a registry the library's operation has more facts than its request */
	bool operation = !rc && h.kind == MDL_REQUEST && rd_track_has_no_registry(d->p->track) &&
			 !native_request(d, h.handle);
	if (!rc && !operation)
		mpidbg_summary_object(d, &h);
	if (!rc && mpidbg_ended(d, &h))
		out_text(&d->o, ", ended with MPI_Finalize");
	if (null)
		out_text(&d->o, "%s", null);
	else if (rc == ACC_NONE)
		absent(d, kind, known ? value : 0);
	else if (rc)
		out_text(&d->o, "unavailable: %s", acc_rc_text(rc));
	close_line(d);
	acc_note_clear(&d->p->space.note);
	return null ? ACC_OK : rc;
}

/* ---- from Open MPI itself ----------------------------------------------------------------------------- */

static enum acc_rc native_comm(struct mpidbg_description *d, uint64_t value)
{
	struct mdl_comm c;
	struct out *o = &d->o;
	enum acc_rc rc = rd_comm_get(d->p->reader, value, &c);

	if (rc)
		return rc;
	if (c.name[0])
		out_name(o, c.name, true);
	else
		out_text(o, "communicator");
	out_text(o, ", rank %" PRId64 " of %" PRId64, c.rank, c.size);
	if (c.inter)
		out_text(o, ", %" PRId64 " remote", c.remote_size);
	if (c.topology != MDL_TOPO_NONE)
		out_text(o, c.topology == MDL_TOPO_CART    ? ", cartesian"
			    : c.topology == MDL_TOPO_GRAPH ? ", graph"
							   : ", distributed graph");
	return ACC_OK;
}

static enum acc_rc native_datatype(struct mpidbg_description *d, uint64_t value, const char *predefined)
{
	char name[MDL_NAME_BYTES];
	uint64_t bytes;
	enum acc_rc rc = rd_datatype_get(d->p->reader, value, name, &bytes);

	if (rc)
		return rc;
	if (predefined || name[0])
		out_name(&d->o, predefined ? predefined : name, true);
	else
		out_text(&d->o, "datatype");
	out_text(&d->o, ", size %" PRIu64, bytes);
	return ACC_OK;
}

/* @p registry: NULL, or the registry's problem. */
static enum acc_rc native(struct mpidbg_description *d, enum mdl_handle_kind kind, const char *registry)
{
	struct _mqs_process_info *p = d->p;
	bool known, can = kind == MDL_COMM || kind == MDL_REQUEST || kind == MDL_DATATYPE;
	enum acc_rc rc, opened = mqs_state_update(p);
	uint64_t value = value_of(d, kind, &known, &rc);

	open_line(d, known, value);
	const char *name = known && !rc ? mpidbg_predefined(&p->space, kind, value) : NULL;
	size_t n = name ? strlen(name) : 0;
	bool null = n > 5 && !strcmp(name + n - 5, "_NULL");
	enum acc_rc found = ACC_NONE;

	if (known && !rc && !opened && !null)
		found = kind == MDL_COMM       ? native_comm(d, value)
			: kind == MDL_REQUEST  ? native_request(d, value)
			: kind == MDL_DATATYPE ? native_datatype(d, value, name)
					       : ACC_NONE;
	if (rc)
		out_text(&d->o, "unavailable: %s", acc_rc_text(rc));
	else if (found && name)
		out_text(&d->o, "%s", name);
	else if (found && known && can && !opened && rd_library(p->reader)->state == MDL_INITIALIZED)
		out_text(&d->o, "no %s%s has this handle", out_handle_word(kind),
			 kind == MDL_REQUEST ? " of a message or collective that is in use" : "");
	else if (found && (registry || (can && opened && opened != ACC_NONE))) {
		out_text(&d->o, "unavailable: ");
		out_name(&d->o, registry ? registry : p->note.text, false);
	} else if (found)
		out_text(&d->o, "%s", need_library);
	close_line(d);
	acc_note_clear(&p->space.note);
	if (rc || !found || name)
		return rc;
	if (opened && opened != ACC_NONE)
		return opened;
	return mqs_state_fail(p, ACC_NONE, can ? "no such object" : need_library);
}

/* ---- statuses ----------------------------------------------------------------------------------------- */

static void put_number(struct out *o, const char *before, struct mdl_num n, const char *after)
{
	out_text(o, "%s", before);
	out_num(o, n);
	out_text(o, "%s", after);
}

static enum acc_rc status(struct mpidbg_description *d)
{
	enum rd_track_mpi mpi = mpidbg_which_mpi(d->p);
	const char *text = d->options.value;
	struct mdl_status s = { 0 };
	uint64_t addr = 0;
	struct out *o = &d->o;
	enum acc_rc rc = ACC_EINVAL;

	if (mpi == RD_TRACK_OTHER_MPI)
		rc = ACC_NONE;
	else if (mpidbg_number(text + (text[0] == '@'), &addr))
		rc = rd_track_status(&d->p->space, mpi, addr, &s);
	open_line(d, addr != 0, addr);
	if (rc) {
		out_text(o, "unavailable: %s",
			 rc == ACC_NONE ? "which MPI this process has is not known" : acc_rc_text(rc));
	} else {
		out_text(o, "status");
		mpidbg_summary_peer(o, "from", s.source);
		put_number(o, ", tag ", s.tag, "");
		put_number(o, ", ", s.bytes, s.bytes.value == 1 ? " byte" : " bytes");
		if (s.cancelled.known == MDL_KNOWN && s.cancelled.value)
			out_text(o, ", cancelled");
	}
	close_line(d);
	acc_note_clear(&d->p->space.note);
	return rc;
}

/* ---- public functions ------------------------------------------------------------------------------------------ */

int mpidbg_describe_brief(struct mpidbg_description *d)
{
	bool is_status = d->options.kind && !strcmp(d->options.kind, "status");
	enum mdl_handle_kind kind = MDL_COMM;

	if (!d->options.kind || !d->options.value || (!is_status && !out_handle_kind_of(d->options.kind, &kind))) {
		mqs_state_fail(d->p, ACC_NONE, "which object? a kind and a value are needed");
		return MPIDBG_ERR_OUT_OF_RANGE;
	}

	enum acc_rc rc = mqs_state_objects(d->p);
	struct acc_note note = d->p->note;
	mqs_state_begin(d->p); /* a missing registry is not a failure here */
	rc = is_status ? status(d) : rc ? native(d, kind, rc == ACC_NONE ? NULL : note.text) : tracked(d, kind);
	return mpidbg_code(rc);
}
