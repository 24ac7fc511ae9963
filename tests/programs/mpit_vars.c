/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: mpit_vars asks|quiet|late, on 2 ranks, or mpit_vars busy SECONDS, with the in-target library
 * asks: each control variable that MPI_T lets rank 0 read, its performance variables, categories and events, and what a
 * callback of its own has counted, one line each on standard output, as MPI_T itself tells it. quiet: MPI_T is not
 * used. late: what rank 0 changes long after MPI_Init: a control variable that it writes, queues that fill, a request;
 * told as MPI_T itself tells it then, a line each. Then "ready PID", and every rank waits in MPI_Recv until it is
 * ended. busy: nothing of that; objects are made and freed and messages sent as fast as it goes, while the library
 * refreshes what it mirrors, then "refreshed N times".
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* RTLD_DEFAULT, RTLD_NEXT */
#endif
#include <mpi.h>

#include "../../include/mpi2dd_mpit.h"
#include "../../include/track_layout.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 18, N_ERRORS = 3 };

static char room[ROOM];

/* Open MPI 4.1 has no such functions to link with. */
#define LOOK(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_DEFAULT, #name))

static void put_text(const char *text)
{
	putchar('"');
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			printf("\\u%04x", *text);
		else
			putchar(*text);
	putchar('"');
}

static void put_unsigned(uint64_t n)
{
	const char *quote = n > INT64_MAX ? "\"" : "";

	printf("%s%" PRIu64 "%s", quote, n, quote);
}

/* As JSON. @return 0: a datatype that is not known here */
static int put_value(MPI_Datatype type, const void *value)
{
	if (type == MPI_CHAR)
		put_text(value);
	else if (type == MPI_INT || type == MPI_INT32_T)
		printf("%d", *(const int *)value);
	else if (type == MPI_UNSIGNED || type == MPI_UINT32_T)
		printf("%u", *(const unsigned *)value);
	else if (type == MPI_LONG)
		printf("%ld", *(const long *)value);
	else if (type == MPI_UNSIGNED_LONG)
		put_unsigned(*(const unsigned long *)value);
	else if (type == MPI_UNSIGNED_LONG_LONG || type == MPI_UINT64_T)
		put_unsigned(*(const unsigned long long *)value);
	else if (type == MPI_COUNT || type == MPI_INT64_T)
		printf("%lld", *(const long long *)value);
	else if (type == MPI_DOUBLE)
		printf("%.15g", *(const double *)value);
	else if (type == MPI_C_BOOL)
		printf("%s", *(const _Bool *)value ? "true" : "false");
	else
		return 0;
	return 1;
}

static void emit_cvars(void)
{
	int n;

	MPI_T_cvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		char name[256];
		int len = sizeof(name), bind, count;
		MPI_Datatype type;
		MPI_T_cvar_handle handle;

		if (MPI_T_cvar_get_info(i, name, &len, NULL, &type, NULL, NULL, NULL, &bind, NULL) ||
		    bind != MPI_T_BIND_NO_OBJECT || MPI_T_cvar_handle_alloc(i, NULL, &handle, &count))
			continue;
		if (MPI_T_cvar_read(handle, room) == MPI_SUCCESS && (count == 1 || type == MPI_CHAR)) {
			printf("cvar %d %s ", i, name);
			put_value(type, room);
			putchar('\n');
		}
		MPI_T_cvar_handle_free(&handle);
	}
}

static void emit_pvars(void)
{
	MPI_T_pvar_session session;
	int n;

	MPI_T_pvar_session_create(&session);
	MPI_T_pvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		char name[256];
		int len = sizeof(name), bind, count, continuous;
		MPI_Datatype type;
		MPI_T_pvar_handle handle;

		/* values that do not change while nothing happens */
		if (MPI_T_pvar_get_info(i, name, &len, NULL, NULL, &type, NULL, NULL, NULL, &bind, NULL, &continuous,
					NULL) ||
		    bind != MPI_T_BIND_NO_OBJECT || !continuous || !strncmp(name, "mpi2dd_event", 12) ||
		    !strcmp(name, "mpi2dd_calls") || !strcmp(name, "mpi2dd_current_function") ||
		    MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &count))
			continue;
		if (MPI_T_pvar_read(session, handle, room) == MPI_SUCCESS && count == 1) {
			printf("pvar %d %s ", i, name);
			put_value(type, room);
			putchar('\n');
		}
		MPI_T_pvar_handle_free(session, &handle);
	}
	MPI_T_pvar_session_free(&session);
}

static void emit_categories(void)
{
	int n;

	MPI_T_category_get_num(&n);
	for (int i = 0; i < n; i++) {
		char name[256];
		int len = sizeof(name), cvars, pvars, below, indices[2048];

		if (MPI_T_category_get_info(i, name, &len, NULL, NULL, &cvars, &pvars, &below) || cvars > 2048)
			continue;
		MPI_T_category_get_cvars(i, cvars, indices);
		printf("category %d %s {\"cvars\": [", i, name);
		for (int k = 0; k < cvars; k++)
			printf("%s%d", k ? ", " : "", indices[k]);
		printf("], \"n_pvars\": %d, \"n_categories\": %d}\n", pvars, below);
	}
}

static int n_called;

enum { ON_ERROR_LINE = __LINE__ + 2 };

static void on_error(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety safety,
		     void *user_data)
{
	(void)event, (void)registration, (void)safety, (void)user_data;
	n_called++;
}

static void emit_events(void)
{
	MPI_T_event_registration registration;
	int n, index;

	LOOK(MPI_T_event_get_num)(&n);
	for (int i = 0; i < n; i++) {
		char name[256];
		int len = sizeof(name), elements = 0;

		LOOK(MPI_T_event_get_info)(i, name, &len, NULL, NULL, NULL, &elements, NULL, NULL, NULL, NULL, NULL);
		printf("event %d %s %d\n", i, name, elements);
	}
	LOOK(MPI_T_event_get_index)("mpi2dd_error_returned", &index);
	LOOK(MPI_T_event_handle_alloc)(index, NULL, MPI_INFO_NULL, &registration);
	LOOK(MPI_T_event_register_callback)
	(registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, NULL, on_error);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int i = 0; i < N_ERRORS; i++)
		MPI_Send(&i, 1, MPI_INT, 4711, 0, MPI_COMM_WORLD);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	printf("registration %d %p %d on_error at mpit_vars.c:%d\n", index, (void *)(uintptr_t)on_error, n_called,
	       ON_ERROR_LINE);
	MPI_Comm world = MPI_COMM_WORLD;
	LOOK(MPI_T_event_get_index)("mpi2dd_comm_named", &index);
	LOOK(MPI_T_event_handle_alloc)(index, &world, MPI_INFO_NULL, &registration);
	printf("bound %d MPI_COMM_WORLD\n", index);
}

/* Data that other threads read concurrently: counters, records of objects, lists, requests, the current call. */
static void be_busy(double seconds)
{
	double end = MPI_Wtime() + seconds;
	MPI_T_pvar_session session;
	int provided, in, out = 1;

	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	MPI_T_pvar_session_create(&session);
	while (MPI_Wtime() < end) {
		MPI_Comm comm;
		MPI_Datatype type;
		MPI_Group group;
		MPI_Request r[2];
		MPI_Status statuses[2];
		MPI_T_pvar_handle handle;
		int index, count;

		MPI_Comm_dup(MPI_COMM_SELF, &comm);
		MPI_Comm_set_name(comm, "busy");
		MPI_Comm_group(comm, &group);
		MPI_Type_contiguous(1, MPI_INT, &type);
		MPI_Type_commit(&type);
		bool starts = MPI_T_pvar_get_index("mpi2dd_messages_sent", MPI_T_PVAR_CLASS_COUNTER, &index) ==
				      MPI_SUCCESS &&
			      MPI_T_pvar_handle_alloc(session, index, &comm, &handle, &count) == MPI_SUCCESS &&
			      MPI_T_pvar_start(session, handle) == MPI_SUCCESS;
		MPI_Irecv(&in, 1, type, 0, 0, comm, &r[0]);
		MPI_Isend(&out, 1, type, 0, 0, comm, &r[1]);
		MPI_Waitall(2, r, statuses);
		MPI_Barrier(comm);
		if (starts)
			MPI_T_pvar_handle_free(session, &handle);
		MPI_Type_free(&type);
		MPI_Group_free(&group);
		MPI_Comm_free(&comm);
	}
	MPI_T_pvar_session_free(&session);
	MPI_T_finalize();
}

/* The first of the MPI library's own that takes another number. */
static void write_one(void)
{
	int n, count;

	MPI_T_cvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		char name[256];
		int len = sizeof(name), scope, bind, before, after;
		MPI_T_cvar_handle handle;
		MPI_Datatype type;
		MPI_T_enum items;

		if (MPI_T_cvar_get_info(i, name, &len, NULL, &type, &items, NULL, NULL, &bind, &scope) ||
		    strncmp(name, "MPI2DD", 6) == 0 || type != MPI_INT || bind != MPI_T_BIND_NO_OBJECT ||
		    items != MPI_T_ENUM_NULL || scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_READONLY ||
		    MPI_T_cvar_handle_alloc(i, NULL, &handle, &count))
			continue;
		if (count == 1 && MPI_T_cvar_read(handle, &before) == MPI_SUCCESS) {
			before++;
			if (MPI_T_cvar_write(handle, &before) == MPI_SUCCESS &&
			    MPI_T_cvar_read(handle, &after) == MPI_SUCCESS && after == before) {
				MPI_T_cvar_write(handle, &before); /* the last operation is expected */
				printf("wrote %s %d\n", name, after);
				MPI_T_cvar_handle_free(&handle);
				return;
			}
		}
		MPI_T_cvar_handle_free(&handle);
	}
}

/* "late NAME COMM VALUE": the sum over the communicator's processes. */
static void emit_bound(MPI_T_pvar_session session, const char *variable, MPI_Comm comm, const char *comm_name)
{
	MPI_T_pvar_handle handle;
	int index, count;
	unsigned values[64], sum = 0;

	if (MPI_T_pvar_get_index(variable, MPI_T_PVAR_CLASS_SIZE, &index) ||
	    MPI_T_pvar_handle_alloc(session, index, &comm, &handle, &count) || count > 64)
		return; /* not of this MPI */
	MPI_T_pvar_read(session, handle, values);
	for (int i = 0; i < count; i++)
		sum += values[i];
	printf("late %s %s %u\n", variable, comm_name, sum);
	MPI_T_pvar_handle_free(session, &handle);
}

/* Rank 1 has sent what nobody receives, on a communicator too that is younger than any refresh. */
static void be_late(int rank)
{
	static const char *const queues[] = { "pml_ob1_unexpected_msgq_length", "pml_ob1_posted_recvq_length" };
	enum { ON_WORLD = 2, ON_YOUNG = 3 };
	int x = 0, provided, index, count;
	MPI_T_pvar_session session;
	MPI_T_pvar_handle handle;
	unsigned long long active;
	static int never[2];
	MPI_Request request[2];
	MPI_Comm young;

	MPI_Comm_dup(MPI_COMM_WORLD, &young);
	MPI_Comm_set_name(young, "young");
	if (rank == 1) {
		for (int tag = 1; tag <= ON_WORLD; tag++)
			MPI_Send(&x, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
		for (int tag = 1; tag <= ON_YOUNG; tag++)
			MPI_Send(&x, 1, MPI_INT, 0, tag, young);
		return;
	}
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	write_one();
	MPI_Probe(1, ON_WORLD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Probe(1, ON_YOUNG, young, MPI_STATUS_IGNORE);
	for (int i = 0; i < 2; i++)
		MPI_Irecv(&never[i], 1, MPI_INT, 1, 1000 + i, young, &request[i]);
	MPI_T_pvar_session_create(&session);
	for (size_t i = 0; i < 2; i++)
		emit_bound(session, queues[i], young, "young");
	emit_bound(session, queues[0], MPI_COMM_WORLD, "MPI_COMM_WORLD"); /* and there is one more that waits below */
	if (MPI_T_pvar_get_index("mpi2dd_requests_active", MPI_T_PVAR_CLASS_LEVEL, &index) == MPI_SUCCESS &&
	    MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_SUCCESS) {
		MPI_T_pvar_read(session, handle, &active);
		printf("active %llu\n", active);
	}
}

static uint64_t n_refreshes(void)
{
	const struct trk_registry *registry = dlsym(RTLD_DEFAULT, "MPI2DD_registry");

	return registry ? __atomic_load_n(&registry->n_vars_refreshes, __ATOMIC_RELAXED) : 0;
}

int main(int argc, char **argv)
{
	int rank, provided, x = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 2 && strcmp(argv[1], "busy") == 0) {
		uint64_t first = n_refreshes();
		be_busy(atof(argv[2]));
		printf("refreshed %d times\n", (int)(n_refreshes() - first));
		MPI_Finalize();
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "asks") == 0 && rank == 0) {
		int (*refresh)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "MPI2DD_refresh");
		MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
		emit_cvars();
		emit_categories();
		emit_events();
		emit_pvars();
		printf("refreshed %d\n", refresh());
	}
	if (argc > 1 && strcmp(argv[1], "late") == 0)
		be_late(rank);
	/* two messages that rank 0 never receives */
	else if (rank == 1)
		for (int tag = 1; tag <= 2; tag++)
			MPI_Send(&x, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
	if (rank == 0)
		printf("ready %d\n", (int)getpid());
	fflush(stdout);
	MPI_Recv(&x, 1, MPI_INT, !rank, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
