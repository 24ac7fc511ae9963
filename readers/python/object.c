/* SPDX-License-Identifier: BSD-3-Clause */
/* Python objects: strings and code. */
#include "state.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Is it an object of exactly this type? */
static bool rd_python_is(struct rd_python *p, uint64_t addr, uint64_t type_addr)
{
	uint64_t type;

	return acc_plausible(p->sp, addr, 8) &&
	       !acc_read_ptr(p->sp, addr + rd_python_offset(p, PYF_py_object_ob_type), &type) && type == type_addr;
}

/* ---- texts ---------------------------------------------------------------------------------------------- */

enum { REPLACEMENT = 0xfffd, CHARACTER_BYTES_MAX = 4 };

/*
 * Append a character as UTF-8. Python represents bytes of file names that are not UTF-8 as U+DC80 to U+DCFF: these
 * become bytes again, which the output functions quote.
 */
static size_t put_character(char *ret, uint32_t c)
{
	if (c >= 0xdc80 && c <= 0xdcff) {
		ret[0] = (char)(c - 0xdc00);
		return 1;
	}
	if (!c || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		c = REPLACEMENT;
	if (c < 0x80) {
		ret[0] = (char)c;
		return 1;
	}
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n; i-- > 1; c >>= 6)
		ret[i] = (char)(0x80 | (c & 63));
	ret[0] = (char)((0xf00U >> n & 0xf0U) | c);
	return n;
}

static unsigned bits(const struct rd_python *p, uint64_t state, unsigned field, unsigned n)
{
	return (unsigned)(state >> rd_python_offset(p, field)) & ((1U << n) - 1);
}

/*
 * Get a string object as UTF-8.
 *
 * @param[out] ret from acc_array(); unchanged on failure
 * @param[out] why static text of a failure: "is no text" ...; unchanged on success
 */
static bool rd_python_text(struct rd_python *p, uint64_t addr, char **ret, const char **why)
{
	uint64_t length, state, data_addr = addr + rd_python_offset(p, PYF_py_text_ascii_data);
	uint8_t block[256 * CHARACTER_BYTES_MAX];
	size_t at = 0, n_block;

	if (!rd_python_is(p, addr, p->text_type_addr)) {
		*why = "its name or its file is no text of the interpreter's";
		return false;
	}
	if (acc_read_u(p->sp, addr + rd_python_offset(p, PYF_py_text_length), 8, &length) ||
	    acc_read_u(p->sp, addr + rd_python_offset(p, PYF_py_text_state), 4, &state)) {
		*why = "its name or its file cannot be read";
		return false;
	}
	unsigned width = bits(p, state, PYF_py_text_facts_kind, 3);
	if (!bits(p, state, PYF_py_text_facts_compact, 1) || (width != 1 && width != 2 && width != 4)) {
		*why = "its name or its file is a text of a kind that is not known";
		return false;
	}
	if (length > RD_PYTHON_TEXT_MAX) {
		*why = "its name or its file has more than 4096 characters";
		return false;
	}
	if (!bits(p, state, PYF_py_text_facts_ascii, 1))
		data_addr += rd_python_offset(p, PYF_py_text_facts_wide_more);
	char *text = acc_array(p->sp, length + 1, CHARACTER_BYTES_MAX);
	if (!text) {
		*why = "no memory";
		return false;
	}
	for (uint64_t i = 0; i < length; i += n_block) {
		n_block = length - i < 256 ? (size_t)(length - i) : 256;
		if (acc_read(p->sp, data_addr + i * width, n_block * width, block)) {
			acc_array_free(p->sp, text);
			*why = "its name or its file cannot be read";
			return false;
		}
		for (size_t k = 0; k < n_block; k++)
			at += put_character(text + at, (uint32_t)acc_decode_u(p->sp, block + k * width, width));
	}
	text[at] = '\0';
	*ret = text;
	return true;
}

/* ---- code ----------------------------------------------------------------------------------------------- */

static enum rd_python_lines format_of(const struct rd_python *p)
{
	if (rd_python_has(p, PYF_py_code_co_lnotab))
		return RD_PYTHON_LNOTAB;
	return rd_python_has(p, PYF_py_code_co_qualname) ? RD_PYTHON_ENTRIES : RD_PYTHON_PAIRS;
}

/* @return 0: not known; *why is set */
static int64_t line_of(struct rd_python *p, struct acc_obj *code, uint64_t offset, const char **why)
{
	enum rd_python_lines format = format_of(p);
	uint64_t table_addr = acc_get_u(code,
					format == RD_PYTHON_LNOTAB ? PYF_py_code_co_lnotab : PYF_py_code_co_linetable);
	int64_t first_line = acc_get_i(code, PYF_py_code_co_firstlineno), line = 0;
	uint64_t n;

	if (code->rc || !rd_python_is(p, table_addr, p->bytes_type_addr) ||
	    acc_read_u(p->sp, table_addr + rd_python_offset(p, PYF_py_bytes_ob_size), 8, &n)) {
		*why = "its table of lines cannot be read";
		return 0;
	}
	if (n > RD_PYTHON_TABLE_MAX) {
		*why = "its table of lines is too long";
		return 0;
	}
	uint8_t *table = acc_array(p->sp, n, 1);
	if (table && !acc_read(p->sp, table_addr + rd_python_offset(p, PYF_py_bytes_ob_sval), n, table))
		line = rd_python_line(format, table, n, first_line, offset);
	acc_array_free(p->sp, table);
	if (line > 0 && line <= INT32_MAX)
		return line;
	*why = line ? "its table of lines has none for this instruction" : "its table of lines cannot be read";
	return 0;
}

void rd_python_code(struct rd_python *p, uint64_t addr, uint64_t offset, struct mdl_python_frame *ret)
{
	struct acc_obj code;

	if (!rd_python_is(p, addr, p->code_type_addr)) {
		ret->why = "its code object is invalid";
		return;
	}
	acc_obj_load(&code, p->sp, &p->layout, PY_py_code, addr);
	uint64_t name_addr = acc_get_u(&code, rd_python_has(p, PYF_py_code_co_qualname) ? PYF_py_code_co_qualname
											: PYF_py_code_co_name);
	uint64_t file_addr = acc_get_u(&code, PYF_py_code_co_filename);
	if (code.rc) {
		ret->why = "its code cannot be read";
		return;
	}
	if (!rd_python_text(p, name_addr, &ret->function, &ret->why))
		return;
	if (!rd_python_text(p, file_addr, &ret->file, &ret->why)) {
		acc_array_free(p->sp, ret->function);
		ret->function = NULL;
		return;
	}
	ret->line = line_of(p, &code, offset, &ret->why);
}
