/* SPDX-License-Identifier: BSD-3-Clause */
#include "snapshots.h"

#include <check.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A JSON string. */
static void put_string(FILE *f, const char *text)
{
	json_t *s = json_string(text);

	ck_assert_ptr_nonnull(s);
	json_dumpf(s, f, JSON_ENCODE_ANY);
	json_decref(s);
}

/* The MPI function of a rank; NULL: none */
static const char *function_of(enum snapshots_kind kind, const struct snapshots_at *at, int r)
{
	if ((kind == SNAPSHOTS_MISSING && (r == 17 || r == 1999)) || (kind == SNAPSHOTS_COMPUTING && r % 17 == 0))
		return NULL;
	if (r < at->moved)
		return "MPI_Barrier";
	return kind == SNAPSHOTS_MISSING || kind == SNAPSHOTS_COMPUTING ? "MPI_Allreduce" : "MPI_Recv";
}

static bool computes(enum snapshots_kind kind, int r)
{
	return kind == SNAPSHOTS_COMPUTING && r % 17 == 0 && r != 272;
}

static void put_place(FILE *f, enum snapshots_kind kind, const struct snapshots_at *at, int r)
{
	bool missing = !function_of(kind, at, r);
	char line[256];

	if (computes(kind, r))
		snprintf(line, sizeof(line), r % 2 ? "flux at physics.c:%d" : "eos at eos.c:%d", 200 + r % 23);
	else
		snprintf(line, sizeof(line), "step at %s:%d",
			 at->text  ? at->text
			 : missing ? "mesh.c"
				   : "solve.c",
			 kind == SNAPSHOTS_APART ? r : 71);
	put_string(f, line);
}

static void put_call(FILE *f, enum snapshots_kind kind, const struct snapshots_at *at, int r)
{
	const char *function = function_of(kind, at, r);

	fprintf(f, "\"calls\":[{\"thread\":%d,\"function\":", 1000 + r);
	fprintf(f, function ? "\"%s\"" : "null", function);
	fputs(",\"backtrace\":[", f);
	if (!computes(kind, r))
		fputs("\"poll\",", f);
	if (function)
		fprintf(f, "\"%s\",", function);
	put_place(f, kind, at, r);
	fputs(",\"main at solve.c:20\"],\"communicator\":", f);
	put_string(f, at->text ? at->text : "MPI_COMM_WORLD");
	if (function && strcmp(function, "MPI_Recv") == 0)
		fprintf(f, ",\"operations\":[\"0x%x\"]", 0x1000 + r);
	fputs("}],", f);
	if (at->n_calls)
		fprintf(f, "\"recorded_calls\":[{\"thread\":%d,\"n_calls\":%ld}],", 1000 + r, at->n_calls);
}

static void put_comm(FILE *f, enum snapshots_kind kind, const struct snapshots_at *at, int r)
{
	int peer = kind == SNAPSHOTS_APART ? (int)(((long)r * r * 7 + 3) % at->n) : (r + at->n - 1) % at->n;

	fputs("{\"handle\":\"0x1\",\"name\":", f);
	put_string(f, at->text ? at->text : "MPI_COMM_WORLD");
	fprintf(f, ",\"context\":0,\"internal\":false,\"rank\":%d,\"size\":%d,\"members\":[\"0-%d\"],", r, at->n,
		at->n - 1);
	fprintf(f,
		"\"pending_sends\":[{\"id\":\"0x%x\",\"status\":\"pending\",\"peer\":%d,\"tag\":7,\"bytes\":1048576,"
		"\"count\":131072,"
		"\"datatype\":",
		0x800000 + r, (r + 7) % at->n);
	put_string(f, at->text ? at->text : "MPI_DOUBLE");
	fputs("}],\"flows\":[],\"pending_receives\":[", f);
	const char *function = function_of(kind, at, r);
	if (function && strcmp(function, "MPI_Recv") == 0)
		fprintf(f,
			"{\"id\":\"0x%x\",\"kind\":\"receive\",\"function\":\"MPI_Recv\",\"status\":\"pending\","
			"\"blocking\":true,"
			"\"peer\":%d,\"tag\":%d,\"bytes\":8,\"thread\":%d}",
			0x1000 + r, peer, kind == SNAPSHOTS_APART ? r : 5, 1000 + r);
	fputs("],\"unexpected\":[", f);
	for (int i = 0; r == 0 && i < at->n_unexpected; i++)
		fprintf(f,
			"%s{\"id\":\"0x9%d\",\"kind\":\"message\",\"status\":\"pending\",\"peer\":1,\"tag\":6,"
			"\"bytes\":16}",
			i ? "," : "", i);
	fputs("],\"collectives\":[]},", f);
	fprintf(f,
		"{\"handle\":\"0x2\",\"name\":\"MPI_COMM_SELF\",\"context\":1,\"internal\":false,\"rank\":0,\"size\":1,"
		"\"members\":[%d],"
		"\"pending_sends\":[],\"pending_receives\":[],\"unexpected\":[],\"collectives\":[]}",
		r);
}

void snapshots_write(const char *path, enum snapshots_kind kind, const struct snapshots_at *at)
{
	FILE *f = fopen(path, "we");

	ck_assert_ptr_nonnull(f);
	fprintf(f,
		"{\"schema\":\"%s\",\"command\":\"snapshot\",\"time\":%ld,\"host\":\"node0\",\"job\":{\"launcher\":99,"
		"\"size\":%d}%s\n",
		at->schema ? at->schema : "mpidbg-snapshot/3", at->time ? at->time : 1763712000, at->n,
		at->schema ? ",\"processes\":[" : "}");
	for (int r = 0; r < at->n; r++) {
		char host[64];
		snprintf(host, sizeof(host), "node%d", r / 64);
		if (at->schema)
			fputs(r ? ",\n{" : "{", f);
		else
			fprintf(f, "{\"identity\":{\"world\":0,\"rank\":%d,\"pid\":%d,\"read\":true},", r, 1000 + r);
		fprintf(f, "\"rank\":%d,\"pid\":%d,\"host\":", r, 1000 + r);
		put_string(f, at->text ? at->text : host);
		fputs(",\"executable\":", f);
		put_string(f, at->text ? at->text : "/home/u/solve");
		fprintf(f, ",\"state\":\"%s\"", computes(kind, r) ? "running" : "sleeping");
		fputs(",\"world_number\":0,\"mpi\":{\"name\":\"Open MPI\",\"version\":\"4.1.4\","
		      "\"state\":\"initialized\",\"thread_multiple\":false},",
		      f);
		put_call(f, kind, at, r);
		fputs("\"communicators\":[", f);
		put_comm(f, kind, at, r);
		fputs("],\"problems\":[", f);
		if (at->text)
			put_string(f, at->text);
		fputs(at->schema ? "]}" : "]}\n", f);
	}
	if (at->schema)
		fputs("],\"problems\":[]}\n", f);
	else
		fprintf(f, "{\"end\":%d,\"problems\":[]}\n", at->n);
	ck_assert_int_eq(fclose(f), 0);
}

static json_t *next_line(const char **text)
{
	size_t n = strcspn(*text, "\n");
	json_error_t error;
	json_t *ret = json_loadb(*text, n, 0, &error);

	ck_assert_msg(ret != NULL, "no JSON: column %d: %s: %.*s", error.column, error.text, n < 2000 ? (int)n : 2000,
		      *text);
	*text += n + ((*text)[n] != '\0');
	return ret;
}

json_t *snapshots_tree(const char *text)
{
	static const char start[] = "{\"schema\":\"mpidbg-snapshot/3\"";
	json_error_t error;

	if (strncmp(text, start, sizeof(start) - 1) != 0) {
		json_t *json = json_loads(text, JSON_ALLOW_NUL, &error);
		ck_assert_msg(json != NULL, "no JSON: line %d column %d: %s\n%s", error.line, error.column, error.text,
			      strlen(text) > 2000 ? "" : text);
		return json;
	}
	json_t *ret = next_line(&text), *list = json_array(), *line;
	while (!json_object_get(line = next_line(&text), "end"))
		json_array_append_new(list, line);
	ck_assert_int_eq(json_integer_value(json_object_get(line, "end")), json_array_size(list));
	ck_assert_str_eq(text, "");
	json_object_del(line, "end");
	json_object_del(line, "sum");
	json_object_update(ret, line);
	json_decref(line);
	json_object_set_new(ret, "processes", list);
	json_object_set_new(ret, "schema", json_string("mpidbg-snapshot/2"));
	size_t i;
	json_array_foreach(list, i, line) json_object_del(line, "identity");
	return ret;
}

json_t *snapshots_load(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t n = 0;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_gt(getdelim(&text, &n, '\0', f), 0);
	fclose(f);
	json_t *ret = snapshots_tree(text);
	free(text);
	return ret;
}
