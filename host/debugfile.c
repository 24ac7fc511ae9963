/* SPDX-License-Identifier: BSD-3-Clause */
#include "debugfile.h"

#include "fetched.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEBUG_ROOT "/usr/lib/debug"

uint32_t host_debuglink_crc(const uint8_t *bytes, size_t n)
{
	uint32_t table[256], crc = 0xffffffff;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	for (size_t i = 0; i < n; i++)
		crc = table[(crc ^ bytes[i]) & 0xff] ^ crc >> 8;
	return ~crc;
}

/* @param path NULL: there is none */
static bool try_id(const char *path, const struct host_build_id *id, char **ret_path, struct host_elf **ret)
{
	struct host_elf *e;
	struct host_build_id there;

	if (!path || host_elf_open(path, &e))
		return false;
	host_elf_build_id(e, &there);
	char *copy = host_build_id_equal(id, &there) ? strdup(path) : NULL;
	if (!copy) {
		host_elf_close(e);
		return false;
	}
	*ret_path = copy;
	*ret = e;
	return true;
}

static bool by_build_id(const struct host_build_id *id, char **ret_path, struct host_elf **ret)
{
	char path[sizeof(DEBUG_ROOT) + 32 + 2 * HOST_BUILD_ID_MAX];
	int n = snprintf(path, sizeof(path), DEBUG_ROOT "/.build-id/%02x/", id->bytes[0]);

	for (size_t i = 1; i < id->n; i++)
		n += snprintf(path + n, sizeof(path) - (size_t)n, "%02x", id->bytes[i]);
	snprintf(path + n, sizeof(path) - (size_t)n, ".debug");
	return try_id(path, id, ret_path, ret);
}

static bool try_link(const char *path, uint32_t crc, char **ret_path, struct host_elf **ret)
{
	struct host_elf *e;

	if (host_elf_open(path, &e))
		return false;
	char *copy = host_debuglink_crc(e->bytes, e->n) == crc ? strdup(path) : NULL;
	if (!copy) {
		host_elf_close(e);
		return false;
	}
	*ret_path = copy;
	*ret = e;
	return true;
}

static int folder_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) : 0;
}

static bool by_link(const struct host_elf *e, const char *file, const char *path, char **ret_path,
		    struct host_elf **ret)
{
	const struct host_shdr *s = host_elf_section(e, ".gnu_debuglink");
	const uint8_t *bytes = s ? host_elf_at(e, s->offset, s->bytes) : NULL;

	/* format: file name, NUL, padding to a multiple of 4, checksum of four bytes */
	if (!bytes || s->bytes < 8 || !memchr(bytes, '\0', s->bytes - 4))
		return false;
	const char *name = (const char *)bytes;
	uint64_t crc_at = (strlen(name) + 4) & ~UINT64_C(3);
	if (crc_at + 4 > s->bytes || strchr(name, '/') || !*name)
		return false;
	uint32_t crc = (uint32_t)host_decode_u(bytes + crc_at, 4, e->big_endian);
	char try[PATH_MAX];
	int n = folder_bytes(file);
	/* not the file itself: its debuglink names itself when strip or objcopy was run in place */
	if (strcmp(file + n + (file[n] == '/'), name) != 0 &&
	    snprintf(try, sizeof(try), "%.*s/%s", n, file, name) < (int)sizeof(try) &&
	    try_link(try, crc, ret_path, ret))
		return true;
	if (snprintf(try, sizeof(try), "%.*s/.debug/%s", n, file, name) < (int)sizeof(try) &&
	    try_link(try, crc, ret_path, ret))
		return true;
	return snprintf(try, sizeof(try), DEBUG_ROOT "%.*s/%s", folder_bytes(path), path, name) < (int)sizeof(try) &&
	       try_link(try, crc, ret_path, ret);
}

bool host_debugfile_find(const struct host_elf *e, const char *file, const char *path, char **ret_path,
			 struct host_elf **ret)
{
	struct host_build_id id;

	host_elf_build_id(e, &id);
	return (id.n > 1 && by_build_id(&id, ret_path, ret)) || by_link(e, file, path, ret_path, ret) ||
	       try_id(host_fetched_path(&id), &id, ret_path, ret);
}
