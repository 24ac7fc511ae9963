/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_python.h"

#include "../../access/pack_heap.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TID_OFFSET = 720, TABLE_UNITS = 8, SHIM = 3, TYPE_OBJECT_BYTES = 416, RUNTIME_BYTES = 4096 };

/* ---- packs ------------------------------------------------------------------------------------------------ */

static const struct acc_pack_builtin *builtin(size_t i)
{
	for (const struct acc_pack_builtin *b = acc_pack_builtins; b->file; b++)
		if (strncmp(b->file, "python-", 7) == 0 && i-- == 0)
			return b;
	return NULL;
}

size_t fake_python_packs(void)
{
	size_t n = 0;

	while (builtin(n))
		n++;
	return n;
}

const char *fake_python_pack_name(size_t i)
{
	return builtin(i)->file;
}

/* ---- layout ------------------------------------------------------------------------------------------------- */

static const struct acc_pack_field *described(const struct acc_pack *pack, const char *type, const char *field)
{
	char name[96];

	snprintf(name, sizeof(name), "%s__%s", type, field);
	return acc_pack_field(pack, "_Py_DebugOffsets", name);
}

static bool is_described(const struct fake_python *p)
{
	return acc_pack_type(p->pack, "_Py_DebugOffsets") != NULL;
}

/* An arbitrary layout, except for offsets that are in the pack itself; fields that the interpreter does not
 * describe are absent. */
static void lay_out_at_will(struct fake_python *p)
{
	for (unsigned i = 0; i < rd_python_schema.n_fields; i++) {
		const struct acc_field_row *row = &rd_python_schema.fields[i];
		const struct acc_pack_field *own = acc_pack_field(p->pack, row->type_name, row->name);

		if (own)
			fake_fix_field(p->f, i, own->offset);
		else if (!described(p->pack, row->type_name, row->name))
			fake_hide_field(p->f, i);
	}
	fake_base(p->f, PY_py_code, PY_py_object);
	fake_base(p->f, PY_py_bytes, PY_py_object);
	fake_base(p->f, PY_py_text, PY_py_object);
	/* after the description at its start */
	fake_fix_field(p->f, PYF_py_runtime_interpreters_head, RUNTIME_BYTES);
	fake_fix_type(p->f, PY_py_runtime, RUNTIME_BYTES + 16);
	fake_lay_out(p->f);
}

static void describe(struct fake_python *p)
{
	for (unsigned i = 0; i < rd_python_schema.n_fields; i++) {
		const struct acc_field_row *row = &rd_python_schema.fields[i];
		const struct acc_pack_field *at = described(p->pack, row->type_name, row->name);

		if (at)
			fake_write_u(p->f, p->runtime + at->offset, 8, fake_field_offset(p->f, i));
	}
	for (unsigned i = 0; i < rd_python_schema.n_types; i++) {
		const struct acc_pack_field *at = described(p->pack, rd_python_schema.types[i].name, "size");

		if (at)
			fake_write_u(p->f, p->runtime + at->offset, 8, fake_type_bytes(p->f, i));
	}
}

static bool has(const struct fake_python *p, unsigned field)
{
	const struct acc_field_row *row = &rd_python_schema.fields[field];

	return acc_pack_field(p->pack, row->type_name, row->name) || described(p->pack, row->type_name, row->name);
}

static void add_part(struct fake_python *p, uint64_t addr, uint64_t bytes)
{
	if (p->n_parts < sizeof(p->parts) / sizeof(p->parts[0]))
		p->parts[p->n_parts++] = (struct fake_python_part){ addr, bytes };
}

/* ---- objects -------------------------------------------------------------------------------------------------- */

static uint64_t new_object(struct fake_python *p, uint64_t bytes, uint64_t type)
{
	uint64_t ret = fake_alloc(p->f, bytes, 16);

	fake_put_u(p->f, ret, PYF_py_object_ob_type, type);
	add_part(p, ret, bytes);
	return ret;
}

void fake_python_set_text(struct fake_python *p, uint64_t text, unsigned width, bool compact, bool ascii,
			  uint64_t length)
{
	uint64_t state = (uint64_t)width << fake_field_offset(p->f, PYF_py_text_facts_kind) |
			 (uint64_t)compact << fake_field_offset(p->f, PYF_py_text_facts_compact) |
			 (uint64_t)ascii << fake_field_offset(p->f, PYF_py_text_facts_ascii);

	fake_put_u(p->f, text, PYF_py_text_state, state);
	fake_put_u(p->f, text, PYF_py_text_length, length);
}

uint64_t fake_python_text(struct fake_python *p, unsigned width, bool ascii, const uint32_t *characters, size_t n)
{
	uint64_t data = fake_field_offset(p->f, PYF_py_text_ascii_data) +
			(ascii ? 0 : fake_field_offset(p->f, PYF_py_text_facts_wide_more));
	uint64_t ret = new_object(p, fake_type_bytes(p->f, PY_py_text) + data + width * n, p->text_type);

	fake_python_set_text(p, ret, width, true, ascii, n);
	for (size_t i = 0; i < n; i++)
		fake_write_u(p->f, ret + data + width * i, width, characters[i]);
	return ret;
}

static uint64_t ascii_text(struct fake_python *p, const char *text)
{
	uint32_t characters[64];
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++)
		characters[i] = (uint8_t)text[i];
	return fake_python_text(p, 1, true, characters, n);
}

/* A line table in which every instruction of the function is @p delta lines further. */
static uint64_t table(struct fake_python *p, unsigned delta)
{
	const uint8_t lnotab[] = { 0, (uint8_t)delta }, pairs[] = { 2 * TABLE_UNITS, (uint8_t)delta },
		      entries[] = { 0x80 | 13 << 3 | (TABLE_UNITS - 1), (uint8_t)(delta << 1) };
	const uint8_t *bytes = has(p, PYF_py_code_co_lnotab)     ? lnotab
			       : has(p, PYF_py_code_co_qualname) ? entries
								 : pairs;
	uint64_t data = fake_field_offset(p->f, PYF_py_bytes_ob_sval),
		 ret = new_object(p, fake_type_bytes(p->f, PY_py_bytes) + data + 16, p->bytes_type);

	fake_put_u(p->f, ret, PYF_py_bytes_ob_size, 2);
	fake_write(p->f, ret + data, bytes, 2);
	return ret;
}

static void add_code(struct fake_python *p, unsigned i)
{
	char name[8];

	snprintf(name, sizeof(name), "f%u", i);
	p->names[i] = ascii_text(p, name);
	p->tables[i] = table(p, i);
	p->codes[i] = new_object(p, fake_type_bytes(p->f, PY_py_code) + 64, p->code_type);
	fake_put_u(p->f, p->codes[i], p->code_name, p->names[i]);
	fake_put_u(p->f, p->codes[i], PYF_py_code_co_filename, p->file);
	fake_put_i(p->f, p->codes[i], PYF_py_code_co_firstlineno, 10 * (i + 1));
	fake_put_u(p->f, p->codes[i], has(p, PYF_py_code_co_lnotab) ? PYF_py_code_co_lnotab : PYF_py_code_co_linetable,
		   p->tables[i]);
}

static uint64_t interpreter_frame(struct fake_python *p, uint64_t code, unsigned owner)
{
	uint64_t ret = fake_new(p->f, PY_py_frame);

	add_part(p, ret, fake_type_bytes(p->f, PY_py_frame));
	fake_put_u(p->f, ret, PYF_py_frame_executable, code | (is_described(p) && code)); /* the tag of 3.14 */
	fake_put_u(p->f, ret, PYF_py_frame_owner, owner);
	if (code)
		fake_put_u(p->f, ret, PYF_py_frame_instr_ptr,
			   code + fake_field_offset(p->f, PYF_py_code_co_code_adaptive) + 4);
	return ret;
}

static uint64_t add_frame(struct fake_python *p, unsigned i)
{
	if (has(p, PYF_py_frame_executable))
		return interpreter_frame(p, p->codes[i], 0);
	uint64_t ret = fake_new(p->f, PY_py_frame_object);

	add_part(p, ret, fake_type_bytes(p->f, PY_py_frame_object));
	fake_put_u(p->f, ret, PYF_py_frame_object_f_code, p->codes[i]);
	fake_put_i(p->f, ret, PYF_py_frame_object_f_lasti, 4);
	return ret;
}

/* f0 is called by f1 in one activation of the loop, f1 by f2 through C. */
static void link_frames(struct fake_python *p)
{
	fake_put_u(p->f, p->frames[0], p->frame_previous, p->frames[1]);
	uint64_t caller = p->frames[2];
	if (has(p, PYF_py_frame_is_entry)) {
		fake_put_u(p->f, p->frames[1], PYF_py_frame_is_entry, 1);
	} else if (has(p, PYF_py_frame_executable)) {
		uint64_t shim = interpreter_frame(p, 0, SHIM);
		fake_put_u(p->f, shim, p->frame_previous, caller);
		caller = shim;
	}
	fake_put_u(p->f, p->frames[1], p->frame_previous, caller);
}

/* ---- the process -------------------------------------------------------------------------------------------- */

static void add_symbols(struct fake_python *p)
{
	static const char *const types[] = { "PyFrame_Type", "PyCode_Type",     "PyUnicode_Type",
					     "PyBytes_Type", "PyFunction_Type", "PyType_Type" };
	uint64_t addr[6], version = fake_alloc(p->f, 8, 8);

	for (size_t i = 0; i < 6; i++) {
		addr[i] = fake_alloc(p->f, TYPE_OBJECT_BYTES, 16);
		fake_symbol(p->f, types[i], addr[i]);
	}
	p->code_type = addr[1];
	p->text_type = addr[2];
	p->bytes_type = addr[3];
	p->runtime = fake_alloc(p->f, RUNTIME_BYTES + 16, 16);
	fake_symbol(p->f, "_PyRuntime", p->runtime);
	for (size_t i = 0; i < p->pack->n_witnesses; i++) {
		const struct acc_pack_witness *w = &p->pack->witnesses[i];
		uint64_t at = 0;

		if (strcmp(w->symbol, "Py_Version") == 0) {
			fake_symbol(p->f, "Py_Version", version);
			at = version;
		} else if (strcmp(w->symbol, "_PyRuntime") == 0) {
			at = p->runtime;
		}
		for (size_t k = 0; k < 6 && !at; k++)
			at = strcmp(w->symbol, types[k]) == 0 ? addr[k] : 0;
		ck_assert_uint_ne(at, 0);
		fake_write_u(p->f, at + w->offset, w->width, w->value);
	}
	add_part(p, p->runtime, RUNTIME_BYTES);
}

static void add_thread(struct fake_python *p)
{
	p->interpreter = fake_new(p->f, PY_py_interpreter);
	p->thread = fake_new(p->f, PY_py_thread);
	add_part(p, p->interpreter, fake_type_bytes(p->f, PY_py_interpreter));
	add_part(p, p->thread, fake_type_bytes(p->f, PY_py_thread));
	fake_put_u(p->f, p->runtime, PYF_py_runtime_interpreters_head, p->interpreter);
	fake_put_u(p->f, p->interpreter, PYF_py_interpreter_threads_head, p->thread);
	if (has(p, PYF_py_thread_native_thread_id)) {
		fake_put_u(p->f, p->thread, PYF_py_thread_native_thread_id, FAKE_PYTHON_TID);
		return;
	}
	const int words[] = { 32, 1, TID_OFFSET };
	uint64_t pthread = fake_alloc(p->f, TID_OFFSET + 16, 16);
	fake_write_u(p->f, pthread + TID_OFFSET, 4, FAKE_PYTHON_TID);
	fake_put_u(p->f, p->thread, PYF_py_thread_thread_id, pthread);
	fake_symbol(p->f, "_thread_db_pthread_tid", fake_ints(p->f, words, 3));
}

static void set_first_frame(struct fake_python *p)
{
	if (!has(p, PYF_py_thread_cframe)) {
		fake_put_u(p->f, p->thread, p->thread_frame, p->frames[0]);
		return;
	}
	uint64_t cframe = fake_new(p->f, PY_py_cframe);
	add_part(p, cframe, fake_type_bytes(p->f, PY_py_cframe));
	fake_put_u(p->f, cframe, PYF_py_cframe_current_frame, p->frames[0]);
	fake_put_u(p->f, p->thread, PYF_py_thread_cframe, cframe);
}

struct fake_python *fake_python_create(size_t i)
{
	const struct acc_pack_builtin *b = builtin(i);
	struct fake_python *p = calloc(1, sizeof(*p));
	struct acc_note note = { 0 };

	ck_assert(p && b);
	ck_assert_msg(acc_pack_parse(&acc_pack_heap, b->text, b->n, &note, &p->pack) == ACC_OK, "%s", note.text);
	p->f = fake_create(8, false, &rd_python_schema);
	if (is_described(p))
		lay_out_at_will(p);
	else
		fake_lay_out_as(p->f, p->pack);
	fake_answer_by(p->f, FAKE_BY_NOBODY);
	p->thread_frame = has(p, PYF_py_thread_current_frame) ? PYF_py_thread_current_frame : PYF_py_thread_frame;
	p->frame_code = has(p, PYF_py_frame_executable) ? PYF_py_frame_executable : PYF_py_frame_object_f_code;
	p->frame_previous = has(p, PYF_py_frame_executable) ? PYF_py_frame_previous : PYF_py_frame_object_f_back;
	p->code_name = has(p, PYF_py_code_co_qualname) ? PYF_py_code_co_qualname : PYF_py_code_co_name;
	add_symbols(p);
	if (is_described(p))
		describe(p);
	add_thread(p);
	p->file = ascii_text(p, "/x/prog.py");
	for (unsigned k = 0; k < FAKE_PYTHON_FRAMES; k++) {
		add_code(p, k);
		p->frames[k] = add_frame(p, k);
	}
	link_frames(p);
	set_first_frame(p);
	return p;
}

void fake_python_destroy(struct fake_python *p)
{
	if (!p)
		return;
	fake_destroy(p->f);
	acc_pack_destroy(&acc_pack_heap, p->pack);
	free(p);
}
