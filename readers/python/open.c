/* SPDX-License-Identifier: BSD-3-Clause */
#include "state.h"

#include "../../access/pack_choose.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- an interpreter's description of itself -------------------------------------------------------------------- */

/* Read the offsets that the pack locates in _PyRuntime: that of PyObject.ob_type is in the field PyObject__ob_type. */
struct description {
	struct acc_space *sp;
	const struct acc_pack *pack;
	uint64_t runtime_addr;
};

static bool described(const struct description *d, const char *type, const char *field, uint64_t *ret)
{
	char name[96];

	snprintf(name, sizeof(name), "%s__%s", type, field);
	const struct acc_pack_field *f = acc_pack_field(d->pack, "_Py_DebugOffsets", name);
	return f && f->bytes == 8 && !acc_read_u(d->sp, d->runtime_addr + f->offset, 8, ret);
}

static bool described_type(void *ctx, const char *type, uint64_t *bytes)
{
	return described(ctx, type, "size", bytes);
}

static bool described_field(void *ctx, const char *type, const char *field, uint64_t *offset, unsigned *width)
{
	for (unsigned i = 0; i < rd_python_schema.n_fields; i++) {
		const struct acc_field_row *row = &rd_python_schema.fields[i];

		if (strcmp(row->type_name, type) || strcmp(row->name, field))
			continue;
		if (!described(ctx, type, field, offset))
			return false;
		/* both are 0 in builds whose threads have no copies of the instructions */
		if (!*offset && (i == PYF_py_code_co_tlbc || i == PYF_py_frame_tlbc_index))
			return false;
		*width = row->kind == ACC_U8 || row->kind == ACC_BOOL                           ? 1
			 : row->kind == ACC_INT || row->kind == ACC_I32 || row->kind == ACC_U32 ? 4
												: 8;
		return true;
	}
	return false;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

/* Describe a version without a pack; Py_Version is exported since 3.11. */
static void version_text(struct acc_space *sp, char *ret, size_t n)
{
	uint64_t addr, version;

	if (!acc_symbol(sp, "Py_Version", &addr) && !acc_read_u(sp, addr, sp->sizes.long_bytes, &version))
		snprintf(ret, n, "CPython %u.%u", (unsigned)(version >> 24 & 255), (unsigned)(version >> 16 & 255));
	else
		snprintf(ret, n, "this CPython");
}

static const struct acc_pack *choose(struct acc_space *sp, const struct rd_packs *packs, char why[ACC_NOTE_BYTES])
{
	struct acc_pack_choice choice;
	char version[32];

	acc_pack_choose(sp, packs->packs, packs->n, rd_python_schema.name, &rd_python_schema, NULL, &choice);
	if (choice.pack)
		return choice.pack;
	version_text(sp, version, sizeof(version));
	if (choice.nearest)
		snprintf(why, ACC_NOTE_BYTES, "%s: no layout pack fits; the nearest is for %.16s: %.150s", version,
			 choice.nearest->version, choice.result.first);
	else
		snprintf(why, ACC_NOTE_BYTES, "%s: there is no layout pack", version);
	return NULL;
}

/* Check rows of which one or another is required. @return what is missing; NULL: nothing */
static const char *missing(const struct rd_python *p)
{
	static const unsigned frames[] = { PYF_py_frame_executable,      PYF_py_frame_previous,
					   PYF_py_frame_instr_ptr,       PYF_py_frame_owner,
					   PYF_py_code_co_code_adaptive, PYF_py_code_co_qualname,
					   PYF_py_code_co_linetable,     PYF_py_thread_native_thread_id };
	bool current = rd_python_has(p, PYF_py_thread_current_frame);
	bool cframe = rd_python_has(p, PYF_py_thread_cframe) && rd_python_has(p, PYF_py_cframe_current_frame);

	if (!current && !cframe) {
		bool whole = rd_python_has(p, PYF_py_thread_frame) && rd_python_has(p, PYF_py_frame_object_f_back) &&
			     rd_python_has(p, PYF_py_frame_object_f_code) &&
			     rd_python_has(p, PYF_py_frame_object_f_lasti) && rd_python_has(p, PYF_py_code_co_name) &&
			     rd_python_has(p, PYF_py_thread_thread_id) &&
			     (rd_python_has(p, PYF_py_code_co_lnotab) || rd_python_has(p, PYF_py_code_co_linetable));
		return whole ? NULL : "PyFrameObject";
	}
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
		if (!rd_python_has(p, frames[i]))
			return rd_python_schema.fields[frames[i]].name;
	return NULL;
}

/* glibc's description of where a thread's id is stored, for debuggers: bits, elements, offset (nptl_db/db_info.c). */
static void find_tid_offset(struct rd_python *p)
{
	uint64_t addr, width, offset;

	p->has_tid_offset = !acc_symbol(p->sp, "_thread_db_pthread_tid", &addr) &&
			    !acc_read_u(p->sp, addr, 4, &width) && width == 32 &&
			    !acc_read_u(p->sp, addr + 8, 4, &offset) && offset < ACC_TYPE_BYTES_MAX;
	if (p->has_tid_offset)
		p->tid_offset = (uint32_t)offset;
}

static enum acc_rc resolve(struct rd_python *p, const struct acc_pack *pack, char why[ACC_NOTE_BYTES])
{
	struct description d = { p->sp, pack, p->runtime_addr };
	const struct acc_self self = { described_type, described_field, &d };
	enum acc_rc rc = acc_layout_resolve(p->sp, &rd_python_schema, &self, pack, &p->layout);

	if (rc) {
		snprintf(why, ACC_NOTE_BYTES, "CPython %.16s: %.200s", pack->version, p->sp->note.text);
		return rc;
	}
	const char *what = missing(p);
	if (what) {
		snprintf(why, ACC_NOTE_BYTES, "CPython %.16s: %s: no source describes it", pack->version, what);
		return ACC_EFIELD;
	}
	if (!rd_python_has(p, PYF_py_thread_native_thread_id))
		find_tid_offset(p);
	if (!rd_python_has(p, PYF_py_thread_native_thread_id) && !p->has_tid_offset) {
		snprintf(why, ACC_NOTE_BYTES, "CPython %.16s: the C library does not tell the numbers of its threads",
			 pack->version);
		return ACC_ESYMBOL;
	}
	snprintf(p->version, sizeof(p->version), "%.15s", pack->version);
	return ACC_OK;
}

static enum acc_rc open_at(struct rd_python *p, const struct rd_packs *packs, char why[ACC_NOTE_BYTES])
{
	if (acc_symbol(p->sp, "_PyRuntime", &p->runtime_addr)) {
		snprintf(why, ACC_NOTE_BYTES, "a CPython before 3.7, or one whose symbols are not exported");
		return ACC_ESYMBOL;
	}
	if (acc_symbol(p->sp, "PyCode_Type", &p->code_type_addr) ||
	    acc_symbol(p->sp, "PyUnicode_Type", &p->text_type_addr) ||
	    acc_symbol(p->sp, "PyBytes_Type", &p->bytes_type_addr)) {
		snprintf(why, ACC_NOTE_BYTES, "CPython: its types have no symbols");
		return ACC_ESYMBOL;
	}
	const struct acc_pack *pack = choose(p->sp, packs, why);
	return pack ? resolve(p, pack, why) : ACC_EWITNESS;
}

enum acc_rc rd_python_open(struct acc_space *sp, const struct rd_packs *packs, char why[ACC_NOTE_BYTES],
			   struct rd_python **ret)
{
	struct acc_note note = sp->note;
	uint64_t addr;

	if (acc_symbol(sp, "PyFrame_Type", &addr))
		return ACC_NONE;
	struct rd_python *p = acc_array(sp, 1, sizeof(*p));
	if (!p) {
		snprintf(why, ACC_NOTE_BYTES, "CPython: %s", acc_rc_text(ACC_ENOMEM));
		return ACC_ENOMEM;
	}
	memset(p, 0, sizeof(*p));
	p->sp = sp;
	acc_space_begin(sp);
	enum acc_rc rc = open_at(p, packs, why);
	acc_space_end(sp);
	sp->note = note;
	if (rc)
		rd_python_close(p);
	else
		*ret = p;
	return rc;
}

void rd_python_close(struct rd_python *p)
{
	if (!p)
		return;
	struct acc_space *sp = p->sp;
	acc_layout_deinit(sp, &p->layout);
	acc_array_free(sp, p);
}
