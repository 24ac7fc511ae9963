/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file info_json.h
 * MPI2DD_info of this process as a JSON object, as the process itself finds it by dlsym: no MPI, no reader of ours.
 */
#ifndef INFO_JSON_H
#define INFO_JSON_H

#include "../../include/mpi2dd.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Text that grows up to a limit; past it the program ends with 9. */
struct json_text {
	char text[1 << 18];
	size_t n;
};

static inline __attribute__((format(printf, 2, 3))) void say(struct json_text *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(out->text + out->n, sizeof(out->text) - out->n, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(out->text) - out->n)
		exit(9);
	out->n += (size_t)n;
}

static inline void say_string(struct json_text *out, const char *name, MPI2DD_ADDR_T address)
{
	if (address)
		say(out, "\"%s\": \"%s\", ", name, (const char *)address);
	else
		say(out, "\"%s\": null, ", name);
}

static inline void say_places(struct json_text *out, const char *name, MPI2DD_ADDR_T address, int n)
{
	const struct MPI2DD_DIRECTORYENTRY *table = (const void *)address;

	say(out, "\"%s\": [", name);
	for (int i = 0; i < n; i++) {
		say(out, "%s{", i ? ", " : "");
		say_string(out, "host", table[i].host_name);
		say_string(out, "executable", table[i].executable_name);
		say(out, "\"pid\": %d}", table[i].pid);
	}
	say(out, "], ");
}

static inline void say_proctable(struct json_text *out, const struct MPI2DD_INFO *info)
{
	const struct MPI2DD_PROCDESC *table = (const void *)info->proctable;

	say(out, "\"proctable\": [");
	for (int i = 0; i < info->proctable_size; i++) {
		const struct MPI2DD_SPAWNDESC *spawn = (const void *)table[i].spawn_desc;
		say(out, "%s{", i ? ", " : "");
		say_string(out, "host", table[i].host_name);
		say_string(out, "executable", table[i].executable_name);
		say_string(out, "world", table[i].comm_world_id);
		if (spawn) {
			say(out, "\"spawn\": {");
			say_string(out, "world", spawn->parent_comm_world_id);
			say(out, "\"rank\": %d, \"sequence\": %d}, ", spawn->parent_rank, spawn->sequence);
		}
		say(out, "\"pid\": %d, \"rank\": %d}", table[i].pid, table[i].rank);
	}
	say(out, "], ");
}

/** The object; null when the library is not there. */
static inline void say_info(struct json_text *out)
{
	const struct MPI2DD_INFO *info = dlsym(RTLD_DEFAULT, "MPI2DD_info");

	if (!info) {
		say(out, "null");
		return;
	}
	say(out, "{\"state\": %d, \"mpi_flags\": %u, ", info->debug_state, info->mpi_flags);
	say_string(out, "meta_host", info->meta_host_name);
	say_string(out, "meta_executable", info->meta_executable_name);
	say_proctable(out, info);
	say_places(out, "directories", info->directory_table, info->directory_size);
	say_places(out, "metadirectories", info->metadirectory_table, info->metadirectory_size);
	say(out, "\"meta_pid\": %d}", info->meta_pid);
}

#endif /* INFO_JSON_H */
