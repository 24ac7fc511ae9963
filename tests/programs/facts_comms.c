/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators and groups of every origin; on 3 ranks. Rank 0 ends in MPI_Recv. */
#include "facts.h"

#include <limits.h>

static MPI_Comm named, copied, cart, busy;
static MPI_Group incl;
static int *volatile unweighted; /* MPI_UNWEIGHTED, which compilers take for an array without elements */

static void emit_comm(MPI_Comm comm, const char *made_by, MPI_Comm parent)
{
	int n, r, inter, topology, length;
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Group group;
	MPI_Errhandler errhandler;

	MPI_Comm_size(comm, &n);
	MPI_Comm_rank(comm, &r);
	MPI_Comm_test_inter(comm, &inter);
	MPI_Comm_get_name(comm, name, &length);
	FACT("comm", comm, "name", "\"%s\"", name);
	FACT("comm", comm, "size", "%d", n);
	FACT("comm", comm, "rank", "%d", r);
	FACT("comm", comm, "world_rank", "%d", facts_rank);
	FACT("comm", comm, "type", inter ? "\"inter\"" : "\"intra\"");
	FACT("comm", comm, "state", "\"live\"");
	FACT("comm", comm, "object_freed", "false");
	FACT("comm", comm, "predefined", made_by ? "false" : "true");
	FACT("comm", comm, "fortran", "%d", (int)MPI_Comm_c2f(comm));
	if (made_by)
		FACT("comm", comm, "made_by", "\"%s\"", made_by);
	if (parent != MPI_COMM_NULL) {
		MPI_Comm_get_name(parent, name, &length);
		FACT("comm", comm, "parent_name", "\"%s\"", name);
	}
	MPI_Comm_get_errhandler(comm, &errhandler);
	FACT("comm", comm, "errhandler", "\"0x%" PRIx64 "\"", BITS(errhandler));
	MPI_Errhandler_free(&errhandler);
	MPI_Comm_group(comm, &group);
	emit_members("fact comm", BITS(comm), "members", group);
	if (inter) {
		MPI_Comm_remote_size(comm, &n);
		FACT("comm", comm, "remote_size", "%d", n);
		MPI_Comm_remote_group(comm, &group);
		emit_members("fact comm", BITS(comm), "remote_members", group);
		LACKS("comm", comm, "topology");
		return;
	}
	LACKS("comm", comm, "remote_size");
	LACKS("comm", comm, "remote_members");
	MPI_Topo_test(comm, &topology);
	if (topology == MPI_UNDEFINED)
		LACKS("comm", comm, "topology");
}

static void emit_cart(MPI_Comm comm, const char *made_by, MPI_Comm parent)
{
	int n, dims[8], periods[8], coords[8];

	emit_comm(comm, made_by, parent);
	MPI_Cartdim_get(comm, &n);
	MPI_Cart_get(comm, n, dims, periods, coords);
	FACT("comm", comm, "topology", "\"cart\"");
	emit_ints("fact comm", BITS(comm), "dims", dims, n);
	emit_ints("fact comm", BITS(comm), "periods", periods, n);
	emit_ints("fact comm", BITS(comm), "coords", coords, n);
}

static void emit_graph(MPI_Comm comm)
{
	int n_nodes, n_edges, index[8], edges[16];

	emit_comm(comm, "MPI_Graph_create", named);
	MPI_Graphdims_get(comm, &n_nodes, &n_edges);
	MPI_Graph_get(comm, n_nodes, n_edges, index, edges);
	FACT("comm", comm, "topology", "\"graph\"");
	emit_ints("fact comm", BITS(comm), "index", index, n_nodes);
	emit_ints("fact comm", BITS(comm), "edges", edges, n_edges);
}

static void emit_neighbours(MPI_Comm comm, const char *made_by)
{
	int n_in, n_out, weighted, in[8], out[8], in_weights[8], out_weights[8];

	emit_comm(comm, made_by, MPI_COMM_WORLD);
	MPI_Dist_graph_neighbors_count(comm, &n_in, &n_out, &weighted);
	MPI_Dist_graph_neighbors(comm, n_in, in, in_weights, n_out, out, out_weights);
	FACT("comm", comm, "topology", "\"dist_graph\"");
	emit_ints("fact comm", BITS(comm), "in", in, n_in);
	emit_ints("fact comm", BITS(comm), "out", out, n_out);
	if (weighted) {
		emit_ints("fact comm", BITS(comm), "in_weights", in_weights, n_in);
		emit_ints("fact comm", BITS(comm), "out_weights", out_weights, n_out);
	} else {
		LACKS("comm", comm, "in_weights");
		LACKS("comm", comm, "out_weights");
	}
}

/* All of a long list are copied. */
static void many_attributes(void)
{
	enum { MANY = 70 };
	static int values[MANY];
	MPI_Comm from, to;
	int keys[MANY];

	MPI_Comm_dup(MPI_COMM_SELF, &from);
	for (int i = 0; i < MANY; i++) {
		MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[i], NULL);
		MPI_Comm_set_attr(from, keys[i], &values[i]);
	}
	MPI_Comm_dup(from, &to);
	for (int i = 0; i < MANY; i++)
		HAS("comm", to, "attributes", "{\"key\": %d, \"value\": \"0x%" PRIx64 "\"}", keys[i],
		    (uint64_t)(uintptr_t)&values[i]);
}

static void intra(void)
{
	static int value = 7;
	MPI_Comm c;
	MPI_Request request;
	MPI_Info info;
	int key;

	emit_comm(MPI_COMM_WORLD, NULL, MPI_COMM_NULL);
	/* a name that resembles a predefined object is only a name */
	MPI_Comm_set_name(MPI_COMM_SELF, "not_NULL");
	emit_comm(MPI_COMM_SELF, NULL, MPI_COMM_NULL);
	emit("print comm MPI_COMM_WORLD handle \"0x%" PRIx64 "\"", BITS(MPI_COMM_WORLD));
	emit("print comm MPI_COMM_NULL predefined true");
	emit("print comm MPI_COMM_NULL type null");
	emit("print comm MPI_COMM_NULL rank null");
	emit("print comm MPI_COMM_NULL world_rank null");
	emit("print comm MPI_COMM_NULL size null");
	emit("print MPI_Comm MPI_COMM_NULL name \"MPI_COMM_NULL\"");
	MPI_Comm_dup(MPI_COMM_WORLD, &named);
	MPI_Comm_set_name(named, "the first");
	MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(named, key, &value);
	MPI_Comm_set_errhandler(named, MPI_ERRORS_RETURN);
	emit_comm(named, "MPI_Comm_dup", MPI_COMM_WORLD);
	PRINTS("comm", &named, MPI_Comm_c2f(named));
	HAS("comm", named, "attributes", "{\"key\": %d, \"value\": \"0x%" PRIx64 "\"}", key,
	    (uint64_t)(uintptr_t)&value);
	/* the copy function copies the attribute to the duplicate; the name is not copied */
	MPI_Comm_dup(named, &copied);
	emit_comm(copied, "MPI_Comm_dup", named);
	FACT("comm", copied, "errhandler_name", "\"MPI_ERRORS_RETURN\"");
	HAS("comm", copied, "attributes", "{\"key\": %d, \"value\": \"0x%" PRIx64 "\"}", key,
	    (uint64_t)(uintptr_t)&value);
	MPI_Comm_dup(named, &c);
	MPI_Comm_delete_attr(c, key);
	FACT("comm", c, "attributes", "[]");
	many_attributes();
	MPI_Info_create(&info);
	MPI_Info_set(info, "a key", "a value");
	MPI_Comm_dup_with_info(named, info, &c);
	emit_comm(c, "MPI_Comm_dup_with_info", named);
	FACT("comm", c, "info", "\"0x%" PRIx64 "\"", BITS(info));
	FACT("comm", c, "hints", "[{\"key\": \"a key\", \"value\": \"a value\"}]");
	FACT("info", info, "communicators", "[\"0x%" PRIx64 "\"]", BITS(c));
	MPI_Comm_idup(named, &c, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	emit_comm(c, "MPI_Comm_idup", named);
	MPI_Comm_split(named, facts_rank != 1, -facts_rank, &c);
	emit_comm(c, "MPI_Comm_split", named);
	FACT("comm", c, "color", "%d", facts_rank != 1);
	FACT("comm", c, "key", "%d", -facts_rank);
	MPI_Comm_split(named, INT_MAX, INT_MIN, &c);
	emit_comm(c, "MPI_Comm_split", named);
	FACT("comm", c, "color", "%d", INT_MAX);
	FACT("comm", c, "key", "%d", INT_MIN);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, facts_rank, MPI_INFO_NULL, &c);
	emit_comm(c, "MPI_Comm_split_type", MPI_COMM_WORLD);
	LACKS("comm", c, "color");
	LACKS("comm", c, "key");
}

/* Lists of a topology that are empty: rank 0 sends to the others, and nobody to it. */
static void no_neighbours(void)
{
	int sources[] = { 0 }, targets[] = { 1, 2 }, n = facts_rank ? 0 : 2, index[] = { 0, 0, 0 }, none = 0;
	MPI_Comm c;

	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, !!facts_rank, sources, unweighted, n, targets, unweighted,
				       MPI_INFO_NULL, 0, &c);
	emit_neighbours(c, "MPI_Dist_graph_create_adjacent");
	FACT("comm", c, "in", "[]");
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, !!facts_rank, sources, targets, n, targets, targets,
				       MPI_INFO_NULL, 0, &c);
	emit_neighbours(c, "MPI_Dist_graph_create_adjacent");
	MPI_Graph_create(named, 3, index, &none, 0, &c);
	FACT("comm", c, "index", "[0,0,0]");
	FACT("comm", c, "edges", "[]");
	MPI_Cart_create(MPI_COMM_WORLD, 0, &none, &none, 0, &c);
	if (c != MPI_COMM_NULL)
		emit_cart(c, "MPI_Cart_create", MPI_COMM_WORLD);
}

static void with_freed_info(void)
{
	MPI_Info info, new_info;
	MPI_Comm c;

	MPI_Info_create(&info);
	MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &c);
	MPI_Info_free(&info);
	MPI_Info_create(&new_info);
	FACT("comm", c, "info", "null");
	FACT("comm", c, "info_why", "\"freed by the application\"");
	FACT("info", new_info, "communicators", "[]");
}

static void topologies(void)
{
	int index[] = { 2, 3, 4 }, edges[] = { 1, 2, 0, 0 }, right = (facts_rank + 1) % 3, left = (facts_rank + 2) % 3;
	int weights[] = { 10 + facts_rank, 20 }, targets[] = { right, left }, degree = 2, keep[] = { 1, 0 };
	MPI_Comm c;

	MPI_Cart_create(named, 2, (int[]){ 3, 1 }, (int[]){ 1, 0 }, 0, &cart);
	emit_cart(cart, "MPI_Cart_create", named);
	MPI_Cart_sub(cart, keep, &c);
	emit_cart(c, "MPI_Cart_sub", MPI_COMM_NULL);
	MPI_Comm_dup(cart, &c);
	emit_cart(c, "MPI_Comm_dup", MPI_COMM_NULL);
	MPI_Graph_create(named, 3, index, edges, 0, &c);
	emit_graph(c);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weights[1], 1, &right, weights, MPI_INFO_NULL, 0, &c);
	emit_neighbours(c, "MPI_Dist_graph_create_adjacent");
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, targets, unweighted, 1, &right, unweighted, MPI_INFO_NULL, 0,
				       &c);
	emit_neighbours(c, "MPI_Dist_graph_create_adjacent");
	MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &facts_rank, &degree, targets, weights, MPI_INFO_NULL, 0, &c);
	emit_neighbours(c, "MPI_Dist_graph_create");
	no_neighbours();
}

static void inter(void)
{
	MPI_Comm half, c, merged;
	int high = facts_rank != 0;

	MPI_Comm_split(MPI_COMM_WORLD, high, 0, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, high ? 0 : 1, 99, &c);
	MPI_Comm_set_name(c, "between");
	emit_comm(c, "MPI_Intercomm_create", MPI_COMM_NULL);
	MPI_Intercomm_merge(c, !high, &merged);
	emit_comm(merged, "MPI_Intercomm_merge", c);
	MPI_Comm_dup(c, &merged);
	emit_comm(merged, "MPI_Comm_dup", c);
}

/* ---- groups ------------------------------------------------------------------------------------------- */

static void emit_group(MPI_Group group, const char *made_by)
{
	MPI_Group copy;
	int n, r;

	MPI_Group_size(group, &n);
	MPI_Group_rank(group, &r);
	FACT("group", group, "size", "%d", n);
	FACT("group", group, "fortran", "%d", (int)MPI_Group_c2f(group));
	FACT("group", group, "state", "\"live\"");
	FACT("group", group, "object_freed", "false");
	if (r == MPI_UNDEFINED)
		LACKS("group", group, "rank");
	else
		FACT("group", group, "rank", "%d", r);
	if (made_by)
		FACT("group", group, "made_by", "\"%s\"", made_by);
	FACT("group", group, "predefined", made_by ? "false" : "true");
	if (!n)
		return;
	/* what is translated is a copy that is freed: the group itself stays as it is */
	MPI_Group_union(group, MPI_GROUP_EMPTY, &copy);
	emit_members("fact group", BITS(group), "members", copy);
}

static void groups(void)
{
	int two[] = { 2, 0 }, one = 1, ranges[1][3] = { { 2, 0, -2 } };
	MPI_Group world, again, g, other;
	MPI_Comm made;
	uint64_t bits;

	MPI_Comm_group(named, &world);
	emit_group(world, "MPI_Comm_group");
	FACT("comm", named, "group", "\"0x%" PRIx64 "\"", BITS(world));
	HAS("group", world, "communicators", "\"0x%" PRIx64 "\"", BITS(named));
	MPI_Comm_group(copied, &again);
	bits = BITS(again);
	MPI_Group_free(&again);
	if (bits != BITS(world))
		FACT("comm", copied, "group_why", "\"the program has freed the handle that it was given\"");
	FACT("comm", MPI_COMM_SELF, "group_why", "\"the program has freed the handle that it was given\"");
	MPI_Group_incl(world, 2, two, &incl);
	emit_group(incl, "MPI_Group_incl");
	PRINTS("group", &incl, MPI_Group_c2f(incl));
	MPI_Group_excl(world, 1, &one, &g);
	emit_group(g, "MPI_Group_excl");
	MPI_Group_range_incl(world, 1, ranges, &g);
	emit_group(g, "MPI_Group_range_incl");
	MPI_Group_range_excl(world, 1, ranges, &other);
	emit_group(other, "MPI_Group_range_excl"); /* rank 1 alone: we are no member */
	MPI_Group_union(other, incl, &g);
	emit_group(g, "MPI_Group_union");
	MPI_Group_intersection(g, incl, &g);
	emit_group(g, "MPI_Group_intersection");
	MPI_Group_difference(world, other, &g);
	emit_group(g, "MPI_Group_difference");
	emit_group(MPI_GROUP_EMPTY, NULL);
	emit("print group MPI_GROUP_EMPTY size 0");
	emit("print group MPI_GROUP_NULL name \"MPI_GROUP_NULL\"");
	FACT("group", MPI_GROUP_EMPTY, "name", "\"MPI_GROUP_EMPTY\"");
	MPI_Group_incl(world, 1, &one, &again);
	bits = BITS(again);
	MPI_Group_free(&again);
	PAST("group", bits, "made_by", "\"MPI_Group_incl\"");
	PAST("group", bits, "state", "\"freed\"");
	PAST("group", bits, "object_freed", "null");
	PAST("group", bits, "members", "[1]");
	MPI_Comm_create(named, incl, &made);
	if (made != MPI_COMM_NULL) {
		HAS("group", incl, "communicators", "\"0x%" PRIx64 "\"", BITS(made));
		emit_ints("fact comm", BITS(made), "members", two, 2);
		MPI_Comm_create_group(named, incl, 5, &made);
		FACT("comm", made, "made_by", "\"MPI_Comm_create_group\"");
		emit_ints("fact comm", BITS(made), "members", two, 2);
		HAS("group", incl, "communicators", "\"0x%" PRIx64 "\"", BITS(made));
		emit_comm(made, "MPI_Comm_create_group", named);
	}
}

/* ---- freed -------------------------------------------------------------------------------------------- */

static void freed(void)
{
	static int buffer;
	MPI_Comm c, copy, waiting;
	MPI_Request request;

	MPI_Comm_dup(MPI_COMM_SELF, &c);
	MPI_Comm_set_name(c, "earlier");
	copy = c;
	MPI_Comm_free(&c);
	MPI_Comm_dup(MPI_COMM_SELF, &c);
	PAST("comm", BITS(copy), "name", "\"earlier\"");
	if (c == copy) {
		PAST("comm", BITS(copy), "state", "\"earlier\"");
		PAST("comm", BITS(copy), "object_freed", "true");
		emit("print comm 0x%" PRIx64 " state \"live\"", BITS(copy));
		FACT("comm", c, "generation", "1");
	} else {
		PAST("comm", BITS(copy), "state", "\"freed\"");
	}
	/* nothing is created after this, so that its handle value is not reused, which MPICH does immediately */
	MPI_Comm_dup(named, &waiting);
	MPI_Comm_set_name(waiting, "waiting");
	MPI_Irecv(&buffer, 1, MPI_INT, 1, 3, waiting, &request);
	copy = waiting;
	MPI_Comm_free(&waiting);
	/* the receive is active: the library cannot have released the object, but nothing in memory says so */
	PAST("comm", BITS(copy), "name", "\"waiting\"");
	PAST("comm", BITS(copy), "state", "\"freed\"");
	PAST("comm", BITS(copy), "object_freed", "null");
	PAST("comm", BITS(copy), "requests", "[\"0x%" PRIx64 "\"]", BITS(request));
	emit("print comm 0x%" PRIx64 " state \"freed\"", BITS(copy));
}

/* As long as the MPI allows: 127 with MPICH, 63 with Open MPI. */
static void longest_name(void)
{
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Comm c;

	memset(name, 'n', sizeof(name));
	memcpy(name, "begins", 6);
	memcpy(name + sizeof(name) - 5, "ends", 5);
	MPI_Comm_dup(MPI_COMM_SELF, &c);
	MPI_Comm_set_name(c, name);
	FACT("comm", c, "name", "\"%s\"", name);
}

/* The library's predefined attributes, as it returns them. A new error class changes one of them. */
static void predefined_attributes(void)
{
	static const struct {
		int key;
		const char *name;
	} keys[] = {
		{ MPI_TAG_UB, "MPI_TAG_UB" },
		{ MPI_HOST, "MPI_HOST" },
		{ MPI_IO, "MPI_IO" },
		{ MPI_WTIME_IS_GLOBAL, "MPI_WTIME_IS_GLOBAL" },
		{ MPI_UNIVERSE_SIZE, "MPI_UNIVERSE_SIZE" },
		{ MPI_LASTUSEDCODE, "MPI_LASTUSEDCODE" },
		{ MPI_APPNUM, "MPI_APPNUM" },
	};
	unsigned n = 0;
	int class, code;

	TRUST(MPI_Add_error_class(&class) == MPI_SUCCESS && MPI_Add_error_code(class, &code) == MPI_SUCCESS);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		int flag, *value;

		MPI_Comm_get_attr(MPI_COMM_WORLD, keys[i].key, &value, &flag);
		if (!flag)
			continue;
		n++;
		HAS("comm", MPI_COMM_WORLD, "attributes",
		    "{\"key\": %d, \"key_name\": \"%s\", \"value\": \"0x%" PRIx64 "\", \"integer\": %d}", keys[i].key,
		    keys[i].name, (uint64_t)(int64_t)*value, *value);
	}
	TRUST(n >= 5);
}

int main(int argc, char **argv)
{
	int buffer[4];

	facts_init(&argc, &argv);
	TRUST(facts_size == 3);
	unweighted = MPI_UNWEIGHTED;
	intra();
	with_freed_info();
	topologies();
	inter();
	groups();
	longest_name();
	predefined_attributes();
	MPI_Comm_dup(MPI_COMM_WORLD, &busy);
	MPI_Comm_set_name(busy, "busy");
	freed();
	FACT("comm", busy, "calls", "[{\"thread\": %d, \"function\": \"MPI_Recv\"}]", (int)getpid());
	FACT("comm", named, "calls", "[]");
	FACT("datatype", MPI_DOUBLE, "calls", "[{\"thread\": %d, \"function\": \"MPI_Recv\"}]", (int)getpid());
	emit("call function \"MPI_Recv\"");
	emit("call comm_name \"busy\"");
	emit("call caller_place \"main at facts_comms.c:%d\"", __LINE__ + 2);
	emit_ready();
	MPI_Recv(buffer, 1, MPI_DOUBLE, 2, 4, busy, MPI_STATUS_IGNORE);
	return 1;
}
