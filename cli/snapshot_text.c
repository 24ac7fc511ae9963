/* SPDX-License-Identifier: BSD-3-Clause */
#include "snapshot_text.h"

#include "../verdict/verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BLOCK_BYTES = 64 << 10,
	WINDOW_BYTES = 1 << 20,
	KEY_BYTES = 32,
	IDENTITY_MAX = 4096 /* longer ones are read as a whole */
};

/* The member of an identity that is the index of its extent. */
static const char extent_key[] = "extent";

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

struct text {
	char *bytes;
	size_t n, cap;
	bool no_memory;
};

static void append(struct text *t, const char *bytes, size_t n)
{
	char *grown = t->no_memory ? NULL : vd_grow(t->bytes, t->n, n, &t->cap, 1);

	t->no_memory = !grown;
	if (t->no_memory)
		return;
	t->bytes = grown;
	memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
}

/* A file that is read from its start to its end. */
struct reader {
	int fd;
	unsigned char *block;
	size_t at, n;      /* in the block */
	uint64_t before;   /* offset of the block */
	struct text *copy; /* all that is consumed is appended to it; NULL: nothing */
};

static ssize_t read_at(int fd, void *to, size_t n, uint64_t offset)
{
	ssize_t ret;

	do
		ret = pread(fd, to, n, (off_t)offset);
	while (ret < 0 && errno == EINTR);
	return ret;
}

/* Read the next block. @return its first byte; -1: none */
static int refill(struct reader *r)
{
	ssize_t n = read_at(r->fd, r->block, BLOCK_BYTES, r->before + r->n);

	if (n <= 0)
		return -1;
	r->before += r->n;
	r->at = 0;
	r->n = (size_t)n;
	return r->block[0];
}

/* The next byte, which is not consumed; -1: none */
static inline int next(struct reader *r)
{
	return r->at < r->n ? r->block[r->at] : refill(r);
}

/* Consume bytes of the block. */
static void take(struct reader *r, size_t n)
{
	if (r->copy)
		append(r->copy, (const char *)r->block + r->at, n);
	r->at += n;
}

static bool take_if(struct reader *r, int c)
{
	if (next(r) != c)
		return false;
	take(r, 1);
	return true;
}

/* ---- JSON, as far as its structure is concerned ------------------------------------------------------------------------- */

/* Classes of bytes */
enum { SPACE = 1, END = 2, STRUCTURE = 4, IN_STRING = 8 };

static const unsigned char classes[256] = {
	[' '] = SPACE,
	['\t'] = SPACE,
	['\n'] = SPACE,
	['\r'] = SPACE,
	[','] = END,
	['}'] = END | STRUCTURE,
	[']'] = END | STRUCTURE,
	['{'] = STRUCTURE,
	['['] = STRUCTURE,
	['"'] = STRUCTURE | IN_STRING,
	['\\'] = IN_STRING,
};

/* Consume bytes that are in none of the classes, or, if @p in is set, in one of them. @return the next byte; -1: none */
static int skip(struct reader *r, unsigned char which, bool in)
{
	int c;

	while ((c = next(r)) >= 0 && ((classes[c] & which) != 0) == in) {
		size_t i = r->at + 1;
		while (i < r->n && ((classes[r->block[i]] & which) != 0) == in)
			i++;
		take(r, i - r->at);
	}
	return c;
}

static int skip_space(struct reader *r)
{
	return skip(r, SPACE, true);
}

static bool skip_string(struct reader *r)
{
	if (!take_if(r, '"'))
		return false;
	while (skip(r, IN_STRING, false) == '\\') {
		take(r, 1);
		if (next(r) < 0)
			return false;
		take(r, 1);
	}
	return take_if(r, '"');
}

/* Brackets are only counted: jansson decides whether it is JSON. */
static bool skip_value(struct reader *r)
{
	size_t depth = 0;
	int c = next(r);

	if (c == '"')
		return skip_string(r);
	if (c != '{' && c != '[')
		return skip(r, SPACE | END, false) >= 0;
	do {
		c = skip(r, STRUCTURE, false);
		if (c < 0 || (c == '"' && !skip_string(r)))
			return false;
		if (c == '"')
			continue;
		take(r, 1);
		depth = c == '{' || c == '[' ? depth + 1 : depth - 1;
	} while (depth);
	return true;
}

/* @param[out] ret "" if it is longer. @return false: not a string, or one with escapes */
static bool read_key(struct reader *r, char ret[KEY_BYTES])
{
	size_t n = 0;
	int c;

	if (!take_if(r, '"'))
		return false;
	while ((c = next(r)) >= 0 && c != '"') {
		if (c == '\\')
			return false;
		if (n < KEY_BYTES)
			ret[n++] = (char)c;
		take(r, 1);
	}
	ret[n < KEY_BYTES ? n : 0] = '\0';
	return take_if(r, '"');
}

/* @param member consumes the value of a member */
static bool read_object(struct reader *r, bool (*member)(struct reader *, const char *key, void *context),
			void *context)
{
	char key[KEY_BYTES];

	if (!take_if(r, '{'))
		return false;
	if (skip_space(r) == '}')
		return take_if(r, '}');
	for (;;) {
		skip_space(r);
		if (!read_key(r, key) || skip_space(r) != ':' || !take_if(r, ':'))
			return false;
		skip_space(r);
		if (!member(r, key, context))
			return false;
		if (skip_space(r) == '}')
			return take_if(r, '}');
		if (!take_if(r, ','))
			return false;
	}
}

/* ---- a snapshot ------------------------------------------------------------------------------------------------------- */

/* A snapshot that is being read. */
struct reading {
	struct cmd_texts *texts;
	struct text frame, identity;
	json_t *identities; /* NULL until "processes" is found */
};

static bool is_of_identity(const char *key)
{
	static const char *const keys[] = { "rank", "world_number", "world", "pid", "core", "part", "mpi" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

/* Of "mpi" it is enough to know that it is an object: that the process was read. */
static bool read_member(struct reader *r, const char *key, void *context)
{
	struct text *t = context;
	bool is_mpi = strcmp(key, "mpi") == 0;

	if (!is_of_identity(key))
		return skip_value(r);
	append(t, t->n > 1 ? ",\"" : "\"", t->n > 1 ? 2 : 1);
	append(t, key, strlen(key));
	append(t, "\":", 2);
	if (is_mpi)
		append(t, next(r) == '{' ? "{}" : "0", next(r) == '{' ? 2 : 1);
	else
		r->copy = t;
	bool ok = skip_value(r);
	r->copy = NULL;
	return ok && t->n < IDENTITY_MAX && !t->no_memory;
}

static bool add_process(struct reading *x, uint64_t offset, uint64_t end)
{
	struct cmd_texts *t = x->texts;
	struct cmd_text_extent *extents = vd_grow(t->extents, t->n_extents, 1, &t->cap_extents, sizeof(*extents));
	json_t *identity = extents ? json_loadb(x->identity.bytes, x->identity.n, 0, NULL) : NULL;

	if (extents)
		t->extents = extents;
	if (!identity)
		return false;
	t->extents[t->n_extents] = (struct cmd_text_extent){ t->n_files - 1, offset, end - offset };
	json_object_set_new(identity, extent_key, json_integer((json_int_t)t->n_extents++));
	return json_array_append_new(x->identities, identity) == 0;
}

static bool read_process(struct reader *r, struct reading *x)
{
	uint64_t offset = r->before + r->at;

	x->identity.n = 0;
	append(&x->identity, "{", 1);
	if (!read_object(r, read_member, &x->identity))
		return false;
	append(&x->identity, "}", 1);
	return !x->identity.no_memory && add_process(x, offset, r->before + r->at);
}

static bool read_processes(struct reader *r, struct reading *x)
{
	if (!take_if(r, '['))
		return false;
	if (skip_space(r) == ']')
		return take_if(r, ']');
	for (;;) {
		if (skip_space(r) != '{' || !read_process(r, x))
			return false;
		if (skip_space(r) == ']')
			return take_if(r, ']');
		if (!take_if(r, ','))
			return false;
	}
}

static bool read_frame_member(struct reader *r, const char *key, void *context)
{
	struct reading *x = context;

	if (strcmp(key, "processes") != 0)
		return skip_value(r);
	if (x->identities)
		return false;
	x->identities = json_array();
	r->copy = NULL;
	bool ok = x->identities && read_processes(r, x);
	r->copy = &x->frame;
	append(r->copy, "0", 1);
	return ok;
}

static json_t *read_snapshot(struct cmd_texts *t, int fd)
{
	struct reading x = { .texts = t };
	struct reader r = { .fd = fd, .block = malloc(BLOCK_BYTES), .copy = &x.frame };
	json_t *ret = NULL;
	bool ok = r.block && skip_space(&r) == '{' && read_object(&r, read_frame_member, &x) && skip_space(&r) < 0;

	if (ok && x.identities && !x.frame.no_memory)
		ret = json_loadb(x.frame.bytes, x.frame.n, 0, NULL);
	if (ret)
		json_object_set(ret, "processes", x.identities);
	json_decref(x.identities);
	free(x.frame.bytes);
	free(x.identity.bytes);
	free(r.block);
	return ret;
}

json_t *cmd_texts_read(struct cmd_texts *t, const char *path)
{
	size_t n_extents = t->n_extents;
	struct stat st;
	/* opening a pipe and closing it again would end its writer */
	int fd = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	json_t *ret = NULL;

	if (fd < 0)
		return NULL;
	const char **paths = vd_grow(t->paths, t->n_files, 1, &t->cap_files, sizeof(*paths));
	if (paths) {
		t->paths = paths;
		t->paths[t->n_files++] = path;
		ret = read_snapshot(t, fd);
	}
	close(fd);
	if (!ret)
		t->n_extents = n_extents;
	return ret;
}

void cmd_texts_clear(json_t *process)
{
	json_object_del(process, extent_key);
}

/* ---- a process ---------------------------------------------------------------------------------------------------------- */

/*
 * Read the text of an extent, and what follows it if it follows the window: the ranks of many files may alternate.
 *
 * @return false: it cannot be read, or out of memory
 */
static bool move_window(struct cmd_texts *t, const struct cmd_text_extent *e)
{
	bool follows = e->file == t->window_file && e->offset >= t->offset &&
		       e->offset - t->offset <= t->n_bytes + BLOCK_BYTES;
	size_t wanted = !follows || e->n_bytes > WINDOW_BYTES ? (size_t)e->n_bytes : WINDOW_BYTES;
	char *window = vd_grow(t->window, 0, wanted, &t->cap_window, 1);
	ssize_t n = 1;
	int fd = -1;

	t->n_bytes = 0;
	if (window) {
		t->window = window;
		fd = open(t->paths[e->file], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	t->window_file = e->file;
	t->offset = e->offset;
	for (; fd >= 0 && n > 0 && t->n_bytes<wanted; t->n_bytes += n> 0 ? (uint64_t)n : 0)
		n = read_at(fd, t->window + t->n_bytes, wanted - (size_t)t->n_bytes, t->offset + t->n_bytes);
	if (fd >= 0)
		close(fd);
	return t->n_bytes >= e->n_bytes;
}

static bool is_in_window(const struct cmd_texts *t, const struct cmd_text_extent *e)
{
	return t->window_file == e->file && e->offset >= t->offset && e->offset - t->offset <= t->n_bytes &&
	       e->n_bytes <= t->n_bytes - (e->offset - t->offset);
}

bool cmd_texts_process(struct cmd_texts *t, const json_t *identity, json_t **ret)
{
	const json_t *extent = json_object_get(identity, extent_key);
	json_t *part = json_object_get(identity, "part");

	*ret = NULL;
	if (!extent)
		return true;
	const struct cmd_text_extent *e = &t->extents[json_integer_value(extent)];
	if (!is_in_window(t, e) && !move_window(t, e))
		return false;
	*ret = json_loadb(t->window + (e->offset - t->offset), (size_t)e->n_bytes, 0, NULL);
	if (!json_equal(json_object_get(*ret, "rank"), json_object_get(identity, "rank"))) {
		json_decref(*ret); /* the file has changed */
		*ret = NULL;
	}
	if (*ret && part)
		json_object_set(*ret, "part", part);
	return *ret != NULL;
}

void cmd_texts_deinit(struct cmd_texts *t)
{
	free(t->paths);
	free(t->extents);
	free(t->window);
	*t = (struct cmd_texts){ .n_files = 0 };
}
