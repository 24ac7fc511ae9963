/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle_kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static const struct {
	const char *key, *keys, *word, *words, *type;
} kinds[MDL_N_HANDLE_KINDS] = {
	[MDL_COMM] = { "comm", "comms", "communicator", "communicators", "MPI_Comm" },
	[MDL_GROUP] = { "group", "groups", "group", "groups", "MPI_Group" },
	[MDL_DATATYPE] = { "datatype", "types", "datatype", "datatypes", "MPI_Datatype" },
	[MDL_ERRHANDLER] = { "errhandler", "errhandlers", "error handler", "error handlers", "MPI_Errhandler" },
	[MDL_FILE] = { "file", "files", "file", "files", "MPI_File" },
	[MDL_INFO] = { "info", "infos", "info", "infos", "MPI_Info" },
	[MDL_OP] = { "op", "ops", "reduction operation", "reduction operations", "MPI_Op" },
	[MDL_REQUEST] = { "request", "requests", "request", "requests", "MPI_Request" },
	[MDL_WIN] = { "win", "wins", "window", "windows", "MPI_Win" },
	[MDL_A_MESSAGE] = { "message", "messages", "matched message", "matched messages", "MPI_Message" },
	[MDL_SESSION] = { "session", "sessions", "session", "sessions", "MPI_Session" },
	[MDL_KEYVAL] = { "keyval", "keyvals", "keyval", "keyvals", "keyval" },
};

const char *out_handle_kind(enum mdl_handle_kind kind)
{
	return kinds[kind].key;
}

const char *out_handle_word(enum mdl_handle_kind kind)
{
	return kinds[kind].word;
}

const char *out_handle_words(enum mdl_handle_kind kind)
{
	return kinds[kind].words;
}

bool out_handle_kind_of(const char *name, enum mdl_handle_kind *ret)
{
	for (int k = 0; k < MDL_N_HANDLE_KINDS; k++) {
		if (strcmp(name, kinds[k].key) && strcmp(name, kinds[k].keys) && strcmp(name, kinds[k].word) &&
		    strcmp(name, kinds[k].words) && strcmp(name, kinds[k].type))
			continue;
		*ret = (enum mdl_handle_kind)k;
		return true;
	}
	return false;
}

const char *out_life(enum mdl_life life)
{
	static const char *const words[] = { [MDL_LIVE] = "live", [MDL_FREED] = "freed", [MDL_EARLIER] = "earlier" };

	return words[life];
}

const char *out_combiner(int64_t combiner)
{
	static const char *const words[MDL_N_COMBINERS] = {
		"named",          "dup",         "contiguous",       "vector",         "hvector_integer",
		"hvector",        "indexed",     "hindexed_integer", "hindexed",       "indexed_block",
		"struct_integer", "struct",      "subarray",         "darray",         "f90_real",
		"f90_complex",    "f90_integer", "resized",          "hindexed_block", "value_index",
	};

	return combiner >= 0 && combiner < MDL_N_COMBINERS ? words[combiner] : NULL;
}

void out_file_mode(int64_t mode, char *ret, size_t size)
{
	static const struct {
		int64_t bit;
		const char *name;
	} bits[] = {
		{ MDL_MODE_CREATE, "CREATE" },
		{ MDL_MODE_RDONLY, "RDONLY" },
		{ MDL_MODE_WRONLY, "WRONLY" },
		{ MDL_MODE_RDWR, "RDWR" },
		{ MDL_MODE_DELETE_ON_CLOSE, "DELETE_ON_CLOSE" },
		{ MDL_MODE_UNIQUE_OPEN, "UNIQUE_OPEN" },
		{ MDL_MODE_EXCL, "EXCL" },
		{ MDL_MODE_APPEND, "APPEND" },
		{ MDL_MODE_SEQUENTIAL, "SEQUENTIAL" },
	};
	size_t n = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		if (!(mode & bits[i].bit) || n >= size)
			continue;
		n += (size_t)snprintf(ret + n, size - n, "%sMPI_MODE_%s", n ? "|" : "", bits[i].name);
		mode &= ~bits[i].bit;
	}
	if ((mode || !n) && n < size)
		snprintf(ret + n, size - n, "%s0x%" PRIx64, n ? "|" : "", (uint64_t)mode);
}

const char *out_request_type(enum mdl_request_type type)
{
	static const char *const words[] = { NULL, "point-to-point", "collective", "file", "window", "generalized" };

	return words[type];
}
