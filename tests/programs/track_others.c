/* SPDX-License-Identifier: BSD-3-Clause */
/* Info objects, operations, error handlers, files, messages, sessions, keyvals; on 2 ranks. */
#include "track_object.h"

static int rank, size;

static void infos(void)
{
	MPI_Info a, b;

	EXPECT_NAME(INFO(MPI_INFO_NULL), "MPI_INFO_NULL");
	EXPECT_NAME(INFO(MPI_INFO_ENV), "MPI_INFO_ENV");
	MPI_Info_create(&a);
	REQUIRE(INFO(a));
	EXPECT_CALL(INFO(a), "MPI_Info_create");
	EXPECT_IS(INFO(a)->pairs.n, 0);
	EXPECT_IS(INFO(a)->fortran, MPI_Info_c2f(a));
	MPI_Info_set(a, "one", "1");
	MPI_Info_set(a, "two", "a value, with = and \"quotes\"");
	MPI_Info_set(a, "one", "uno");
	EXPECT_IS(INFO(a)->pairs.n, 2);
	EXPECT(pair_value(INFO(a)->pairs, "one") && strcmp(pair_value(INFO(a)->pairs, "one"), "uno") == 0);
	EXPECT(pair_value(INFO(a)->pairs, "two") &&
	       strcmp(pair_value(INFO(a)->pairs, "two"), "a value, with = and \"quotes\"") == 0);
	MPI_Info_dup(a, &b);
	REQUIRE(INFO(b));
	EXPECT_IS(INFO(b)->parent, INFO(a)->id);
	EXPECT_IS(INFO(b)->pairs.n, 2);
	MPI_Info_delete(a, "one");
	EXPECT_IS(INFO(a)->pairs.n, 1);
	EXPECT(!pair_value(INFO(a)->pairs, "one"));
	EXPECT(pair_value(INFO(b)->pairs, "one") != NULL);
	char longest[MPI_MAX_INFO_VAL];
	memset(longest, 'x', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	MPI_Info_set(a, "long", longest);
	EXPECT(pair_value(INFO(a)->pairs, "long") && strcmp(pair_value(INFO(a)->pairs, "long"), longest) == 0);
	MPI_Info was = a;
	MPI_Info_free(&a);
	EXPECT(!INFO(was));
	MPI_Info_free(&b);
	MPI_Comm_get_info(MPI_COMM_WORLD, &b);
	REQUIRE(INFO(b));
	EXPECT_IS(INFO(b)->parent, COMM(MPI_COMM_WORLD)->id);
	MPI_Info_free(&b);
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void operations(void)
{
	MPI_Op op, was;
	int one = 1, sum = 0;

	EXPECT_NAME(OP(MPI_SUM), "MPI_SUM");
	EXPECT_IS(OP(MPI_SUM)->commutative, 1);
	EXPECT(OP(MPI_SUM)->predefined);
	EXPECT_IS(OP(MPI_SUM)->fortran, MPI_Op_c2f(MPI_SUM));
	EXPECT_NAME(OP(MPI_OP_NULL), "MPI_OP_NULL");
	MPI_Op_create(add, 0, &op);
	REQUIRE(OP(op));
	EXPECT_IS(OP(op)->function, (uintptr_t)add);
	EXPECT_IS(OP(op)->commutative, 0);
	EXPECT_IS(OP(op)->language, 1);
	EXPECT_IS(OP(op)->fortran, MPI_Op_c2f(op));
	MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
	EXPECT_IS(sum, size);
	was = op;
	MPI_Op_free(&op);
	EXPECT(!OP(was) && FREED_OBJECT(TRK_OP, was));
	MPI_Op_create(add, 1, &op);
	EXPECT_IS(OP(op)->commutative, 1);
	MPI_Op_free(&op);
}

static void win_handler(MPI_Win *win, int *code, ...)
{
	(void)win, (void)code;
}

static void file_handler(MPI_File *fh, int *code, ...)
{
	(void)fh, (void)code;
}

static void errhandlers(void)
{
	MPI_Errhandler e, f;

	EXPECT_NAME(ERRHANDLER(MPI_ERRORS_RETURN), "MPI_ERRORS_RETURN");
	EXPECT_IS(ERRHANDLER(MPI_ERRORS_RETURN)->object_kind, TRK_N_KINDS);
	MPI_Comm_get_errhandler(MPI_COMM_WORLD, &e);
	EXPECT(e == MPI_ERRORS_ARE_FATAL);
	EXPECT_IS(ERRHANDLER(e)->references, 1);
	MPI_Errhandler_free(&e);
	EXPECT(ERRHANDLER(MPI_ERRORS_ARE_FATAL) != NULL);
	MPI_Win_create_errhandler(win_handler, &e);
	EXPECT_IS(ERRHANDLER(e)->object_kind, TRK_WIN);
	EXPECT_IS(ERRHANDLER(e)->function, (uintptr_t)win_handler);
	MPI_File_create_errhandler(file_handler, &f);
	EXPECT_IS(ERRHANDLER(f)->object_kind, TRK_FILE);
	MPI_File_set_errhandler(MPI_FILE_NULL, f);
	EXPECT_IS(AFILE(MPI_FILE_NULL)->errhandler, BITS(f));
	MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
	MPI_Errhandler_free(&e);
	MPI_Errhandler_free(&f);
	EXPECT_IS(registry_slab(TRK_ERRHANDLER)->n_live, registry_slab(TRK_ERRHANDLER)->n_born - 2);
}

static void files(const char *path)
{
	MPI_File f;
	MPI_Info info;
	MPI_Comm dup;
	MPI_Datatype filetype, etype, type;
	MPI_Offset at;
	MPI_Group group;
	char representation[MPI_MAX_DATAREP_STRING];
	int data[4] = { 0 };

	MPI_Info_create(&info);
	MPI_Info_set(info, "access_style", "write_once");
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	if (MPI_File_open(dup, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &f) !=
	    MPI_SUCCESS) {
		fprintf(stderr, "cannot open %s\n", path);
		exit(1);
	}
	const struct trk_file *r = AFILE(f);
	REQUIRE(r);
	EXPECT_AT_REST(r);
	EXPECT_IS(r->path.n, strlen(path));
	EXPECT(span_at(r->path) && memcmp(span_at(r->path), path, strlen(path)) == 0);
	EXPECT_IS(r->mode, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
	EXPECT_IS(r->comm, BITS(dup));
	EXPECT_IS(r->comm_id, COMM(dup)->id);
	EXPECT_IS(r->info, BITS(info));
	EXPECT(pair_value(r->hints, "access_style") && strcmp(pair_value(r->hints, "access_style"), "write_once") == 0);
	EXPECT_IS(r->errhandler, BITS(MPI_ERRORS_RETURN));
	EXPECT_IS(r->etype, BITS(MPI_BYTE));
	EXPECT_IS(r->split_call, TRK_NO_CALL);
	EXPECT_IS(r->atomic, 0);
	int index = MPI_File_c2f(f);
	EXPECT(r->has_fortran);
	EXPECT_IS(r->fortran, index);
	MPI_Comm_free(&dup);
	MPI_Info_free(&info);
	MPI_File_get_group(f, &group);
	REQUIRE(GROUP(group));
	EXPECT_IS(GROUP(group)->size, size);
	EXPECT_IS(GROUP(group)->members.total, 0);
	MPI_Group_free(&group);
	MPI_Type_vector(2, 1, 2, MPI_INT, &filetype);
	MPI_Type_commit(&filetype);
	uint32_t n_types = registry_slab(TRK_DATATYPE)->n_live;
	MPI_File_set_view(f, 64, MPI_INT, filetype, "native", MPI_INFO_NULL);
	EXPECT_IS(r->displacement, 64);
	EXPECT_IS(r->etype, BITS(MPI_INT));
	EXPECT_IS(r->filetype, BITS(filetype));
	EXPECT(strcmp(r->representation, "native") == 0);
	MPI_File_get_view(f, &at, &etype, &type, representation);
	REQUIRE(TYPE(type));
	EXPECT(etype == MPI_INT);
	MPI_Type_free(&type);
	EXPECT_IS(registry_slab(TRK_DATATYPE)->n_live, n_types);
	MPI_Type_free(&filetype);
	MPI_File_set_atomicity(f, 1);
	EXPECT_IS(r->atomic, 1);
	MPI_File_set_atomicity(f, 0);
	EXPECT_IS(r->atomic, 0);
	MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	MPI_File_write_at_all_begin(f, 4 * rank, data, 4, MPI_INT);
	EXPECT(strcmp(registry_call(r->split_call), "MPI_File_write_at_all_begin") == 0);
	MPI_File_write_at_all_end(f, data, MPI_STATUS_IGNORE);
	EXPECT_IS(r->split_call, TRK_NO_CALL);
	MPI_File_read_all_begin(f, data, 4, MPI_INT);
	EXPECT(strcmp(registry_call(r->split_call), "MPI_File_read_all_begin") == 0);
	MPI_File_read_all_end(f, data, MPI_STATUS_IGNORE);
	MPI_File_get_info(f, &info);
	REQUIRE(INFO(info));
	EXPECT_IS(INFO(info)->parent, r->id);
	MPI_Info_free(&info);
	MPI_File was = f;
	MPI_File_close(&f);
	EXPECT(!AFILE(was));
	EXPECT(FREED_OBJECT(TRK_FILE, was) == (const void *)r);
	EXPECT_NAME(AFILE(MPI_FILE_NULL), "MPI_FILE_NULL");
	/* a failing call leaves no record */
	uint64_t n_born = registry_slab(TRK_FILE)->n_born;
	EXPECT(MPI_File_open(MPI_COMM_SELF, "/nonexistent/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &f) != MPI_SUCCESS);
	EXPECT_IS(registry_slab(TRK_FILE)->n_born, n_born);
}

static void messages(void)
{
	int out = 42, in = 0, flag = 0;
	MPI_Message m, was;
	MPI_Status status;
	MPI_Request request;

	MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 1, &in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Isend(&out, 1, MPI_INT, 1 - rank, 17, MPI_COMM_WORLD, &request);
	MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &m, &status);
	const struct trk_message *r = MESSAGE(m);
	REQUIRE(r);
	EXPECT_CALL(r, "MPI_Mprobe");
	EXPECT_IS(r->source, 1 - rank);
	EXPECT_IS(r->tag, 17);
	EXPECT_IS(r->bytes, sizeof(int));
	EXPECT_IS(r->comm, BITS(MPI_COMM_WORLD));
	was = m;
	MPI_Mrecv(&in, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
	EXPECT(!MESSAGE(was));
	EXPECT_IS(r->state, TRK_FREED);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Isend(&out, 1, MPI_INT, 1 - rank, 18, MPI_COMM_WORLD, &request);
	while (!flag)
		MPI_Improbe(1 - rank, 18, MPI_COMM_WORLD, &flag, &m, MPI_STATUS_IGNORE);
	r = MESSAGE(m);
	REQUIRE(r);
	EXPECT_IS(r->tag, 18);
	EXPECT_IS(r->bytes, -1); /* without a status it is not known */
	MPI_Request receive;
	MPI_Imrecv(&in, 1, MPI_INT, &m, &receive);
	EXPECT_IS(r->state, TRK_FREED);
	MPI_Wait(&receive, MPI_STATUS_IGNORE);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &m, &status);
	EXPECT(m == MPI_MESSAGE_NO_PROC);
	EXPECT_NAME(MESSAGE(m), "MPI_MESSAGE_NO_PROC");
	MPI_Mrecv(&in, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
	EXPECT_IS(registry_slab(TRK_MESSAGE)->n_live, 2);
}

static void sessions(void)
{
#if MPI_VERSION >= 4
	MPI_Session session;
	MPI_Group group;
	MPI_Comm comm;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
	const struct trk_session *r = registry_object(TRK_SESSION, session);
	REQUIRE(r);
	EXPECT_IS(r->errhandler, BITS(MPI_ERRORS_RETURN));
	if (MPI_Group_from_session_pset(session, "mpi://SELF", &group) == MPI_SUCCESS) {
		REQUIRE(GROUP(group));
		EXPECT_IS(GROUP(group)->parent, r->id);
		EXPECT_IS(GROUP(group)->size, 1);
		if (MPI_Comm_create_from_group(group, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS) {
			REQUIRE(COMM(comm));
			EXPECT_IS(COMM(comm)->size, 1);
			EXPECT_CALL(COMM(comm), "MPI_Comm_create_from_group");
			MPI_Comm_free(&comm);
		}
		MPI_Group_free(&group);
	}
	MPI_Session was = session;
	MPI_Session_finalize(&session);
	EXPECT(!registry_object(TRK_SESSION, was));
#endif
}

int main(int argc, char *argv[])
{
	const char *dir = getenv("TMPDIR");
	char path[4096];

	snprintf(path, sizeof path, "%s/track_others.XXXXXX", dir ? dir : "/tmp");
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	registry_open();
	if (rank == 0)
		close(mkstemp(path));
	MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
	infos();
	operations();
	errhandlers();
	files(path);
	messages();
	sessions();
	EXPECT_NAME(KEYVAL(MPI_TAG_UB), "MPI_TAG_UB");
	EXPECT_IS(KEYVAL(MPI_TAG_UB)->object_kind, TRK_COMM);
	EXPECT_IS(KEYVAL(MPI_WIN_BASE)->object_kind, TRK_WIN);
	for (int kind = 0; kind < TRK_N_KINDS; kind++)
		EXPECT_IS(registry_slab(kind)->n_dropped, 0);
	MPI_Finalize();
	return registry_close();
}
