/* SPDX-License-Identifier: BSD-3-Clause */
#include "snapshot_text.h"

#include "json.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK_BYTES = 64 << 10 };
static const uint64_t unpacked_max = UINT64_C(8) << 30; /* of a stream or a compressed file, which is kept in memory */

/* How the line of a process begins if its identity can be read alone, and if it is folded. */
static const char identity_start[] = "{\"identity\":", folded_start[] = "{\"folded\":";

/* ---- opening --------------------------------------------------------------------------------------------- */

/* Read a stream, or a compressed file, to its end. */
static bool slurp(struct cmd_text *t, int fd)
{
	FILE *all = open_memstream(&t->bytes, &t->n_bytes);
	gzFile from = all ? gzdopen(fd, "rb") : NULL;
	char *block = from ? malloc(BLOCK_BYTES) : NULL;
	uint64_t total = 0;
	int n = -1;

	while (block && (n = gzread(from, block, BLOCK_BYTES)) > 0 && (total += (uint64_t)n) <= unpacked_max)
		if (fwrite(block, 1, (size_t)n, all) != (size_t)n)
			break;
	int code = Z_OK;
	if (n < 0 && from)
		snprintf(t->why, sizeof(t->why), "%s", gzerror(from, &code));
	else if (n != 0)
		snprintf(t->why, sizeof(t->why), "out of memory, or too large");
	free(block);
	if (from)
		gzclose(from);
	if (all)
		fclose(all);
	return n == 0;
}

static bool is_compressed(FILE *f)
{
	unsigned char magic[2];
	bool is = fread(magic, 1, 2, f) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;

	rewind(f);
	return is;
}

bool cmd_text_open(struct cmd_text *ret, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	struct stat st;

	*ret = (struct cmd_text){ .f = standard ? fdopen(dup(STDIN_FILENO), "r") : fopen(path, "re") };
	if (!ret->f || fstat(fileno(ret->f), &st) != 0 || S_ISDIR(st.st_mode)) {
		snprintf(ret->why, sizeof(ret->why), "%s", strerror(ret->f && S_ISDIR(st.st_mode) ? EISDIR : errno));
		cmd_text_close_file(ret);
		return false;
	}
	if (!standard && S_ISREG(st.st_mode) && !is_compressed(ret->f))
		return true;
	bool ok = slurp(ret, dup(fileno(ret->f)));
	cmd_text_close_file(ret);
	if (ok && ret->n_bytes)
		ret->f = fmemopen(ret->bytes, ret->n_bytes, "r");
	return ok;
}

bool cmd_text_open_bytes(struct cmd_text *ret, const char *bytes, size_t n)
{
	*ret = (struct cmd_text){ .bytes = (char *)bytes, .n_bytes = n, .borrowed = true };
	if (n)
		ret->f = fmemopen(ret->bytes, n, "r");
	return !n || ret->f;
}

void cmd_text_close_file(struct cmd_text *t)
{
	if (t->f)
		fclose(t->f);
	free(t->line);
	t->f = NULL;
	t->line = NULL;
	t->room = 0;
}

void cmd_text_close(struct cmd_text *t)
{
	cmd_text_close_file(t);
	if (!t->borrowed)
		free(t->bytes);
	*t = (struct cmd_text){ .f = NULL };
}

/* ---- sums ------------------------------------------------------------------------------------------------ */

/*
 * The end of the text: the CRC-32 of all lines of a snapshot, of the last one without this member. A damaged line may
 * be valid JSON that has lost an operation or a process.
 */
static const char sum_member[] = ",\"sum\":\"";
enum { SUM_DIGITS = 8, SUM_BYTES = sizeof(sum_member) - 1 + SUM_DIGITS + sizeof("\"}\n") - 1 };

static uint32_t add_sum(uint32_t sum, const char *text, size_t n)
{
	return (uint32_t)crc32_z(sum, (const unsigned char *)text, n);
}

/* Does the end, of @p n bytes, contain another sum than that of the text? Without one, as former versions wrote it,
 * that is unknown. */
static bool differs(const struct cmd_text *t, size_t n)
{
	const char *member = n > SUM_BYTES ? t->line + n - SUM_BYTES : NULL;

	if (!member || strncmp(member, sum_member, sizeof(sum_member) - 1) != 0)
		return false;
	uint32_t sum = add_sum(add_sum(t->sum, t->line, n - SUM_BYTES), "}\n", 2);
	return strtoul(member + sizeof(sum_member) - 1, NULL, 16) != sum;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

/* Start the sum with the head, which is read as JSON. */
static void sum_head(struct cmd_text *t, uint64_t n)
{
	char block[4096];

	t->sum = 0;
	if (fseeko(t->f, (off_t)(t->offset - n), SEEK_SET) != 0)
		return;
	for (size_t part; n; n -= part) {
		part = fread(block, 1, n < sizeof(block) ? n : sizeof(block), t->f);
		if (!part)
			break;
		t->sum = add_sum(t->sum, block, part);
	}
	fseeko(t->f, (off_t)t->offset, SEEK_SET);
}

/* The first value of a snapshot: its head, or all of it. */
static enum cmd_text_kind read_head(struct cmd_text *t, struct cmd_text_item *ret)
{
	json_error_t error;
	int c;

	while ((c = t->f ? getc(t->f) : EOF) != EOF && isspace(c))
		t->line_number += c == '\n';
	if (c == EOF)
		return CMD_TEXT_OVER;
	ungetc(c, t->f);
	long start = ftell(t->f);
	json_t *head = json_loadf(t->f, JSON_DISABLE_EOF_CHECK, &error);
	const char *schema = json_string_value(json_object_get(head, "schema"));
	bool whole = schema && (!strcmp(schema, "mpidbg-snapshot/2") || !strcmp(schema, "mpidbg-snapshot/1"));
	if (head && whole && json_is_array(json_object_get(head, "processes"))) {
		ret->json = head;
		return CMD_TEXT_HEAD;
	}
	if (!head || whole || !schema || strcmp(schema, CMD_SNAPSHOT_SCHEMA) != 0) {
		if (!head)
			snprintf(t->why, sizeof(t->why), "no JSON: %s", error.text);
		else
			snprintf(t->why, sizeof(t->why), "is no snapshot that this version knows (%s)",
				 schema ? schema : "it has no schema");
		json_decref(head);
		return CMD_TEXT_FAILED;
	}
	while ((c = getc(t->f)) != EOF && c != '\n' && isspace(c))
		;
	long at = ftell(t->f);
	if ((c != EOF && c != '\n') || at < 0 || start < 0) {
		snprintf(t->why, sizeof(t->why), "no JSON: something follows the head in its line");
		json_decref(head);
		return CMD_TEXT_FAILED;
	}
	t->offset = (uint64_t)at;
	sum_head(t, (uint64_t)(at - start));
	t->line_number++;
	t->n_processes = 0;
	t->in_snapshot = true;
	ret->json = head;
	return CMD_TEXT_HEAD;
}

static enum cmd_text_kind read_end(struct cmd_text *t, struct cmd_text_item *item)
{
	json_int_t n = json_integer_value(json_object_get(item->json, "end"));

	t->in_snapshot = false;
	if (n == (json_int_t)t->n_processes) {
		if (!differs(t, item->n_bytes))
			return CMD_TEXT_END;
		snprintf(t->why, sizeof(t->why),
			 "is damaged or was edited: its text is not that of the sum at its end");
		return CMD_TEXT_CHANGED;
	}
	snprintf(t->why, sizeof(t->why), "has %zu processes and not %lld, as its end says", t->n_processes,
		 (long long)n);
	json_decref(item->json);
	item->json = NULL;
	return CMD_TEXT_BAD;
}

/* The line of a folded process is read again for its values only, if they are the rest of it after the identity. */
static void skip_identity(const struct cmd_text *t, size_t end, struct cmd_text_item *item)
{
	static const char values[] = ",\"values\":[", last[] = "]}\n";
	size_t n = item->n_bytes;

	if (n < end + sizeof(values) + sizeof(last) || strncmp(t->line + end, values, sizeof(values) - 1) != 0 ||
	    strcmp(t->line + n - (sizeof(last) - 1), last) != 0)
		return;
	item->offset += end + sizeof(values) - 2;
	item->n_bytes = n - end - (sizeof(values) - 2) - (sizeof(last) - 2);
}

static enum cmd_text_kind read_line(struct cmd_text *t, struct cmd_text_item *ret)
{
	ssize_t n = getline(&t->line, &t->room, t->f);
	json_error_t error;

	if (n <= 0) {
		t->in_snapshot = false;
		snprintf(t->why, sizeof(t->why), "ends after %zu processes: it is cut off, or still being written",
			 t->n_processes);
		return CMD_TEXT_BAD;
	}
	ret->offset = t->offset;
	ret->n_bytes = (size_t)n;
	t->offset += (uint64_t)n;
	t->line_number++;
	bool folded = strncmp(t->line, folded_start, sizeof(folded_start) - 1) == 0;
	ret->identity = folded || strncmp(t->line, identity_start, sizeof(identity_start) - 1) == 0;
	size_t start = folded ? sizeof(folded_start) - 1 : ret->identity ? sizeof(identity_start) - 1 : 0;
	ret->json = json_loadb(t->line + start, (size_t)n - start, ret->identity ? JSON_DISABLE_EOF_CHECK : 0, &error);
	if (!json_is_object(ret->json)) {
		snprintf(t->why, sizeof(t->why), "no JSON: line %zu: %s", t->line_number,
			 ret->json ? "it is no object" : error.text);
		json_decref(ret->json);
		ret->json = NULL;
		t->n_processes++; /* a process whose line is damaged */
		t->sum = add_sum(t->sum, t->line, (size_t)n);
		return CMD_TEXT_BAD;
	}
	if (!ret->identity && json_object_get(ret->json, "end"))
		return read_end(t, ret);
	t->sum = add_sum(t->sum, t->line, (size_t)n);
	if (!ret->identity && json_object_get(ret->json, "fold"))
		return CMD_TEXT_FOLD;
	t->n_processes++;
	if (folded)
		skip_identity(t, start + (size_t)error.position, ret);
	return folded ? CMD_TEXT_FOLDED : CMD_TEXT_PROCESS;
}

enum cmd_text_kind cmd_text_next(struct cmd_text *t, struct cmd_text_item *ret)
{
	*ret = (struct cmd_text_item){ .json = NULL };
	return t->in_snapshot ? read_line(t, ret) : read_head(t, ret);
}

json_t *cmd_text_line(const struct cmd_text *t, FILE *f, uint64_t offset, size_t n)
{
	char *line = NULL;
	json_t *ret = NULL;

	if (t->bytes)
		return offset <= t->n_bytes && n <= t->n_bytes - offset ? json_loadb(t->bytes + offset, n, 0, NULL)
									: NULL;
	line = malloc(n + 1);
	if (line && fseeko(f, (off_t)offset, SEEK_SET) == 0 && fread(line, 1, n, f) == n)
		ret = json_loadb(line, n, 0, NULL);
	free(line);
	return ret;
}

/* ---- writing --------------------------------------------------------------------------------------------- */

/* A line as text. @return NULL: out of memory */
static char *line_text(const json_t *line, size_t *n)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, n);
	bool ok = f && cmd_json_dump(line, f, JSON_COMPACT) && putc('\n', f) != EOF;

	ok = f && fclose(f) == 0 && ok;
	if (ok)
		return text;
	free(text);
	return NULL;
}

static bool put_line(struct cmd_text_out *out, const json_t *line)
{
	size_t n;
	char *text = line_text(line, &n);
	bool ok = text && fwrite(text, 1, n, out->f) == n;

	if (text)
		out->sum = add_sum(out->sum, text, n);
	free(text);
	return ok;
}

bool cmd_text_write(struct cmd_text_out *out, const json_t *identity, const json_t *line)
{
	json_t *all = identity ? json_object() : json_incref((json_t *)line);
	bool ok = all != NULL;

	if (ok && identity)
		ok = json_object_set(all, "identity", (json_t *)identity) == 0 &&
		     json_object_update(all, (json_t *)line) == 0;
	ok = ok && put_line(out, all);
	json_decref(all);
	return ok;
}

bool cmd_text_write_end(struct cmd_text_out *out, const json_t *end)
{
	size_t n;
	char *text = line_text(end, &n);
	bool ok = text && n > 2 && fwrite(text, 1, n - 2, out->f) == n - 2;

	if (ok) {
		out->sum = add_sum(out->sum, text, n);
		ok = fprintf(out->f, "%s%08lx\"}\n", sum_member, (unsigned long)out->sum) > 0;
	}
	free(text);
	return ok;
}
