/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes objects of every kind and says what they are (facts.h), from what it did itself and from what MPI answers: the
 * byte displacements of datatypes are found with MPI_Pack.
 */
#include "facts.h"

/* ---- communicators ----------------------------------------------------------------------------------- */

static void emit_comm(MPI_Comm comm, const char *made_by)
{
	int n, r, inter;
	MPI_Group group;

	MPI_Comm_size(comm, &n);
	MPI_Comm_rank(comm, &r);
	MPI_Comm_test_inter(comm, &inter);
	FACT("comm", comm, "size", "%d", n);
	FACT("comm", comm, "rank", "%d", r);
	FACT("comm", comm, "state", "\"live\"");
	if (made_by)
		FACT("comm", comm, "made_by", "\"%s\"", made_by);
	MPI_Comm_group(comm, &group);
	emit_members("fact comm", BITS(comm), "members", group);
	if (!inter)
		return;
	MPI_Comm_remote_size(comm, &n);
	FACT("comm", comm, "remote_size", "%d", n);
	MPI_Comm_remote_group(comm, &group);
	emit_members("fact comm", BITS(comm), "remote_members", group);
}

static MPI_Comm comm_dup;

static void comms(void)
{
	MPI_Comm c, half, inter;
	int dims[2] = { 2, 1 }, periods[2] = { 0, 1 }, coords[2], index[2] = { 1, 2 }, edges[2] = { 1, 0 };
	int key, value = 7, other = 1 - facts_rank;

	emit_comm(MPI_COMM_WORLD, NULL);
	FACT("comm", MPI_COMM_WORLD, "name", "\"MPI_COMM_WORLD\"");
	FACT("comm", MPI_COMM_WORLD, "predefined", "true");
	FACT("comm", MPI_COMM_WORLD, "fortran", "%d", (int)MPI_Comm_c2f(MPI_COMM_WORLD));
	emit_comm(MPI_COMM_SELF, NULL);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm_dup);
	MPI_Comm_set_name(comm_dup, "a \"quoted\" name");
	emit_comm(comm_dup, "MPI_Comm_dup");
	FACT("comm", comm_dup, "name", "\"a \\\"quoted\\\" name\"");
	FACT("comm", comm_dup, "parent_name", "\"MPI_COMM_WORLD\"");
	FACT("comm", comm_dup, "errhandler_name", "\"MPI_ERRORS_RETURN\"");
	MPI_Comm_set_errhandler(comm_dup, MPI_ERRORS_RETURN);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(comm_dup, key, &value);
	FACT("comm", comm_dup, "attributes", "[{\"key\": %d, \"value\": \"0x%" PRIx64 "\"}]", key,
	     (uint64_t)(uintptr_t)&value);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &c);
	emit_comm(c, "MPI_Cart_create");
	MPI_Cart_get(c, 2, dims, periods, coords);
	FACT("comm", c, "topology", "\"cart\"");
	FACT("comm", c, "dims", "[%d,%d]", dims[0], dims[1]);
	FACT("comm", c, "periods", "[%d,%d]", periods[0], periods[1]);
	FACT("comm", c, "coords", "[%d,%d]", coords[0], coords[1]);
	MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &c);
	emit_comm(c, "MPI_Graph_create");
	FACT("comm", c, "topology", "\"graph\"");
	FACT("comm", c, "index", "[1,2]");
	FACT("comm", c, "edges", "[1,0]");
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, &value, 1, &other, &value, MPI_INFO_NULL, 0, &c);
	emit_comm(c, "MPI_Dist_graph_create_adjacent");
	FACT("comm", c, "topology", "\"dist_graph\"");
	FACT("comm", c, "in", "[%d]", other);
	FACT("comm", c, "out_weights", "[7]");
	MPI_Comm_split(MPI_COMM_WORLD, facts_rank, 0, &half);
	emit_comm(half, "MPI_Comm_split");
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - facts_rank, 99, &inter);
	emit_comm(inter, "MPI_Intercomm_create");

	MPI_Comm freed;
	MPI_Comm_dup(half, &freed);
	uint64_t bits = BITS(freed);
	MPI_Comm_free(&freed);
	PAST("comm", bits, "made_by", "\"MPI_Comm_dup\"");
	static MPI_Comm variable;
	variable = comm_dup;
	emit("print comm @0x%" PRIx64 " handle \"0x%" PRIx64 "\"", (uint64_t)(uintptr_t)&variable, BITS(comm_dup));
}

/* ---- datatypes --------------------------------------------------------------------------------------- */

/* Pack a buffer that contains its own displacements: first their low bytes, then their high bytes. */
static void emit_bytes(MPI_Datatype type)
{
	enum { ROOM = 65536, BEFORE = 1024 };
	static unsigned char low[ROOM], high[ROOM], packed[2][ROOM];
	int size, at, at2;

	for (int i = 0; i < ROOM; i++) {
		low[i] = (unsigned char)i;
		high[i] = (unsigned char)(i >> 8);
	}
	at = at2 = 0;
	MPI_Type_size(type, &size);
	MPI_Pack(low + BEFORE, 1, type, packed[0], ROOM, &at, MPI_COMM_SELF);
	MPI_Pack(high + BEFORE, 1, type, packed[1], ROOM, &at2, MPI_COMM_SELF);
	TRUST(at == size && at2 == size);
	if (facts_rank)
		return;
	printf("bytes datatype 0x%" PRIx64 " [", BITS(type));
	for (int i = 0; i < size; i++)
		printf("%s%d", i ? "," : "", (packed[0][i] | packed[1][i] << 8) - BEFORE);
	puts("]");
}

/* MPICH 3.4.1 lays out the elements of two of the darrays below otherwise than MPICH 4 and Open MPI. */
static bool is_laid_out_otherwise(const char *made_by)
{
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40000000
	return !strcmp(made_by, "MPI_Type_create_darray");
#else
	(void)made_by;
	return false;
#endif
}

static void emit_type(MPI_Datatype type, const char *made_by)
{
	MPI_Aint lb, extent, true_lb, true_extent;
	int size;

	MPI_Type_commit(&type);
	MPI_Type_size(type, &size);
	MPI_Type_get_extent(type, &lb, &extent);
	MPI_Type_get_true_extent(type, &true_lb, &true_extent);
	FACT("datatype", type, "made_by", "\"%s\"", made_by);
	FACT("datatype", type, "committed", "true");
	FACT("datatype", type, "size", "%d", size);
	FACT("datatype", type, "lower_bound", "%ld", (long)lb);
	FACT("datatype", type, "extent", "%ld", (long)extent);
	FACT("datatype", type, "true_lower_bound", "%ld", (long)true_lb);
	FACT("datatype", type, "true_extent", "%ld", (long)true_extent);
	if (!is_laid_out_otherwise(made_by))
		emit_bytes(type);
}

static void datatypes(void)
{
	int lengths[3] = { 2, 0, 3 }, displs[3] = { 5, 0, 1 }, sizes[3] = { 4, 3, 5 }, subs[3] = { 2, 2, 3 };
	int starts[3] = { 1, 0, 2 }, gsizes[3] = { 7, 4, 5 }, dargs[3] = { 2, MPI_DISTRIBUTE_DFLT_DARG, 3 };
	int distribs[3] = { MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK }, psizes[3] = { 2, 1, 2 };
	MPI_Aint addrs[3] = { 40, 9, 3 };
	MPI_Datatype t, pair, holes, types[3] = { MPI_DOUBLE, MPI_INT, MPI_CHAR };

	MPI_Type_contiguous(5, MPI_SHORT, &t);
	emit_type(t, "MPI_Type_contiguous");
	FACT("datatype", t, "combiner", "\"contiguous\"");
	MPI_Type_vector(3, 2, 4, MPI_INT, &t);
	emit_type(t, "MPI_Type_vector");
	FACT("datatype", t, "integers", "[3,2,4]");
	MPI_Type_create_hvector(3, 2, 19, MPI_INT, &t);
	emit_type(t, "MPI_Type_create_hvector");
	MPI_Type_indexed(3, lengths, displs, MPI_DOUBLE, &t);
	emit_type(t, "MPI_Type_indexed");
	FACT("datatype", t, "integers", "[3,2,0,3,5,0,1]");
	MPI_Type_create_hindexed(3, lengths, addrs, MPI_CHAR, &t);
	emit_type(t, "MPI_Type_create_hindexed");
	FACT("datatype", t, "addresses", "[40,9,3]");
	MPI_Type_create_indexed_block(3, 2, displs, MPI_INT, &t);
	emit_type(t, "MPI_Type_create_indexed_block");
	MPI_Type_create_hindexed_block(3, 2, addrs, MPI_CHAR, &t);
	emit_type(t, "MPI_Type_create_hindexed_block");
	MPI_Type_create_struct(3, lengths, addrs, types, &holes);
	MPI_Type_set_name(holes, "with holes");
	emit_type(holes, "MPI_Type_create_struct");
	FACT("datatype", holes, "name", "\"with holes\"");
	MPI_Type_create_resized(holes, -4, 100, &pair);
	emit_type(pair, "MPI_Type_create_resized");
	MPI_Type_dup(pair, &t);
	emit_type(t, "MPI_Type_dup");
	MPI_Type_vector(2, 2, 3, pair, &t);
	emit_type(t, "MPI_Type_vector");
	MPI_Type_create_subarray(3, sizes, subs, starts, MPI_ORDER_C, MPI_INT, &t);
	emit_type(t, "MPI_Type_create_subarray");
	FACT("datatype", t, "combiner", "\"subarray\"");
	MPI_Type_create_subarray(3, sizes, subs, starts, MPI_ORDER_FORTRAN, MPI_INT, &t);
	emit_type(t, "MPI_Type_create_subarray");
	for (int p = 0; p < 4; p++) {
		MPI_Type_create_darray(4, p, 3, gsizes, distribs, dargs, psizes,
				       p & 1 ? MPI_ORDER_C : MPI_ORDER_FORTRAN, MPI_SHORT, &t);
		emit_type(t, "MPI_Type_create_darray");
	}
	/* its parts are freed: they stay known as long as it lives */
	MPI_Type_contiguous(3, MPI_INT, &pair);
	MPI_Type_vector(2, 1, 2, pair, &t);
	MPI_Type_free(&pair);
	MPI_Type_contiguous(2, MPI_CHAR, &pair);
	emit_type(t, "MPI_Type_vector");
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)n, (void)type;
}

static void handler(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
}

static MPI_Status status, empty, from_nobody;

/* An empty status, and that of a receive from MPI_PROC_NULL: no numbers of the MPI's own. */
static void statuses(void)
{
	uint64_t at_empty = (uint64_t)(uintptr_t)&empty, at_nobody = (uint64_t)(uintptr_t)&from_nobody;
	MPI_Request request = MPI_REQUEST_NULL;
	int buffer;

	MPI_Wait(&request, &empty);
	TRUST(empty.MPI_SOURCE == MPI_ANY_SOURCE && empty.MPI_TAG == MPI_ANY_TAG);
	emit("print status 0x%" PRIx64 " source null", at_empty);
	emit("print status 0x%" PRIx64 " source_why \"any\"", at_empty);
	emit("print status 0x%" PRIx64 " tag null", at_empty);
	emit("print status 0x%" PRIx64 " tag_why \"any\"", at_empty);
	emit("print status 0x%" PRIx64 " bytes 0", at_empty);
	MPI_Recv(&buffer, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &from_nobody);
	TRUST(from_nobody.MPI_SOURCE == MPI_PROC_NULL && from_nobody.MPI_TAG == MPI_ANY_TAG);
	emit("print status 0x%" PRIx64 " source -2", at_nobody);
	emit("print status 0x%" PRIx64 " tag_why \"any\"", at_nobody);
}

static void others(const char *path)
{
	MPI_Group world, group;
	MPI_Errhandler eh;
	MPI_Op op;
	MPI_Info info;
	MPI_File file;
	MPI_Win win;
	MPI_Message message;
	MPI_Status probed;
	MPI_Request request;
	static int buffer[8];
	int one = 1, mode = MPI_MODE_CREATE | MPI_MODE_RDWR, *base;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &one, &group);
	FACT("group", group, "made_by", "\"MPI_Group_incl\"");
	FACT("group", group, "size", "1");
	FACT("group", group, "members", "[1]");
	FACT("group", world, "members", "[0,1]");
	MPI_Comm_create_errhandler(handler, &eh);
	FACT("errhandler", eh, "function", "\"0x%" PRIx64 "\"", (uint64_t)(uintptr_t)handler);
	FACT("errhandler", eh, "of", "\"comm\"");
	MPI_Comm_set_errhandler(MPI_COMM_SELF, eh);
	FACT("errhandler", eh, "communicators", "[\"0x%" PRIx64 "\"]", BITS(MPI_COMM_SELF));
	MPI_Op_create(add, 0, &op);
	FACT("op", op, "function", "\"0x%" PRIx64 "\"", (uint64_t)(uintptr_t)add);
	FACT("op", op, "commutative", "false");
	FACT("op", MPI_SUM, "name", "\"MPI_SUM\"");
	MPI_Info_create(&info);
	MPI_Info_set(info, "colour", "blue");
	MPI_Info_set(info, "to go", "x");
	MPI_Info_delete(info, "to go");
	FACT("info", info, "pairs", "[{\"key\": \"colour\", \"value\": \"blue\"}]");
	MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file);
	MPI_File_set_view(file, 16, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	FACT("file", file, "path", "\"%s\"", path);
	FACT("file", file, "mode", "\"MPI_MODE_CREATE|MPI_MODE_RDWR\"");
	FACT("file", file, "comm_name", "\"MPI_COMM_WORLD\"");
	FACT("file", file, "displacement", "16");
	FACT("file", file, "etype_name", "\"MPI_INT\"");
	FACT("file", file, "representation", "\"native\"");
	MPI_Win_allocate(400, 4, MPI_INFO_NULL, comm_dup, &base, &win);
	FACT("win", win, "base", "\"0x%" PRIx64 "\"", (uint64_t)(uintptr_t)base);
	FACT("win", win, "size", "400");
	FACT("win", win, "displacement_unit", "4");
	FACT("win", win, "flavor", "\"allocate\"");
	FACT("win", win, "comm", "\"0x%" PRIx64 "\"", BITS(comm_dup));
	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
	FACT("win", win, "last_synchronization", "\"MPI_Win_lock\"");
	FACT("win", win, "locks", "[0,1]");
	FACT("win", win, "fence_open", "false");
	FACT("comm", comm_dup, "windows", "[\"0x%" PRIx64 "\"]", BITS(win));

	if (facts_rank) {
		MPI_Send(buffer, 3, MPI_INT, 0, 5, comm_dup);
		MPI_Send(buffer, 2, MPI_INT, 0, 6, comm_dup);
		return;
	}
	MPI_Recv(buffer, 8, MPI_INT, MPI_ANY_SOURCE, 5, comm_dup, &status);
	emit("print status 0x%" PRIx64 " source %d", (uint64_t)(uintptr_t)&status, status.MPI_SOURCE);
	emit("print status 0x%" PRIx64 " tag %d", (uint64_t)(uintptr_t)&status, status.MPI_TAG);
	emit("print status 0x%" PRIx64 " bytes 12", (uint64_t)(uintptr_t)&status);
	statuses();
	MPI_Mprobe(1, 6, comm_dup, &message, &probed);
	FACT("message", message, "source", "1");
	FACT("message", message, "tag", "6");
	FACT("message", message, "bytes", "8");
	MPI_Irecv(buffer, 4, MPI_INT, MPI_ANY_SOURCE, 41, comm_dup, &request);
	FACT("request", request, "made_by", "\"MPI_Irecv\"");
	FACT("request", request, "peer_why", "\"any\"");
	FACT("request", request, "tag", "41");
	FACT("request", request, "count", "4");
	FACT("request", request, "datatype_name", "\"MPI_INT\"");
	FACT("request", request, "buffer", "\"0x%" PRIx64 "\"", (uint64_t)(uintptr_t)buffer);
	FACT("request", request, "comm", "\"0x%" PRIx64 "\"", BITS(comm_dup));
	FACT("comm", comm_dup, "requests", "[\"0x%" PRIx64 "\"]", BITS(request));
}

int main(int argc, char **argv)
{
	int buffer[2];

	TRUST(argc == 2);
	facts_init(&argc, &argv);
	comms();
	datatypes();
	others(argv[1]);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(comm_dup);
	emit("call function \"MPI_Recv\"");
	emit("call comm \"0x%" PRIx64 "\"", BITS(comm_dup));
	emit("call peer 1");
	emit("call tag 77");
	emit("call count 2");
	emit("call datatype_name \"MPI_INT\"");
	emit("call buffer \"0x%" PRIx64 "\"", (uint64_t)(uintptr_t)buffer);
	emit_ready();
	MPI_Recv(buffer, 2, MPI_INT, 1, 77, comm_dup, MPI_STATUS_IGNORE);
	return 0;
}
