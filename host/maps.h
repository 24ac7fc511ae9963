/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file maps.h
 * The mappings of a process: from /proc/PID/maps of a live one, from NT_FILE of a core.
 */
#ifndef HOST_MAPS_H
#define HOST_MAPS_H

#include "elf_file.h"

#include <sys/types.h>

enum {
	HOST_MAP_READ = 1,
	HOST_MAP_WRITE = 2,
	HOST_MAP_EXEC = 4,
	HOST_MAP_UNKNOWN = 8 /**< permissions unknown */
};

struct host_map {
	uint64_t lo, hi, offset; /**< offset in the file, bytes */
	unsigned prot;           /**< HOST_MAP_... */
	uint64_t dev, inode;     /**< 0: unknown */
	const char *path;        /**< "" anonymous; "[stack]", "[vdso]"; belongs to the maps */
	bool deleted;            /**< the kernel says that the name is gone (it is cut off the path) */
};

/** Sorted by address. All-zero is empty. */
struct host_maps {
	struct host_map *v;
	size_t n;
	char *text;   /**< the paths */
	char **added; /**< those of host_maps_add() */
	size_t n_added;
};

/** Parse the text of /proc/PID/maps. It is taken over. @return false: no memory; the text is freed all the same. */
bool host_maps_parse(char *text, struct host_maps *ret);

/**
 * Parse an NT_FILE note.
 * @return false: no memory, or not one entry makes sense.
 */
bool host_maps_from_note(const struct host_note *note, unsigned word_bytes, bool big_endian, struct host_maps *ret);

/** Put one more in its place; its path is copied. @return false: no memory. */
bool host_maps_add(struct host_maps *m, const struct host_map *map);

/** Release. Takes an all-zero one. */
void host_maps_deinit(struct host_maps *m);

/** The mapping around an address, or NULL. */
const struct host_map *host_maps_find(const struct host_maps *m, uint64_t addr);

/** Read a whole file of /proc. @return malloc'ed, NUL-terminated, or NULL with errno. @param[out] n may be NULL. */
char *host_read_file(const char *path, size_t *n);

#endif /* HOST_MAPS_H */
