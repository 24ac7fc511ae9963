/* SPDX-License-Identifier: BSD-3-Clause */
#include "python.h"

#include "python_layout.h"
#include "python_lines.h"
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	INTERPRETERS_MAX = 64,
	THREADS_MAX = 4096,
	FRAMES_MAX = 1000,
	TEXT_MAX = 1024,     /* characters of a name */
	TABLE_MAX = 1 << 20, /* bytes of a table of lines */
	FRAME_BYTES_MAX = 128
};

/* An interpreter in a process. */
struct python {
	struct host_target *t;
	const struct host_python_layout *l;
	struct host_python_layout described;
	uint64_t runtime_addr, code_type, text_type, bytes_type;
};

static bool word(const struct python *p, uint64_t addr, uint64_t *ret)
{
	return addr && host_read(p->t, addr, sizeof(*ret), ret);
}

static bool find_symbols(struct python *p)
{
	return host_symbol(p->t, "PyCode_Type", &p->code_type) && host_symbol(p->t, "PyUnicode_Type", &p->text_type) &&
	       host_symbol(p->t, "PyBytes_Type", &p->bytes_type);
}

/* @return false: it is no Python process, or one of which nothing is known, which is a warning */
static bool find_python(struct host_target *t, struct python *ret)
{
	uint64_t version_addr, version = 0;

	*ret = (struct python){ .t = t };
	if (host_word_bytes(t) != 8 || host_big_endian(t) || !host_symbol(t, "_PyRuntime", &ret->runtime_addr))
		return false;
	/* exported since 3.11 */
	if (host_symbol(t, "Py_Version", &version_addr) && host_read(t, version_addr, sizeof(version), &version))
		ret->l = host_python_layout((uint32_t)(version >> 16));
	uint64_t words[HOST_PYTHON_OFFSETS];
	if (!ret->l && version && host_read(t, ret->runtime_addr, sizeof(words), words) &&
	    host_python_described(words, &ret->described))
		ret->l = &ret->described;
	if (ret->l && find_symbols(ret))
		return true;
	if (version)
		host_warn(t, "Python functions are unavailable: this is Python %u.%u, and 3.11 to 3.13 are known",
			  (unsigned)(version >> 24 & 255), (unsigned)(version >> 16 & 255));
	else
		host_warn(t, "Python functions are unavailable: this Python does not tell its version; 3.11 to 3.13 "
			     "are known");
	return false;
}

/* ---- objects -------------------------------------------------------------------------------------------------- */

static bool has_type(const struct python *p, uint64_t addr, uint64_t type_addr)
{
	uint64_t type;

	return word(p, addr + p->l->object_type, &type) && type == type_addr;
}

static size_t put_utf8(char *ret, uint32_t c)
{
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

/* A text object. @return free(); NULL: it is none */
static char *text_of(const struct python *p, uint64_t addr)
{
	uint64_t length;
	uint32_t state;
	uint8_t bytes[4 * TEXT_MAX];

	if (!has_type(p, addr, p->text_type) || !word(p, addr + p->l->text_length, &length) ||
	    !host_read(p->t, addr + p->l->text_state, sizeof(state), &state))
		return NULL;
	unsigned width = state >> 2 & 7;
	bool compact = state >> 5 & 1, ascii = state >> 6 & 1;
	if (!compact || (width != 1 && width != 2 && width != 4))
		return NULL;
	size_t n = length > TEXT_MAX ? TEXT_MAX : length, at = 0;
	char *ret = malloc(4 * n + 1);
	if (!ret || !host_read(p->t, addr + (ascii ? p->l->text_ascii : p->l->text_other), n * width, bytes)) {
		free(ret);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t c = 0;
		memcpy(&c, bytes + i * width, width);
		if (!c || c > 0x10ffff)
			c = '?';
		at += put_utf8(ret + at, c);
	}
	ret[at] = '\0';
	return ret;
}

/* @return -1: not known */
static int64_t line_of(const struct python *p, uint64_t code_addr, uint64_t instruction_addr)
{
	uint64_t table_addr, size, first_addr = code_addr + p->l->code_instructions;
	int32_t first_line;

	if (!word(p, code_addr + p->l->code_linetable, &table_addr) || !has_type(p, table_addr, p->bytes_type) ||
	    !word(p, table_addr + p->l->bytes_size, &size) || size > TABLE_MAX || instruction_addr < first_addr ||
	    !host_read(p->t, code_addr + p->l->code_firstline, sizeof(first_line), &first_line))
		return -1;
	uint8_t *table = malloc(size + 1);
	int64_t ret = table && host_read(p->t, table_addr + p->l->bytes_data, size, table)
			      ? host_python_line(table, size, first_line, instruction_addr - first_addr)
			      : -1;
	free(table);
	return ret;
}

/* "solve at solve.py:12". @return free(); NULL: it is no code */
static char *describe(const struct python *p, uint64_t code_addr, uint64_t instruction_addr)
{
	uint64_t name_addr = 0, file_addr = 0;
	char *ret = NULL;

	if (!has_type(p, code_addr, p->code_type) || !word(p, code_addr + p->l->code_qualname, &name_addr) ||
	    !word(p, code_addr + p->l->code_filename, &file_addr))
		return NULL;
	char *name = text_of(p, name_addr), *file = text_of(p, file_addr);
	const char *slash = file ? strrchr(file, '/') : NULL;
	int64_t line = line_of(p, code_addr, instruction_addr);
	int n = 0;
	if (name && file && line > 0)
		n = asprintf(&ret, "%s at %s:%lld", name, slash ? slash + 1 : file, (long long)line);
	else if (name && file)
		n = asprintf(&ret, "%s at %s", name, slash ? slash + 1 : file);
	free(name);
	free(file);
	return n > 0 ? ret : NULL;
}

/* ---- threads and frames ---------------------------------------------------------------------------------------- */

/* The thread's state in any interpreter. @return 0: it runs no Python code */
static uint64_t state_of(const struct python *p, pid_t tid)
{
	uint64_t interpreter, thread, id;
	size_t n = 0;

	if (!word(p, p->runtime_addr + p->l->runtime_interpreters, &interpreter))
		return 0;
	for (int i = 0; interpreter && i < INTERPRETERS_MAX; i++) {
		if (!word(p, interpreter + p->l->interpreter_threads, &thread))
			return 0;
		for (; thread && n < THREADS_MAX; n++) {
			if (!word(p, thread + p->l->thread_native_id, &id))
				return 0;
			if (id == (uint64_t)tid)
				return thread;
			if (!word(p, thread + p->l->thread_next, &thread))
				return 0;
		}
		if (!word(p, interpreter + p->l->interpreter_next, &interpreter))
			return 0;
	}
	return 0;
}

static bool read_frame(const struct python *p, uint64_t addr, uint8_t ret[FRAME_BYTES_MAX])
{
	return p->l->frame_bytes <= FRAME_BYTES_MAX && host_read(p->t, addr, p->l->frame_bytes, ret);
}

static uint64_t field(const uint8_t *frame, size_t offset)
{
	uint64_t v;

	memcpy(&v, frame + offset, sizeof(v));
	return v;
}

size_t host_python_frames(struct host_target *t, pid_t tid, struct host_python_frame **ret)
{
	struct python p; /* describes itself in place */
	uint64_t cframe, addr = 0;
	uint8_t frame[FRAME_BYTES_MAX];
	size_t n = 0, room = 0, n_steps = 0;

	*ret = NULL;
	uint64_t state = find_python(t, &p) ? state_of(&p, tid) : 0;
	if (!state)
		return 0;
	if (p.l->thread_current
		    ? !word(&p, state + p.l->thread_current, &addr)
		    : !word(&p, state + p.l->thread_cframe, &cframe) || !word(&p, cframe + p.l->cframe_current, &addr))
		return 0;
	while (addr && n < FRAMES_MAX) {
		if (n == room) {
			size_t wider = room ? 2 * room : 16;
			struct host_python_frame *grown = realloc(*ret, wider * sizeof(*grown));
			if (!grown)
				break;
			*ret = grown;
			room = wider;
		}
		bool ok = read_frame(&p, addr, frame);
		if (ok && p.l->frame_owner && frame[p.l->frame_owner] == HOST_PYTHON_OWNED_BY_C) {
			if (n)
				(*ret)[n - 1].entry = true;
			addr = n_steps++ < FRAMES_MAX ? field(frame, p.l->frame_previous) : 0;
			continue;
		}
		char *text = ok ? describe(&p, field(frame, p.l->frame_code), field(frame, p.l->frame_instruction))
				: NULL;
		(*ret)[n++] = (struct host_python_frame){
			text ? text : strdup("?? (a Python frame that makes no sense)"),
			!text || (p.l->frame_is_entry && frame[p.l->frame_is_entry])
		};
		if (!text)
			break;
		addr = field(frame, p.l->frame_previous);
	}
	return n;
}

void host_python_free(struct host_python_frame *frames, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(frames[i].text);
	free(frames);
}
