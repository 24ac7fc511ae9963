/* SPDX-License-Identifier: BSD-3-Clause */
/* Error handlers, infos, reduction operations, address integers; on 2 ranks. Rank 0 ends in MPI_Allreduce. */
#include "facts.h"

static MPI_Comm busy;

/* ---- error handlers ----------------------------------------------------------------------------------- */

static void comm_handler(MPI_Comm *c, int *code, ...)
{
	(void)c, (void)code;
}

static void win_handler(MPI_Win *win, int *code, ...)
{
	(void)win, (void)code;
}

static void file_handler(MPI_File *file, int *code, ...)
{
	(void)file, (void)code;
}

static void emit_errhandler(MPI_Errhandler e, const char *made_by, const char *of, uintptr_t function)
{
	FACT("errhandler", e, "made_by", "\"%s\"", made_by);
	FACT("errhandler", e, "of", "\"%s\"", of);
	FACT("errhandler", e, "function", "\"0x%" PRIx64 "\"", (uint64_t)function);
	FACT("errhandler", e, "language", "\"C\"");
	FACT("errhandler", e, "predefined", "false");
	FACT("errhandler", e, "state", "\"live\"");
	FACT("errhandler", e, "object_freed", "false");
	FACT("errhandler", e, "fortran", "%d", (int)MPI_Errhandler_c2f(e));
}

static void errhandlers(void)
{
	static MPI_Errhandler e;
	static char memory[64];
	MPI_Errhandler f, w, freed;
	MPI_Comm a, b, c, d;
	MPI_Win win;

	MPI_Comm_dup(MPI_COMM_SELF, &a);
	MPI_Comm_dup(MPI_COMM_SELF, &b);
	MPI_Comm_dup(MPI_COMM_SELF, &c);
	MPI_Comm_dup(MPI_COMM_SELF, &d);
	MPI_Comm_create_errhandler(comm_handler, &e);
	MPI_Comm_set_errhandler(a, e);
	MPI_Comm_set_errhandler(b, e);
	MPI_Comm_set_errhandler(b, MPI_ERRORS_RETURN);
	emit_errhandler(e, "MPI_Comm_create_errhandler", "comm", (uintptr_t)comm_handler);
	PRINTS("errhandler", &e, MPI_Errhandler_c2f(e));
	FACT("errhandler", e, "communicators", "[\"0x%" PRIx64 "\"]", BITS(a));
	FACT("errhandler", e, "windows", "[]");
	HAS("errhandler", MPI_ERRORS_RETURN, "communicators", "\"0x%" PRIx64 "\"", BITS(b));
	MPI_Win_create_errhandler(win_handler, &w);
	MPI_Win_create(memory, sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_errhandler(win, w);
	emit_errhandler(w, "MPI_Win_create_errhandler", "win", (uintptr_t)win_handler);
	FACT("errhandler", w, "windows", "[\"0x%" PRIx64 "\"]", BITS(win));
	MPI_File_create_errhandler(file_handler, &f);
	MPI_File_set_errhandler(MPI_FILE_NULL, f);
	emit_errhandler(f, "MPI_File_create_errhandler", "file", (uintptr_t)file_handler);
	FACT("errhandler", f, "files", "[\"0x%" PRIx64 "\"]", BITS(MPI_FILE_NULL));
	/* freed by the program, and attached: it goes on working */
	MPI_Comm_create_errhandler(comm_handler, &freed);
	uint64_t bits = BITS(freed);
	MPI_Comm_set_errhandler(c, freed);
	MPI_Errhandler_free(&freed);
	PAST("errhandler", bits, "state", "\"freed\"");
	PAST("errhandler", bits, "object_freed", "null");
	PAST("errhandler", bits, "communicators", "[\"0x%" PRIx64 "\"]", BITS(c));
	emit("print errhandler 0x%" PRIx64 " state \"freed\"", bits);
	/* MPI gives it back: it is live again */
	MPI_Comm_create_errhandler(comm_handler, &freed);
	MPI_Comm_set_errhandler(d, freed);
	MPI_Errhandler_free(&freed);
	MPI_Comm_get_errhandler(d, &freed);
	FACT("errhandler", freed, "state", "\"live\"");
	FACT("errhandler", freed, "communicators", "[\"0x%" PRIx64 "\"]", BITS(d));
	emit("print errhandler MPI_ERRORS_ARE_FATAL predefined true");
	emit("print errhandler MPI_ERRORS_ARE_FATAL of \"any\"");
	/* of the C++ bindings, which both libraries still have in C */
#if defined(MPIR_ERRORS_THROW_EXCEPTIONS)
	FACT("errhandler", MPIR_ERRORS_THROW_EXCEPTIONS, "name", "\"MPI::ERRORS_THROW_EXCEPTIONS\"");
	FACT("errhandler", MPIR_ERRORS_THROW_EXCEPTIONS, "predefined", "true");
#endif
	emit("print errhandler MPI_ERRORS_RETURN name \"MPI_ERRORS_RETURN\"");
	emit("print MPI_Errhandler MPI_ERRHANDLER_NULL predefined true");
	emit("name keyval 0x%x MPI_TAG_UB", (unsigned)MPI_TAG_UB);
}

static void sessions(void)
{
#if MPI_VERSION >= 4
	MPI_Session session;
	MPI_Errhandler e;
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "thread_level", "MPI_THREAD_SINGLE");
	MPI_Session_create_errhandler((MPI_Session_errhandler_function *)comm_handler, &e);
	if (MPI_Session_init(info, e, &session) != MPI_SUCCESS)
		return;
	FACT("session", session, "state", "\"live\"");
	FACT("session", session, "predefined", "false");
	FACT("errhandler", e, "of", "\"session\"");
	FACT("errhandler", e, "sessions", "[\"0x%" PRIx64 "\"]", BITS(session));
	FACT("info", info, "sessions", "[\"0x%" PRIx64 "\"]", BITS(session));
#endif
}

/* ---- infos -------------------------------------------------------------------------------------------- */

static void emit_info(MPI_Info info, const char *made_by)
{
	int n, length, flag;

	MPI_Info_get_nkeys(info, &n);
	FACT("info", info, "keys", "%d", n);
	FACT("info", info, "made_by", "\"%s\"", made_by);
	FACT("info", info, "fortran", "%d", (int)MPI_Info_c2f(info));
	FACT("info", info, "state", "\"live\"");
	FACT("info", info, "object_freed", "false");
	for (int i = 0; i < n; i++) {
		char key[MPI_MAX_INFO_KEY + 1], value[1024] = "";

		MPI_Info_get_nthkey(info, i, key);
		MPI_Info_get_valuelen(info, key, &length, &flag);
		TRUST(flag && length < (int)sizeof(value));
		MPI_Info_get(info, key, length, value, &flag);
		HAS("info", info, "pairs", "{\"key\": \"%s\", \"value\": \"%s\"}", key, value);
	}
}

static void infos(void)
{
	static MPI_Info info;
	MPI_Info copy, used, next;
	MPI_Comm c;

	MPI_Info_create(&info);
	FACT("info", info, "predefined", "false");
	MPI_Info_set(info, "one", "1");
	MPI_Info_set(info, "two", "a value with = and blanks");
	MPI_Info_set(info, "three", "3");
	MPI_Info_set(info, "one", "uno");
	MPI_Info_delete(info, "three");
	emit_info(info, "MPI_Info_create");
	PRINTS("info", &info, MPI_Info_c2f(info));
	MPI_Info_dup(info, &copy);
	MPI_Info_delete(copy, "one");
	emit_info(copy, "MPI_Info_dup");
	MPI_Info_create(&copy);
	FACT("info", copy, "pairs", "[]");
	FACT("info", copy, "communicators", "[]");
	/* attached to a communicator and freed; the next one with its handle value is attached to nothing */
	MPI_Comm_dup(MPI_COMM_SELF, &c);
	MPI_Info_create(&used);
	MPI_Info_set(used, "used", "yes");
	MPI_Comm_set_info(c, used);
	uint64_t bits = BITS(used);
	MPI_Info_free(&used);
	PAST("info", bits, "pairs", "[{\"key\": \"used\", \"value\": \"yes\"}]");
	MPI_Info_create(&next);
	FACT("info", next, "communicators", "[]");
	if (BITS(next) != bits)
		PAST("info", bits, "communicators", "[\"0x%" PRIx64 "\"]", BITS(c));
	MPI_Comm_dup(MPI_COMM_SELF, &c);
	MPI_Info_create(&used);
	MPI_Comm_set_info(c, used);
	FACT("info", used, "communicators", "[\"0x%" PRIx64 "\"]", BITS(c));
	FACT("comm", c, "info", "\"0x%" PRIx64 "\"", BITS(used));
	emit("print info MPI_INFO_NULL predefined true");
}

/* ---- operations --------------------------------------------------------------------------------------- */

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void last(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)n, (void)type;
}

static void emit_op(MPI_Op op, uintptr_t function)
{
	int commutes;

	MPI_Op_commutative(op, &commutes);
	FACT("op", op, "commutative", commutes ? "true" : "false");
	FACT("op", op, "function", "\"0x%" PRIx64 "\"", (uint64_t)function);
	FACT("op", op, "language", "\"C\"");
	FACT("op", op, "made_by", "\"MPI_Op_create\"");
	FACT("op", op, "predefined", "false");
	FACT("op", op, "state", "\"live\"");
	FACT("op", op, "object_freed", "false");
	FACT("op", op, "fortran", "%d", (int)MPI_Op_c2f(op));
}

static MPI_Op plus;

static void ops(void)
{
	static int in[4], out[4];
	static MPI_Op other;
	MPI_Op freed, waiting;
	MPI_Comm c;
	MPI_Request request;
	int commutes;

	MPI_Op_create(add, 1, &plus);
	emit_op(plus, (uintptr_t)add);
	MPI_Op_create(last, 0, &other);
	emit_op(other, (uintptr_t)last);
	PRINTS("op", &other, MPI_Op_c2f(other));
	FACT("op", other, "requests", "[]");
	FACT("op", other, "calls", "[]");
	/* a reduction that the other rank takes no part in */
	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Op_create(add, 1, &waiting);
	if (!facts_rank)
		MPI_Iallreduce(in, out, 4, MPI_INT, waiting, c, &request);
	FACT("op", waiting, "requests", "[\"0x%" PRIx64 "\"]", facts_rank ? 0 : BITS(request));
	MPI_Op_create(add, 1, &freed);
	uint64_t bits = BITS(freed);
	MPI_Op_free(&freed);
	PAST("op", bits, "state", "\"freed\"");
	PAST("op", bits, "function", "\"0x%" PRIx64 "\"", (uint64_t)(uintptr_t)add);
	emit("print op MPI_SUM predefined true");
	emit("print MPI_Op MPI_SUM name \"MPI_SUM\"");
	MPI_Op_commutative(MPI_REPLACE, &commutes);
	emit("print op MPI_REPLACE commutative %s", commutes ? "true" : "false");
	emit("print op MPI_OP_NULL predefined true");
	emit("print op MPI_OP_NULL commutative null");
	emit("print info MPI_INFO_NULL keys null");
	emit("print errhandler MPI_ERRHANDLER_NULL of null");
	emit("print file MPI_FILE_NULL mode null");
	emit("print group MPI_GROUP_NULL size null");
	FACT("op", MPI_MAX, "fortran", "%d", (int)MPI_Op_c2f(MPI_MAX));
}

/* An accumulate whose request is not completed. */
static void accumulate(void)
{
	static int memory[16], one = 1;
	MPI_Request request;
	MPI_Win win;

	MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_lock_all(0, win);
	if (!facts_rank)
		MPI_Raccumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_BXOR, win, &request);
	HAS("op", MPI_BXOR, "requests", "\"0x%" PRIx64 "\"", facts_rank ? 0 : BITS(request));
	HAS("win", win, "requests", "\"0x%" PRIx64 "\"", facts_rank ? 0 : BITS(request));
}

/* ---- null handles, and values with a name ------------------------------------------------------------------ */

static void messages(void)
{
	MPI_Message m;
	MPI_Status s;

	MPI_Mprobe(MPI_PROC_NULL, 5, MPI_COMM_SELF, &m, &s);
	TRUST(m == MPI_MESSAGE_NO_PROC && s.MPI_SOURCE == MPI_PROC_NULL && s.MPI_TAG == MPI_ANY_TAG);
	emit("print message MPI_MESSAGE_NO_PROC source -2");
	emit("print message MPI_MESSAGE_NO_PROC tag null");
	emit("print message MPI_MESSAGE_NO_PROC tag_why \"any\"");
	emit("print message MPI_MESSAGE_NO_PROC bytes 0");
	emit("print message MPI_MESSAGE_NULL source null");
	emit("print message MPI_MESSAGE_NULL tag null");
}

static int queried(void *state, MPI_Status *status)
{
	(void)state, (void)status;
	return MPI_SUCCESS;
}

static int freed(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}

static int cancelled(void *state, int complete)
{
	(void)state, (void)complete;
	return MPI_SUCCESS;
}

static void requests(void)
{
	static int buffer[4];
	MPI_Request r;
	MPI_Comm c;

	MPI_Recv_init(buffer, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_SELF, &r);
	FACT("request", r, "peer", "-2");
	FACT("request", r, "buffer", "\"0x%" PRIx64 "\"", (uint64_t)(uintptr_t)buffer);
	LACKS("request", r, "buffer_name");
	LACKS("request", r, "extra_state");
	MPI_Recv_init(MPI_BOTTOM, 0, MPI_INT, 1, 4, MPI_COMM_WORLD, &r);
	FACT("request", r, "buffer_name", "\"MPI_BOTTOM\"");
	/* the other rank takes no part in it */
	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	if (!facts_rank)
		MPI_Iallreduce(MPI_IN_PLACE, buffer, 4, MPI_INT, MPI_SUM, c, &r);
	FACT("request", r, "buffer_name", "\"MPI_IN_PLACE\"");
	FACT("request", r, "buffer", "\"0x%" PRIx64 "\"", (uint64_t)(uintptr_t)MPI_IN_PLACE);
	MPI_Grequest_start(queried, freed, cancelled, &buffer[1], &r);
	FACT("request", r, "extra_state", "\"0x%" PRIx64 "\"", (uint64_t)(uintptr_t)&buffer[1]);
	FACT("request", r, "complete", "false");
	LACKS("request", r, "buffer");
	MPI_Irecv(buffer, 1, MPI_INT, 1, 6, c, &r);
	FACT("request", r, "tag", "6");
}

/* ---- integers ----------------------------------------------------------------------------------------- */

static void integers(void)
{
	static MPI_Aint aint = -4711;
	static MPI_Offset offset = (MPI_Offset)1 << 40;

	emit("print aint @0x%" PRIx64 " value %ld", (uint64_t)(uintptr_t)&aint, (long)aint);
	emit("print aint @0x%" PRIx64 " bytes %zu", (uint64_t)(uintptr_t)&aint, sizeof(aint));
	emit("print MPI_Aint @0x%" PRIx64 " signed true", (uint64_t)(uintptr_t)&aint);
	emit("print aint @0x%" PRIx64 " hexadecimal \"0x%" PRIx64 "\"", (uint64_t)(uintptr_t)&aint, (uint64_t)aint);
	emit("print aint 0x7fff0000 value %ld", (long)0x7fff0000);
	emit("print offset @0x%" PRIx64 " value %lld", (uint64_t)(uintptr_t)&offset, (long long)offset);
	emit("print offset @0x%" PRIx64 " bytes %zu", (uint64_t)(uintptr_t)&offset, sizeof(offset));
	emit("print MPI_Offset 17 fortran_kind \"MPI_OFFSET_KIND\"");
}

int main(int argc, char **argv)
{
	int in = 1, out;

	facts_init(&argc, &argv);
	TRUST(facts_size == 2);
	MPI_Comm_dup(MPI_COMM_WORLD, &busy);
	MPI_Comm_set_name(busy, "busy");
	errhandlers();
	sessions();
	infos();
	ops();
	accumulate();
	messages();
	requests();
	integers();
	FACT("op", plus, "calls", "[{\"thread\": %d, \"function\": \"MPI_Allreduce\"}]", (int)getpid());
	FACT("comm", busy, "calls", "[{\"thread\": %d, \"function\": \"MPI_Allreduce\"}]", (int)getpid());
	emit("print request MPI_REQUEST_NULL type_why \"the handle stands for no object\"");
	emit("print request MPI_REQUEST_NULL type null");
	emit("print request MPI_REQUEST_NULL persistent null");
	if (sizeof(MPI_Request) == sizeof(int))
		emit("print request MPI_REQUEST_NULL fortran %d", (int)MPI_Request_c2f(MPI_REQUEST_NULL));
	else
		emit("print request MPI_REQUEST_NULL fortran_why \"Fortran handles of requests are not asked for\"");
	emit("call function \"MPI_Allreduce\"");
	emit("call op \"0x%" PRIx64 "\"", BITS(plus));
	emit("call caller_place \"main at facts_others.c:%d\"", __LINE__ + 2);
	emit_ready();
	MPI_Allreduce(&in, &out, 1, MPI_INT, plus, busy);
	return 1;
}
