/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: storm [race], one process, with or without an in-target library
 * Threads that begin and end, and make, use and free objects of every kind at the same time; requests that one thread
 * posts and another completes; variables of MPI_T that are read meanwhile. Nothing is looked at but results. With
 * "race" the threads also write to one variable, for a sanitizer to find.
 */
#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 6, LIVES = 3, TURNS = 12, WINDOW = 8 };

static int n_wrong, raced;
static _Bool race;
/* Making a communicator is agreement about its number: of one process, one after the other. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

#define RIGHT(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "storm: line %d: not so: %s\n", __LINE__, #condition);                         \
			__atomic_fetch_add(&n_wrong, 1, __ATOMIC_RELAXED);                                             \
		}                                                                                                      \
	} while (0)

static int copied(MPI_Comm c, int key, void *extra, void *in, void *out, int *flag)
{
	(void)c;
	(void)key;
	(void)extra;
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}

static void larger(void *a, void *b, int *n, MPI_Datatype *t)
{
	(void)t;
	for (int i = 0; i < *n; i++)
		if (((int *)a)[i] > ((int *)b)[i])
			((int *)b)[i] = ((int *)a)[i];
}

static void objects(MPI_Comm comm, int me)
{
	MPI_Datatype t, u;
	MPI_Group g, h;
	MPI_Info info;
	MPI_Comm d;
	MPI_Op op;
	int key, flag, in = me, out = -1;
	char value[20], name[MPI_MAX_OBJECT_NAME + 1];
	void *got;

	MPI_Type_vector(3, 2, 4, MPI_INT, &t);
	MPI_Type_create_struct(2, (int[]){ 1, 2 }, (MPI_Aint[]){ 0, 64 }, (MPI_Datatype[]){ MPI_DOUBLE, t }, &u);
	MPI_Type_commit(&u);
	MPI_Type_set_name(u, "storm");
	MPI_Type_free(&t);
	MPI_Type_free(&u);
	MPI_Comm_group(comm, &g);
	MPI_Group_union(g, MPI_GROUP_EMPTY, &h);
	MPI_Group_free(&g);
	MPI_Group_free(&h);
	MPI_Info_create(&info);
	MPI_Info_set(info, "turn", "one");
	MPI_Info_get(info, "turn", sizeof value - 1, value, &flag);
	RIGHT(flag && strcmp(value, "one") == 0);
	MPI_Info_free(&info);
	MPI_Op_create(larger, 1, &op);
	MPI_Allreduce(&in, &out, 1, MPI_INT, op, comm);
	RIGHT(out == me);
	MPI_Op_free(&op);
	MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(comm, key, &in);
	pthread_mutex_lock(&making);
	MPI_Comm_dup(comm, &d);
	pthread_mutex_unlock(&making);
	MPI_Comm_get_attr(d, key, &got, &flag);
	RIGHT(flag && got == &in);
	snprintf(name, sizeof name, "of thread %d", me);
	MPI_Comm_set_name(d, name);
	MPI_Barrier(d);
	pthread_mutex_lock(&making);
	MPI_Comm_free(&d);
	pthread_mutex_unlock(&making);
	MPI_Comm_delete_attr(comm, key);
	MPI_Comm_free_keyval(&key);
}

/* ---- requests that change hands ---------------------------------------------------------------------- */

struct parcel {
	MPI_Request requests[2 * WINDOW];
	int in[WINDOW], out[WINDOW];
};

static void *complete(void *argument)
{
	struct parcel *p = argument;
	MPI_Status s[2 * WINDOW];
	int n = 0, some, which[WINDOW];

	while (n < WINDOW) {
		MPI_Waitsome(WINDOW, p->requests, &some, which, s);
		RIGHT(some > 0);
		n += some;
	}
	MPI_Waitall(WINDOW, p->requests + WINDOW, s);
	for (int i = 0; i < WINDOW; i++)
		RIGHT(p->in[i] == p->out[i]);
	return NULL;
}

static void messages(MPI_Comm comm, int me)
{
	struct parcel p;
	MPI_Request again[2];
	MPI_Status s[2];
	pthread_t other;
	int in = 0, out = me;

	for (int i = 0; i < WINDOW; i++) {
		p.out[i] = me * 100 + i;
		MPI_Irecv(&p.in[i], 1, MPI_INT, 0, i, comm, &p.requests[i]);
	}
	for (int i = 0; i < WINDOW; i++)
		MPI_Isend(&p.out[i], 1, MPI_INT, 0, i, comm, &p.requests[WINDOW + i]);
	pthread_create(&other, NULL, complete, &p);
	pthread_join(other, NULL);
	MPI_Recv_init(&in, 1, MPI_INT, 0, 50, comm, &again[0]);
	MPI_Send_init(&out, 1, MPI_INT, 0, 50, comm, &again[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, again);
		MPI_Waitall(2, again, s);
		RIGHT(in == me);
	}
	MPI_Request_free(&again[0]);
	MPI_Request_free(&again[1]);
	MPI_Irecv(&in, 1, MPI_INT, 0, 60, comm, &again[0]);
	MPI_Cancel(&again[0]);
	MPI_Wait(&again[0], s);
}

/* ---- variables ---------------------------------------------------------------------------------------- */

/* Those of the in-target library; reading all of an MPI's own is not safe everywhere. */
static void variables(void)
{
	MPI_T_pvar_session session;
	int n, count;

	if (MPI_T_pvar_session_create(&session) != MPI_SUCCESS)
		return;
	MPI_T_pvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		MPI_T_pvar_handle h;
		MPI_Datatype t = MPI_DATATYPE_NULL;
		MPI_T_enum items;
		int class, verbosity, bind, readonly, continuous, atomic, length = MPI_MAX_OBJECT_NAME;
		char name[MPI_MAX_OBJECT_NAME];
		long long value[64];
		if (MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &t, &items, NULL, NULL, &bind, &readonly,
					&continuous, &atomic) != MPI_SUCCESS ||
		    strncmp(name, "mpi2dd_", 7) != 0 || bind != MPI_T_BIND_NO_OBJECT ||
		    MPI_T_pvar_handle_alloc(session, i, NULL, &h, &count) != MPI_SUCCESS)
			continue;
		if (count > 0 && count <= 64)
			RIGHT(MPI_T_pvar_read(session, h, value) == MPI_SUCCESS);
		MPI_T_pvar_handle_free(session, &h);
	}
	MPI_T_pvar_session_free(&session);
}

static void *live(void *argument)
{
	int me = (int)(size_t)argument;
	MPI_Comm comm;

	pthread_mutex_lock(&making);
	MPI_Comm_dup(MPI_COMM_SELF, &comm);
	pthread_mutex_unlock(&making);
	for (int turn = 0; turn < TURNS; turn++) {
		objects(comm, me);
		messages(comm, me);
		if (turn % 4 == 0)
			variables();
		if (race)
			raced++;
	}
	pthread_mutex_lock(&making);
	MPI_Comm_free(&comm);
	pthread_mutex_unlock(&making);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int provided, level;

	race = argc > 1 && strcmp(argv[1], "race") == 0;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_T_init_thread(MPI_THREAD_MULTIPLE, &level);
	if (provided != MPI_THREAD_MULTIPLE) {
		puts("storm: no MPI_THREAD_MULTIPLE");
		return 3;
	}
	for (int i = 0; i < LIVES; i++) {
		for (size_t k = 0; k < THREADS; k++)
			pthread_create(&threads[k], NULL, live, (void *)k);
		for (size_t k = 0; k < THREADS; k++)
			pthread_join(threads[k], NULL);
	}
	MPI_T_finalize();
	MPI_Finalize();
	printf("storm: %d wrong\n", n_wrong);
	return n_wrong != 0;
}
