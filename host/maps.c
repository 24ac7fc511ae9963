/* SPDX-License-Identifier: BSD-3-Clause */
#include "maps.h"

#include "../access/grow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A process has at most 65530 mappings by default; a larger /proc file is not a list of mappings. */
enum { PROC_FILE_MAX = 256 << 20 };

char *host_read_file(const char *path, size_t *n_ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	size_t n = 0, room = 64 << 10;
	char *text = malloc(room);
	int saved = ENOMEM;

	while (text) {
		ssize_t got = read(fd, text + n, room - n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			saved = errno;
			break;
		}
		if (got == 0) {
			close(fd);
			text[n] = '\0';
			if (n_ret)
				*n_ret = n;
			return text;
		}
		n += (size_t)got;
		if (room - n > 4096)
			continue;
		if (room >= PROC_FILE_MAX) {
			saved = EFBIG;
			break;
		}
		room *= 2;
		char *more = realloc(text, room);
		if (!more)
			break;
		text = more;
	}
	free(text);
	close(fd);
	errno = saved;
	return NULL;
}

/* Remove " (deleted)", which the kernel appends to the name of a deleted file. */
static bool cut_deleted(char *path)
{
	static const char tail[] = " (deleted)";
	size_t n = strlen(path), t = sizeof(tail) - 1;

	if (n <= t || strcmp(path + n - t, tail) != 0)
		return false;
	path[n - t] = '\0';
	return true;
}

/* A number at *at, which moves behind it and the character @p after. @return false: there is none,
 * or another character */
static bool take_number(char **at, int base, char after, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(*at, &end, base);
	if (end == *at || errno || *end != after)
		return false;
	*at = end + 1;
	return true;
}

/* 7f00-7f10 r-xp 00001000 fd:00 1234    /usr/lib/libc.so.6; sscanf() would take most of the time of
 * reading a process */
static bool parse_line(char *line, struct host_map *ret)
{
	struct host_map m = { .path = "" };
	uint64_t major_, minor_;
	char *at = line;

	if (!take_number(&at, 16, '-', &m.lo) || !take_number(&at, 16, ' ', &m.hi) || m.lo >= m.hi)
		return false;
	const char *prot = at;
	at += strcspn(at, " ");
	size_t n_prot = (size_t)(at - prot);
	if (!*at++ || !n_prot)
		return false;
	if (!take_number(&at, 16, ' ', &m.offset) || !take_number(&at, 16, ':', &major_) ||
	    !take_number(&at, 16, ' ', &minor_))
		return false;
	char *end;
	m.inode = strtoull(at, &end, 10);
	if (end == at)
		return false;
	at = end + strspn(end, " ");
	m.dev = makedev((unsigned)major_, (unsigned)minor_);
	m.prot = (prot[0] == 'r' ? HOST_MAP_READ : 0) | (n_prot > 1 && prot[1] == 'w' ? HOST_MAP_WRITE : 0) |
		 (n_prot > 2 && prot[2] == 'x' ? HOST_MAP_EXEC : 0);
	if (*at) {
		m.path = at;
		m.deleted = cut_deleted(at);
	}
	*ret = m;
	return true;
}

bool host_maps_parse(char *text, struct host_maps *ret)
{
	struct host_maps m = { .text = text };
	size_t lines = 1;

	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	m.v = calloc(lines, sizeof(*m.v));
	if (!m.v) {
		free(text);
		return false;
	}
	char *save = NULL;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (parse_line(line, &m.v[m.n]))
			m.n++;
	*ret = m;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct host_map *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

bool host_maps_from_note(const struct host_note *note, unsigned word_bytes, bool big_endian, struct host_maps *ret)
{
	size_t w = word_bytes;
	const uint8_t *d = note->desc;

	if (note->desc_bytes < 2 * w)
		return false;
	uint64_t n = host_decode_u(d, word_bytes, big_endian);
	uint64_t page = host_decode_u(d + w, word_bytes, big_endian);
	if (n > (note->desc_bytes - 2 * w) / (3 * w))
		n = (note->desc_bytes - 2 * w) / (3 * w);
	size_t names_at = (size_t)(2 * w + n * 3 * w), names = note->desc_bytes - names_at;
	struct host_maps m = { .text = malloc(names + 1), .v = calloc(n ? n : 1, sizeof(*m.v)) };
	if (!m.text || !m.v) {
		host_maps_deinit(&m);
		return false;
	}
	memcpy(m.text, d + names_at, names);
	m.text[names] = '\0';
	char *path = m.text, *end = m.text + names;
	for (uint64_t i = 0; i < n && path < end; i++) {
		const uint8_t *entry = d + 2 * w + i * 3 * w;
		struct host_map e = { .lo = host_decode_u(entry, word_bytes, big_endian),
				      .hi = host_decode_u(entry + w, word_bytes, big_endian),
				      .offset = host_decode_u(entry + 2 * w, word_bytes, big_endian) * page,
				      .prot = HOST_MAP_UNKNOWN,
				      .path = path };
		char *next = path + strlen(path) + 1;
		e.deleted = cut_deleted(path);
		path = next;
		if (e.lo < e.hi)
			m.v[m.n++] = e;
	}
	if (m.n == 0) {
		host_maps_deinit(&m);
		return false;
	}
	qsort(m.v, m.n, sizeof(*m.v), by_address);
	*ret = m;
	return true;
}

bool host_maps_add(struct host_maps *m, const struct host_map *map)
{
	if (!ACC_GROW(m->added, m->n_added))
		return false;
	struct host_map *v = realloc(m->v, (m->n + 1) * sizeof(*v));
	if (!v)
		return false;
	m->v = v;
	char *path = strdup(map->path);
	if (!path)
		return false;
	m->added[m->n_added++] = path;
	size_t i = m->n++;
	for (; i > 0 && v[i - 1].lo > map->lo; i--)
		v[i] = v[i - 1];
	v[i] = *map;
	v[i].path = path;
	return true;
}

void host_maps_deinit(struct host_maps *m)
{
	for (size_t i = 0; i < m->n_added; i++)
		free(m->added[i]);
	free(m->added);
	free(m->v);
	free(m->text);
	*m = (struct host_maps){ 0 };
}

const struct host_map *host_maps_find(const struct host_maps *m, uint64_t addr)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (m->v[mid].hi <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->n && m->v[lo].lo <= addr ? &m->v[lo] : NULL;
}
