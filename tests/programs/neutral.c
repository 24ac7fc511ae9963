/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: neutral, on 2 ranks, with or without an in-target library
 * Results, return codes, statuses, errno and what handles become, of calls of every family, good and bad ones; rank 0
 * prints all of it. The output does not depend on anything but what MPI does.
 */
#include <mpi.h>

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 16, MANY = 200 };

static char text[TEXT];
static int rank;

__attribute__((format(printf, 1, 2))) static void emit(const char *format, ...)
{
	size_t n = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + n, TEXT - n, format, ap);
	va_end(ap);
}

/* The error class: codes contain data that differs between runs. */
static int class_of(int rc)
{
	int ret = -1;

	MPI_Error_class(rc, &ret);
	return ret;
}

#define TRY(call)                                                                                                      \
	do {                                                                                                           \
		errno = 4711;                                                                                          \
		int rc = call;                                                                                         \
		emit("%s: %d errno %s\n", #call, class_of(rc), errno == 4711 ? "kept" : "set");                        \
	} while (0)

static int in[MANY], out[MANY];
static MPI_Status s[MANY];

static void points(MPI_Comm c)
{
	MPI_Request r[2 * MANY];
	int flag, index, n, indices[MANY];

	for (int i = 0; i < MANY; i++) {
		out[i] = 1000 * rank + i;
		MPI_Irecv(&in[i], 1, MPI_INT, !rank, i, c, &r[i]);
	}
	for (int i = 0; i < MANY; i++)
		MPI_Isend(&out[i], 1, MPI_INT, !rank, i, c, &r[MANY + i]);
	TRY(MPI_Waitall(MANY, r, s));
	for (int i = 0; i < MANY; i += 50)
		emit("%d from %d tag %d %s\n", in[i], s[i].MPI_SOURCE, s[i].MPI_TAG,
		     r[i] == MPI_REQUEST_NULL ? "null" : "not null");
	TRY(MPI_Waitall(MANY, r + MANY, s));
	TRY(MPI_Sendrecv(out, 3, MPI_INT, !rank, 5, in, 3, MPI_INT, !rank, 5, c, s));
	MPI_Get_count(&s[0], MPI_INT, &n);
	emit("count %d: %d\n", n, in[2]);
	TRY(MPI_Send(out, 1, MPI_INT, 99, 5, c));
	TRY(MPI_Send(out, -1, MPI_INT, 0, 5, c));
	TRY(MPI_Recv(in, 1, MPI_DATATYPE_NULL, 0, 5, c, s));
	TRY(MPI_Isend(out, 1, MPI_INT, 0, -5, c, r));
	TRY(MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 5, c, s));
	emit("%d %d\n", s[0].MPI_SOURCE == MPI_PROC_NULL, s[0].MPI_TAG == MPI_ANY_TAG);
	TRY(MPI_Iprobe(MPI_ANY_SOURCE, 77, c, &flag, s));
	emit("flag %d\n", flag);
	r[0] = r[1] = MPI_REQUEST_NULL;
	TRY(MPI_Testany(2, r, &index, &flag, s));
	emit("flag %d index %d\n", flag, index == MPI_UNDEFINED);
	TRY(MPI_Waitsome(2, r, &n, indices, s));
	emit("n %d\n", n == MPI_UNDEFINED);
	TRY(MPI_Recv_init(in, 1, MPI_INT, !rank, 6, c, &r[0]));
	TRY(MPI_Send_init(out, 1, MPI_INT, !rank, 6, c, &r[1]));
	for (int i = 0; i < 3; i++) {
		out[0] = rank + i;
		TRY(MPI_Startall(2, r));
		TRY(MPI_Waitall(2, r, s));
		emit("%d %d\n", in[0], r[0] == MPI_REQUEST_NULL);
	}
	TRY(MPI_Request_free(&r[0]));
	TRY(MPI_Request_free(&r[1]));
	emit("%d\n", r[0] == MPI_REQUEST_NULL);
	TRY(MPI_Irecv(in, 1, MPI_INT, !rank, 9, c, &r[0]));
	TRY(MPI_Cancel(&r[0]));
	TRY(MPI_Wait(&r[0], s));
	MPI_Test_cancelled(&s[0], &flag);
	emit("cancelled %d\n", flag);
}

static void sum(void *a, void *b, int *n, MPI_Datatype *t)
{
	(void)t;
	for (int i = 0; i < *n; i++)
		((int *)b)[i] += ((int *)a)[i];
}

static void collectives(MPI_Comm c)
{
	MPI_Request r;
	MPI_Op op;

	for (int i = 0; i < 10; i++)
		out[i] = i + rank;
	TRY(MPI_Barrier(c));
	TRY(MPI_Allreduce(out, in, 10, MPI_INT, MPI_SUM, c));
	emit("%d %d\n", in[0], in[9]);
	TRY(MPI_Op_create(sum, 1, &op));
	TRY(MPI_Allreduce(out, in, 10, MPI_INT, op, c));
	emit("%d %d\n", in[0], in[9]);
	TRY(MPI_Op_free(&op));
	TRY(MPI_Bcast(in, 10, MPI_INT, 7, c));
	TRY(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, c));
	emit("%d %d\n", in[0], in[1]);
	TRY(MPI_Ibcast(out, 4, MPI_INT, 1, c, &r));
	TRY(MPI_Wait(&r, s));
	emit("%d\n", out[3]);
	TRY(MPI_Iallreduce(out, in, 2, MPI_INT, MPI_MAX, c, &r));
	TRY(MPI_Wait(&r, s));
	emit("%d\n", in[1]);
}

static int n_deleted;

static int deleted(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm;
	(void)key;
	(void)value;
	(void)extra;
	n_deleted++;
	return MPI_SUCCESS;
}

static void objects(MPI_Comm c)
{
	MPI_Comm d, half, cart;
	MPI_Group g, h;
	MPI_Datatype t;
	MPI_Win w;
	MPI_Info info;
	int n, key, flag, *base;
	char name[MPI_MAX_OBJECT_NAME + 1];

	TRY(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, deleted, &key, NULL));
	TRY(MPI_Comm_set_attr(c, key, &key));
	TRY(MPI_Comm_dup(c, &d));
	TRY(MPI_Comm_get_attr(d, key, &base, &flag));
	emit("copied %d\n", flag);
	TRY(MPI_Comm_delete_attr(c, key));
	TRY(MPI_Comm_set_name(d, "neutral"));
	TRY(MPI_Comm_get_name(d, name, &n));
	emit("%s %d\n", name, n);
	TRY(MPI_Comm_split(d, rank, 0, &half));
	TRY(MPI_Comm_size(half, &n));
	emit("%d\n", n);
	TRY(MPI_Comm_free(&half));
	TRY(MPI_Cart_create(d, 1, (int[]){ 2 }, (int[]){ 1 }, 0, &cart));
	TRY(MPI_Comm_free(&cart));
	TRY(MPI_Comm_group(d, &g));
	TRY(MPI_Group_incl(g, 1, (int[]){ 1 }, &h));
	TRY(MPI_Group_size(h, &n));
	emit("%d\n", n);
	TRY(MPI_Group_free(&g));
	TRY(MPI_Group_free(&h));
	TRY(MPI_Comm_free(&d));
	emit("%d deleted %d\n", d == MPI_COMM_NULL, n_deleted);
	TRY(MPI_Comm_free_keyval(&key));
	d = MPI_COMM_NULL;
	TRY(MPI_Comm_free(&d));
	TRY(MPI_Type_vector(3, 2, 4, MPI_INT, &t));
	TRY(MPI_Type_commit(&t));
	TRY(MPI_Type_size(t, &n));
	emit("%d\n", n);
	TRY(MPI_Type_free(&t));
	TRY(MPI_Info_create(&info));
	TRY(MPI_Info_set(info, "key", "value"));
	TRY(MPI_Info_get(info, "key", 10, name, &flag));
	emit("%d %s\n", flag, name);
	TRY(MPI_Win_allocate(sizeof(int) * 4, sizeof(int), info, c, &base, &w));
	base[0] = 5;
	TRY(MPI_Info_free(&info));
	TRY(MPI_Win_fence(0, w));
	n = rank + 70;
	TRY(MPI_Put(&n, 1, MPI_INT, !rank, 1, 1, MPI_INT, w));
	TRY(MPI_Win_fence(0, w));
	emit("%d\n", base[1]);
	TRY(MPI_Win_free(&w));
}

static void *in_thread(void *comm)
{
	int r;

	MPI_Comm_rank(*(MPI_Comm *)comm, &r);
	return NULL;
}

int main(int argc, char **argv)
{
	static char all[2 * TEXT];
	MPI_Comm c;
	pthread_t thread;
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	points(c);
	collectives(c);
	objects(c);
	for (int i = 0; i < 20; i++) {
		pthread_create(&thread, NULL, in_thread, &c);
		pthread_join(thread, NULL);
	}
	MPI_Gather(text, TEXT, MPI_CHAR, all, TEXT, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Comm_free(&c);
	MPI_Finalize();
	if (rank == 0 && (argc < 2 || freopen(argv[1], "w", stdout)))
		printf("%s%s", all, all + TEXT);
	return rank == 0 ? 23 : 0;
}
