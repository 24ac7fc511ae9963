// SPDX-License-Identifier: BSD-3-Clause
/*
 * Usage: kinds FILE, 2 ranks, with the in-target library
 * Objects of the C++ bindings of every kind; rank 0 says what is in them. "cxx KIND CLASS ADDRESS HANDLE" is for who asks
 * the plugin itself.
 */
#include "../answers.h"

#include <cstring>

static void emit(const char *kind, const char *type, const void *object, uint64_t handle, const char *made_by)
{
	uint64_t at = (uint64_t)(uintptr_t)object;

	if (made_by)
		emit("{'args': 'print %s cxx:0x%" PRIx64 "', 'class': '%s', 'at': '0x%" PRIx64 "', 'kind': '%s', 'is': "
		     "{'handle': '0x%" PRIx64 "', 'made_by': '%s'}}",
		     kind, at, type, at, kind, handle, made_by);
	else
		emit("{'args': 'print %s cxx:0x%" PRIx64 "', 'class': '%s', 'at': '0x%" PRIx64 "', 'kind': '%s', 'is': "
		     "{'handle': '0x%" PRIx64 "', 'predefined': true}}",
		     kind, at, type, at, kind, handle);
}

/* An object with a function of the program's: the one that C++ was given. */
static void emit_function(const char *kind, const void *object, const char *key, uintptr_t function, const char *name)
{
	emit("{'args': 'print %s cxx:0x%" PRIx64 "', 'is': {'language': 'C++', '%s': '0x%" PRIx64 "'}}", kind,
	     (uint64_t)(uintptr_t)object, key, (uint64_t)function);
	emit("{'args': 'print %s cxx:0x%" PRIx64 "', 'words': ' %s at kinds.cc:'}", kind, (uint64_t)(uintptr_t)object,
	     name);
}

static void emit_keyval(const char *of, int key, uintptr_t copy, uintptr_t del, const void *extra)
{
	emit("{'args': 'print keyval %d', 'is': {'language': 'C++', 'of': '%s', 'copy_function': '0x%" PRIx64
	     "', 'delete_function': '0x%" PRIx64 "', 'extra_state': '0x%" PRIx64 "'}}",
	     key, of, (uint64_t)copy, (uint64_t)del, (uint64_t)(uintptr_t)extra);
}

/* The C handle is what the object converts to. */
#define SAY(kind, type, object, ctype, made_by) emit(kind, type, &(object), BITS((ctype)(object)), made_by)

static int queried(void *, MPI::Status &)
{
	return MPI_SUCCESS;
}
static int freed(void *)
{
	return MPI_SUCCESS;
}
static int cancelled(void *, bool)
{
	return MPI_SUCCESS;
}
static void add(const void *, void *, int, const MPI::Datatype &)
{
}
static void handler(MPI::Comm &, int *, ...)
{
}
static void file_handler(MPI::File &, int *, ...)
{
}
static void win_handler(MPI::Win &, int *, ...)
{
}
static int copy_comm(const MPI::Comm &, int, void *, void *value, void *copy, bool &flag)
{
	*(void **)copy = (char *)value + 1;
	flag = true;
	return MPI_SUCCESS;
}
static int delete_comm(MPI::Comm &, int, void *, void *)
{
	return MPI_SUCCESS;
}
#if defined(OPEN_MPI)
typedef const void *type_value;
#else
typedef void *type_value;
#endif
static int copy_type(const MPI::Datatype &, int, void *, type_value, void *, bool &flag)
{
	flag = false;
	return MPI_SUCCESS;
}
static int delete_type(MPI::Datatype &, int, void *, void *)
{
	return MPI_SUCCESS;
}
static int copy_win(const MPI::Win &, int, void *, void *, void *, bool &flag)
{
	flag = false;
	return MPI_SUCCESS;
}
static int delete_win(MPI::Win &, int, void *, void *)
{
	return MPI_SUCCESS;
}

static void functions(void)
{
	static char memory[8];
	static MPI::Errhandler of_file, of_win;

	of_file = MPI::File::Create_errhandler(file_handler);
	of_win = MPI::Win::Create_errhandler(win_handler);
	SAY("errhandler", "MPI::Errhandler", of_file, MPI_Errhandler, "MPI_File_create_errhandler");
	emit_function("errhandler", &of_file, "function", (uintptr_t)file_handler, "file_handler");
	SAY("errhandler", "MPI::Errhandler", of_win, MPI_Errhandler, "MPI_Win_create_errhandler");
	emit_function("errhandler", &of_win, "function", (uintptr_t)win_handler, "win_handler");

	int comm = MPI::Comm::Create_keyval(copy_comm, delete_comm, memory);
	int type = MPI::Datatype::Create_keyval(copy_type, delete_type, memory + 1);
	int win = MPI::Win::Create_keyval(copy_win, delete_win, memory + 2);
	emit_keyval("comm", comm, (uintptr_t)copy_comm, (uintptr_t)delete_comm, memory);
	emit_keyval("datatype", type, (uintptr_t)copy_type, (uintptr_t)delete_type, memory + 1);
	emit_keyval("win", win, (uintptr_t)copy_win, (uintptr_t)delete_win, memory + 2);

	/* a duplicate has what the program's function made of the attribute */
	static MPI::Intracomm from, to;
	from = MPI::COMM_SELF.Dup();
	from.Set_attr(comm, memory + 3);
	to = from.Dup();
	emit("{'args': 'print comm cxx:0x%" PRIx64 "', 'is': {'attributes': [{'key': %d, 'value': '0x%" PRIx64 "'}]}}",
	     (uint64_t)(uintptr_t)&to, comm, (uint64_t)(uintptr_t)(memory + 4));
	/* when it cannot be asked any more the answer says so */
	MPI::Comm::Free_keyval(comm);
	static MPI::Intracomm last;
	last = to.Dup();
	emit("{'args': 'print comm cxx:0x%" PRIx64 "', 'exit': 3, 'words': 'attributes: 1 '}",
	     (uint64_t)(uintptr_t)&last);
}

int main(int argc, char **argv)
{
	static int in[16], out[16];
	static MPI::Status status;

	MPI::Init(argc, argv);
	int rank = MPI::COMM_WORLD.Get_rank(), other = 1 - rank;
	emit_on = rank == 0;
	TRUST(argc == 2);

	MPI::Intracomm dup = MPI::COMM_WORLD.Dup();
	SAY("comm", "MPI::Intracomm", dup, MPI_Comm, "MPI_Comm_dup");
	SAY("comm", "MPI::Intracomm", MPI::COMM_WORLD, MPI_Comm, NULL);
	bool periods[2] = { false, true };
	int dims[2] = { 2, 1 };
	MPI::Cartcomm cart = MPI::COMM_WORLD.Create_cart(2, dims, periods, false);
	SAY("comm", "MPI::Cartcomm", cart, MPI_Comm, "MPI_Cart_create");
	int index[2] = { 1, 2 }, edges[2] = { 1, 0 };
	MPI::Graphcomm graph = MPI::COMM_WORLD.Create_graph(2, index, edges, false);
	SAY("comm", "MPI::Graphcomm", graph, MPI_Comm, "MPI_Graph_create");
	MPI::Intracomm half = MPI::COMM_WORLD.Split(rank, 0);
	MPI::Intercomm inter = half.Create_intercomm(0, MPI::COMM_WORLD, other, 7);
	SAY("comm", "MPI::Intercomm", inter, MPI_Comm, "MPI_Intercomm_create");
	MPI::Comm &base = cart;
	SAY("comm", "MPI::Comm", base, MPI_Comm, "MPI_Cart_create");

	MPI::Group group = MPI::COMM_WORLD.Get_group();
	SAY("group", "MPI::Group", group, MPI_Group, "MPI_Comm_group");
	MPI::Datatype type = MPI::INT.Create_vector(2, 1, 3);
	type.Commit();
	SAY("datatype", "MPI::Datatype", type, MPI_Datatype, "MPI_Type_vector");
	SAY("datatype", "MPI::Datatype", MPI::DOUBLE, MPI_Datatype, NULL);
	MPI::Op op;
	op.Init(add, true);
	SAY("op", "MPI::Op", op, MPI_Op, "MPI_Op_create");
	emit_function("op", &op, "function", (uintptr_t)add, "add");
	MPI::Errhandler errhandler = MPI::Comm::Create_errhandler(handler);
	SAY("errhandler", "MPI::Errhandler", errhandler, MPI_Errhandler, "MPI_Comm_create_errhandler");
	emit_function("errhandler", &errhandler, "function", (uintptr_t)handler, "handler");
	SAY("errhandler", "MPI::Errhandler", MPI::ERRORS_RETURN, MPI_Errhandler, NULL);
	MPI::Info info = MPI::Info::Create();
	info.Set("colour", "blue");
	SAY("info", "MPI::Info", info, MPI_Info, "MPI_Info_create");
	MPI::File file = MPI::File::Open(MPI::COMM_WORLD, argv[1], MPI::MODE_CREATE | MPI::MODE_RDWR, MPI::INFO_NULL);
	SAY("file", "MPI::File", file, MPI_File, "MPI_File_open");
	void *memory = MPI::Alloc_mem(64, MPI::INFO_NULL);
	MPI::Win win = MPI::Win::Create(memory, 64, 4, MPI::INFO_NULL, MPI::COMM_WORLD);
	SAY("win", "MPI::Win", win, MPI_Win, "MPI_Win_create");

	MPI::Request request = dup.Irecv(in, 4, MPI::INT, MPI::ANY_SOURCE, 11);
	SAY("request", "MPI::Request", request, MPI_Request, "MPI_Irecv");
	MPI::Prequest persistent = dup.Send_init(out, 2, MPI::INT, other, 12);
	SAY("request", "MPI::Prequest", persistent, MPI_Request, "MPI_Send_init");
	MPI::Grequest generalized; /* MPICH's Start is not static */
	generalized = generalized.Start(queried, freed, cancelled, in);
	SAY("request", "MPI::Grequest", generalized, MPI_Request, "MPI_Grequest_start");

	functions();
	if (rank == 0) {
		dup.Recv(in, 8, MPI::INT, MPI::ANY_SOURCE, 31, status);
		emit("{'args': 'print status cxx:0x%" PRIx64 "', 'class': 'MPI::Status', 'at': '0x%" PRIx64
		     "', 'kind': "
		     "'status', 'is': {'source': %d, 'tag': %d, 'bytes': %d}}",
		     (uint64_t)(uintptr_t)&status, (uint64_t)(uintptr_t)&status, status.Get_source(), status.Get_tag(),
		     status.Get_count(MPI::BYTE));
	} else {
		dup.Send(out, 3, MPI::INT, 0, 31);
	}
	emit("{'args': 'print comm cxx:0x10', 'exit': 3, 'words': 'cannot be read'}");
	emit("{'args': 'print comm cxx:0x%" PRIx64 "', 'exit': 1, 'words': 'no communicator is'}",
	     (uint64_t)(uintptr_t)in);
	emit_ready();
}
