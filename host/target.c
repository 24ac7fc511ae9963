/* SPDX-License-Identifier: BSD-3-Clause */
#include "target.h"

#include "elf_file.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void host_warn(struct host_target *t, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	for (char *p = text; *p; p++)
		if (*p == '\n' || *p == '\r')
			*p = '?';
	for (size_t i = 0; i < t->n_warnings; i++)
		if (strcmp(t->warnings[i], text) == 0)
			return;
	char *copy = t->n_warnings < HOST_WARNINGS_MAX ? strdup(text) : NULL;
	if (copy)
		t->warnings[t->n_warnings++] = copy;
}

const char *host_warning(const struct host_target *t, size_t i)
{
	return i < t->n_warnings ? t->warnings[i] : NULL;
}

bool host_is_truncated(const struct host_target *t)
{
	return t->truncated;
}

bool host_path_here(const struct host_target *t, const char *path, char ret[PATH_MAX])
{
	return snprintf(ret, PATH_MAX, "%s%s", t->sysroot ? t->sysroot : "", path) < PATH_MAX;
}

bool host_auxv(const struct host_target *t, uint64_t type, uint64_t *ret)
{
	size_t w = t->word_bytes;

	for (size_t at = 0; at + 2 * w <= t->auxv_bytes; at += 2 * w) {
		uint64_t there = host_decode_u(t->auxv + at, t->word_bytes, t->big_endian);
		if (there == AT_NULL)
			break;
		if (there != type)
			continue;
		*ret = host_decode_u(t->auxv + at + w, t->word_bytes, t->big_endian);
		return true;
	}
	return false;
}

pid_t host_pid(const struct host_target *t)
{
	return t->pid;
}

const char *host_executable(const struct host_target *t)
{
	return t->executable;
}

const char *host_core_path(const struct host_target *t)
{
	return t->core_path;
}

unsigned host_word_bytes(const struct host_target *t)
{
	return t->word_bytes;
}

bool host_big_endian(const struct host_target *t)
{
	return t->big_endian;
}

bool host_read(struct host_target *t, uint64_t addr, size_t n, void *ret)
{
	if (addr + n < addr)
		return false;
	return t->read(t, addr, n, ret) == n;
}

/* One integer of the target's byte order. */
static bool host_read_u(struct host_target *t, uint64_t addr, unsigned width, uint64_t *ret)
{
	uint8_t bytes[8];

	if (width > sizeof(bytes) || !host_read(t, addr, width, bytes))
		return false;
	*ret = host_decode_u(bytes, width, t->big_endian);
	return true;
}

bool host_read_ptr(struct host_target *t, uint64_t addr, uint64_t *ret)
{
	return host_read_u(t, addr, t->word_bytes, ret);
}
