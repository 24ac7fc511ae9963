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

static inline __attribute__((format(printf, 2, 3))) void emit(struct json_text *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(out->text + out->n, sizeof(out->text) - out->n, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(out->text) - out->n)
		exit(9);
	out->n += (size_t)n;
}

static inline void emit_string(struct json_text *out, const char *name, MPI2DD_ADDR_T address)
{
	if (address)
		emit(out, "\"%s\": \"%s\", ", name, (const char *)address);
	else
		emit(out, "\"%s\": null, ", name);
}

static inline void emit_places(struct json_text *out, const char *name, MPI2DD_ADDR_T address, int n)
{
	const struct MPI2DD_DIRECTORYENTRY *table = (const void *)address;

	emit(out, "\"%s\": [", name);
	for (int i = 0; i < n; i++) {
		emit(out, "%s{", i ? ", " : "");
		emit_string(out, "host", table[i].host_name);
		emit_string(out, "executable", table[i].executable_name);
		emit(out, "\"pid\": %d}", table[i].pid);
	}
	emit(out, "], ");
}

static inline void emit_proctable(struct json_text *out, const struct MPI2DD_INFO *info)
{
	const struct MPI2DD_PROCDESC *table = (const void *)info->proctable;

	emit(out, "\"proctable\": [");
	for (int i = 0; i < info->proctable_size; i++) {
		const struct MPI2DD_SPAWNDESC *spawn = (const void *)table[i].spawn_desc;
		emit(out, "%s{", i ? ", " : "");
		emit_string(out, "host", table[i].host_name);
		emit_string(out, "executable", table[i].executable_name);
		emit_string(out, "world", table[i].comm_world_id);
		if (spawn) {
			emit(out, "\"spawn\": {");
			emit_string(out, "world", spawn->parent_comm_world_id);
			emit(out, "\"rank\": %d, \"sequence\": %d}, ", spawn->parent_rank, spawn->sequence);
		}
		emit(out, "\"pid\": %d, \"rank\": %d}", table[i].pid, table[i].rank);
	}
	emit(out, "], ");
}

/** The object; null when the library is not there. */
static inline void emit_info(struct json_text *out)
{
	const struct MPI2DD_INFO *info = dlsym(RTLD_DEFAULT, "MPI2DD_info");

	if (!info) {
		emit(out, "null");
		return;
	}
	emit(out, "{\"state\": %d, \"mpi_flags\": %u, ", info->debug_state, info->mpi_flags);
	emit_string(out, "meta_host", info->meta_host_name);
	emit_string(out, "meta_executable", info->meta_executable_name);
	emit_proctable(out, info);
	emit_places(out, "directories", info->directory_table, info->directory_size);
	emit_places(out, "metadirectories", info->metadirectory_table, info->metadirectory_size);
	emit(out, "\"meta_pid\": %d}", info->meta_pid);
}

#endif /* INFO_JSON_H */
