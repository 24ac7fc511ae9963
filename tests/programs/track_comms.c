/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators of every kind, on 4 ranks, each compared with
 * its record. Who the members are the processes tell each other.
 */
#include "track_object.h"

static int rank, size;

/* World ranks of the local group: everybody says his. */
static void local_members(MPI_Comm comm, int ranks[])
{
	MPI_Comm local = comm;
	int inter;

	MPI_Comm_test_inter(comm, &inter);
	if (inter)
		MPI_Intercomm_merge(comm, 0, &local);
	MPI_Allgather(&rank, 1, MPI_INT, ranks, 1, MPI_INT, local);
	if (inter)
		MPI_Comm_free(&local);
}

static const struct trk_comm *check(MPI_Comm comm, const char *call, MPI_Comm parent)
{
	const struct trk_comm *r = COMM(comm);
	int ranks[64], n, own, inter;

	REQUIRE(r);
	EXPECT_CALL(r, call);
	EXPECT_AT_REST(r);
	MPI_Comm_size(comm, &n);
	MPI_Comm_rank(comm, &own);
	MPI_Comm_test_inter(comm, &inter);
	EXPECT_IS(r->size, n);
	EXPECT_IS(r->rank, own);
	EXPECT_IS(r->predefined, 0);
	EXPECT_IS(r->references, 1);
	EXPECT(r->id > 0 && r->id < registry->next_id);
	EXPECT(r->has_fortran);
	EXPECT_IS(r->fortran, MPI_Comm_c2f(comm));
	EXPECT_NAME(r, "");
	if (parent != MPI_COMM_NULL) {
		const struct trk_comm *p = COMM(parent);
		REQUIRE(p);
		EXPECT_IS(r->parent, p->id);
	} else {
		EXPECT_IS(r->parent, 0);
	}
	if (!inter) {
		local_members(comm, ranks);
		EXPECT(members_are(r->members, n, ranks));
		EXPECT_IS(r->remote_size, -1);
	}
	EXPECT_IS(r->collectives.n, 2 * TRK_COLL_COUNTERS);
	return r;
}

static void predefined(void)
{
	const struct trk_comm *world = COMM(MPI_COMM_WORLD), *self = COMM(MPI_COMM_SELF), *null = COMM(MPI_COMM_NULL);

	REQUIRE(world);
	REQUIRE(self);
	REQUIRE(null);
	EXPECT_NAME(world, "MPI_COMM_WORLD");
	EXPECT_NAME(self, "MPI_COMM_SELF");
	EXPECT_NAME(null, "MPI_COMM_NULL");
	EXPECT(world->predefined && self->predefined && null->predefined);
	EXPECT_IS(world->rank, rank);
	EXPECT_IS(world->size, size);
	EXPECT_IS(world->members.total, 0);
	EXPECT_IS(world->call, TRK_NO_CALL);
	EXPECT(members_are(self->members, 1, &rank));
	EXPECT_IS(self->size, 1);
	EXPECT_IS(world->errhandler, BITS(MPI_ERRORS_ARE_FATAL));
	EXPECT_IS(world->fortran, MPI_Comm_c2f(MPI_COMM_WORLD));
	EXPECT_IS(registry->world_rank, rank);
	EXPECT_IS(registry->world_size, size);
	EXPECT_IS(registry->mpi_state, 1);
	EXPECT_IS(registry->request_null, BITS(MPI_REQUEST_NULL));
}

static void duplicates(void)
{
	MPI_Comm dup, twice, some, with_info;
	MPI_Info info;
	MPI_Request request;

	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	check(dup, "MPI_Comm_dup", MPI_COMM_WORLD);
	MPI_Comm_set_name(dup, "the duplicate");
	EXPECT_NAME(COMM(dup), "the duplicate");
	MPI_Comm_dup(dup, &twice);
	check(twice, "MPI_Comm_dup", dup);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &some);
	check(some, "MPI_Comm_split", MPI_COMM_WORLD);
	MPI_Info_create(&info);
	MPI_Comm_dup_with_info(some, info, &with_info);
	EXPECT_IS(check(with_info, "MPI_Comm_dup_with_info", some)->info, BITS(info));
	MPI_Info_free(&info);
	MPI_Comm_free(&with_info);
	MPI_Comm_idup(some, &with_info, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	check(with_info, "MPI_Comm_idup", some);
	MPI_Comm_free(&with_info);
	MPI_Comm_free(&some);
	MPI_Comm_free(&twice);
	MPI_Comm_free(&dup);
}

static void freed(void)
{
	MPI_Comm a, was, b;

	MPI_Comm_dup(MPI_COMM_WORLD, &a);
	uint64_t id = COMM(a)->id;
	const struct trk_comm *r = COMM(a);
	was = a;
	MPI_Comm_free(&a);
	EXPECT(!COMM(was));
	EXPECT(FREED_OBJECT(TRK_COMM, was) == (const void *)r);
	EXPECT_IS(r->state, TRK_FREED);
	EXPECT_IS(r->id, id);
	/* the value comes again: another object */
	MPI_Comm_dup(MPI_COMM_WORLD, &b);
	if (b == was) {
		EXPECT_IS(r->state, TRK_EARLIER);
		EXPECT_IS(COMM(b)->generation, r->generation + 1);
		EXPECT(COMM(b)->id > id);
	} else {
		EXPECT_IS(r->state, TRK_FREED);
	}
	MPI_Comm_disconnect(&b);
	int n_live = (int)registry_slab(TRK_COMM)->n_live;
	MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &b);
	EXPECT(b == MPI_COMM_NULL);
	EXPECT_IS(registry_slab(TRK_COMM)->n_live, n_live);
}

static void of_groups(void)
{
	MPI_Group world, odd;
	MPI_Comm comm = MPI_COMM_NULL;
	int ranks[] = { size - 1, 0 };

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	EXPECT_IS(COMM(MPI_COMM_WORLD)->group, BITS(world));
	MPI_Group_incl(world, 2, ranks, &odd);
	MPI_Comm_create(MPI_COMM_WORLD, odd, &comm);
	if (comm != MPI_COMM_NULL) {
		EXPECT(members_are(check(comm, "MPI_Comm_create", MPI_COMM_WORLD)->members, 2, ranks));
		MPI_Comm_free(&comm);
	}
	if (rank == 0 || rank == size - 1) {
		MPI_Comm_create_group(MPI_COMM_WORLD, odd, 7, &comm);
		EXPECT(members_are(check(comm, "MPI_Comm_create_group", MPI_COMM_WORLD)->members, 2, ranks));
		MPI_Comm_free(&comm);
	}
	MPI_Group_free(&odd);
	MPI_Group_free(&world);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
	check(comm, "MPI_Comm_split_type", MPI_COMM_WORLD);
	MPI_Comm_free(&comm);
}

static void topologies(void)
{
	MPI_Comm cart, sub, dup, graph;
	int dims[] = { 2, size / 2 }, periods[] = { 1, 0 }, remain[] = { 0, 1 }, coords[2];

	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
	const struct trk_comm *r = check(cart, "MPI_Cart_create", MPI_COMM_WORLD);
	MPI_Cart_coords(cart, r->rank, 2, coords);
	EXPECT_IS(r->topology, TRK_TOPO_CART);
	EXPECT_IS(r->ndims, 2);
	EXPECT(span_is_i32(r->dims, 2, dims));
	EXPECT(span_is_i32(r->periods, 2, periods));
	EXPECT(span_is_i32(r->coords, 2, coords));
	MPI_Cart_sub(cart, remain, &sub);
	r = check(sub, "MPI_Cart_sub", cart);
	EXPECT_IS(r->ndims, 1);
	EXPECT(span_is_i32(r->dims, 1, dims + 1));
	MPI_Comm_dup(sub, &dup);
	EXPECT_IS(check(dup, "MPI_Comm_dup", sub)->topology, TRK_TOPO_CART);
	MPI_Comm_free(&dup);
	MPI_Comm_free(&sub);
	MPI_Comm_free(&cart);
	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, periods, 1, &cart);
	check(cart, "MPI_Cart_create", MPI_COMM_WORLD);
	MPI_Comm_free(&cart);

	int index[64], edges[128];
	for (int i = 0; i < size; i++) {
		index[i] = 2 * (i + 1);
		edges[2 * i] = (i + 1) % size;
		edges[2 * i + 1] = (i + size - 1) % size;
	}
	MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &graph);
	r = check(graph, "MPI_Graph_create", MPI_COMM_WORLD);
	EXPECT_IS(r->topology, TRK_TOPO_GRAPH);
	EXPECT(span_is_i32(r->dims, size, index));
	EXPECT(span_is_i32(r->periods, 2 * size, edges));
	MPI_Comm_free(&graph);

	int from[] = { (rank + 1) % size, rank }, to[] = { (rank + size - 1) % size }, w[] = { 3, 4 }, v[] = { 5 };
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, w, 1, to, v, MPI_INFO_NULL, 0, &graph);
	r = check(graph, "MPI_Dist_graph_create_adjacent", MPI_COMM_WORLD);
	EXPECT_IS(r->topology, TRK_TOPO_DIST_GRAPH);
	EXPECT_IS(r->weighted, 1);
	EXPECT(span_is_i32(r->dims, 2, from));
	EXPECT(span_is_i32(r->periods, 1, to));
	EXPECT(span_is_i32(r->coords, 2, w));
	EXPECT(span_is_i32(r->weights, 1, v));
	MPI_Comm_free(&graph);
	int one = 1;
	int *volatile unweighted = MPI_UNWEIGHTED; /* gcc takes it for an empty array */
	MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, to, unweighted, MPI_INFO_NULL, 0, &graph);
	r = check(graph, "MPI_Dist_graph_create", MPI_COMM_WORLD);
	EXPECT_IS(r->weighted, 0);
	EXPECT(span_is_i32(r->dims, 1, from));
	EXPECT(span_is_i32(r->periods, 1, to));
	EXPECT_IS(r->weights.total, 0);
	MPI_Comm_free(&graph);
}

static void inter(void)
{
	MPI_Comm half, inter, dup, merged, part;
	MPI_Group remote;
	int upper = rank >= size / 2, n = upper ? size - size / 2 : size / 2, here[64], there[64];

	for (int i = 0; i < size; i++) {
		here[i] = upper ? size / 2 + i : i;
		there[i] = upper ? i : size / 2 + i;
	}
	MPI_Comm_split(MPI_COMM_WORLD, upper, 0, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 9, &inter);
	const struct trk_comm *r = check(inter, "MPI_Intercomm_create", half);
	EXPECT_IS(r->remote_size, size - n);
	EXPECT(members_are(r->members, n, here));
	EXPECT(members_are(r->remote_members, size - n, there));
	MPI_Comm_remote_group(inter, &remote);
	EXPECT_IS(COMM(inter)->remote_group, BITS(remote));
	EXPECT(members_are(GROUP(remote)->members, size - n, there));
	EXPECT_IS(GROUP(remote)->rank, -1);
	MPI_Group_free(&remote);
	MPI_Comm_dup(inter, &dup);
	r = check(dup, "MPI_Comm_dup", inter);
	EXPECT(members_are(r->members, n, here) && members_are(r->remote_members, size - n, there));
	MPI_Comm_split(inter, rank % 2, 0, &part);
	if (part != MPI_COMM_NULL) {
		r = check(part, "MPI_Comm_split", inter);
		EXPECT(r->remote_size >= 0);
		const struct trk_member *m = span_at(r->remote_members);
		for (uint32_t i = 0; m && i < r->remote_members.n; i++)
			EXPECT_IS(m[i].rank % 2, rank % 2);
		MPI_Comm_free(&part);
	}
	MPI_Intercomm_merge(inter, upper ? 0 : 1, &merged); /* the upper half first */
	check(merged, "MPI_Intercomm_merge", inter);
	MPI_Comm_free(&merged);
	MPI_Intercomm_merge(inter, upper, &merged);
	check(merged, "MPI_Intercomm_merge", inter);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&dup);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

/* What an error handler or an attribute's copy function does is the program's as well. */
static MPI_Comm made_inside;
static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	(void)key, (void)extra, (void)comm;
	MPI_Comm_dup(MPI_COMM_SELF, &made_inside);
	*(void **)out = (char *)in + 1;
	*flag = 1;
	return MPI_SUCCESS;
}

static int plain_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	(void)key, (void)extra, (void)comm;
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}

static int n_deleted;
static int delete (MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm, (void)key, (void)value, (void)extra;
	n_deleted++;
	return MPI_SUCCESS;
}

static void attributes(void)
{
	static char extra[4], value[4], other[4];
	MPI_Comm a, b;
	int copied, kept, freed_one;

	MPI_Comm_create_keyval(copy, delete, &copied, extra);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &kept, NULL);
	MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &freed_one, NULL);
	const struct trk_keyval *k = KEYVAL(copied);
	REQUIRE(k);
	EXPECT_IS(k->object_kind, TRK_COMM);
	EXPECT_IS(k->copy_function, (uintptr_t)copy);
	EXPECT_IS(k->delete_function, (uintptr_t) delete);
	EXPECT_IS(k->extra_state, (uintptr_t)extra);
	EXPECT_IS(k->language, 1);
	EXPECT_CALL(k, "MPI_Comm_create_keyval");
	MPI_Comm_dup(MPI_COMM_SELF, &a);
	MPI_Comm_set_attr(a, copied, value);
	MPI_Comm_set_attr(a, kept, other);
	EXPECT_IS(COMM(a)->attributes.n, 2);
	REQUIRE(attribute_of(COMM(a)->attributes, copied));
	EXPECT_IS(attribute_of(COMM(a)->attributes, copied)->value, (uintptr_t)value);
	EXPECT_IS(attribute_of(COMM(a)->attributes, copied)->keyval, k->id);
	MPI_Comm_set_attr(a, kept, value + 2); /* over the old one */
	EXPECT_IS(COMM(a)->attributes.n, 2);
	EXPECT_IS(attribute_of(COMM(a)->attributes, kept)->value, (uintptr_t)(value + 2));
	MPI_Comm_dup(a, &b);
	EXPECT_IS(COMM(b)->attributes.n, 1);
	REQUIRE(attribute_of(COMM(b)->attributes, copied));
	EXPECT_IS(attribute_of(COMM(b)->attributes, copied)->value, (uintptr_t)(value + 1));
	EXPECT_CALL(COMM(made_inside), "MPI_Comm_dup");
	MPI_Comm_free(&made_inside);
	MPI_Comm_delete_attr(a, kept);
	EXPECT(!attribute_of(COMM(a)->attributes, kept));
	MPI_Comm_free(&b);
	/* a keyval that is freed: what its copy function does is known of the standard's own only */
	MPI_Comm_set_attr(a, freed_one, value + 3);
	int key = freed_one, own, null, own_key, null_key;
	MPI_Comm_create_keyval(plain_copy, MPI_COMM_NULL_DELETE_FN, &own, NULL);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &null, NULL);
	MPI_Comm_set_attr(a, own, value);
	MPI_Comm_set_attr(a, null, value);
	own_key = own;
	null_key = null;
	MPI_Comm_free_keyval(&freed_one);
	MPI_Comm_free_keyval(&own);
	MPI_Comm_free_keyval(&null);
	EXPECT(!KEYVAL(key) && !KEYVAL(own_key) && !KEYVAL(null_key));
	MPI_Comm_dup(a, &b);
	/* of the live one and of MPI_COMM_DUP_FN it is known; the program's own may have copied */
	EXPECT_IS(COMM(b)->attributes.n, 2);
	EXPECT_IS(COMM(b)->attributes.total, 3);
	REQUIRE(attribute_of(COMM(b)->attributes, key));
	EXPECT_IS(attribute_of(COMM(b)->attributes, key)->value, (uintptr_t)(value + 3));
	EXPECT(!attribute_of(COMM(b)->attributes, null_key) && !attribute_of(COMM(b)->attributes, own_key));
	MPI_Comm_free(&made_inside);
	MPI_Comm_free(&b);
	MPI_Comm_free(&a);
	MPI_Comm_free_keyval(&copied);
	MPI_Comm_free_keyval(&kept);
	EXPECT(n_deleted > 0);
}

static void handler(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
}

static void errhandlers(void)
{
	MPI_Errhandler e, got;
	MPI_Comm a, b;

	MPI_Comm_create_errhandler(handler, &e);
	const struct trk_errhandler *r = ERRHANDLER(e);
	REQUIRE(r);
	EXPECT_IS(r->function, (uintptr_t)handler);
	EXPECT_IS(r->object_kind, TRK_COMM);
	EXPECT_IS(r->language, 1);
	EXPECT_IS(r->fortran, MPI_Errhandler_c2f(e));
	MPI_Comm_dup(MPI_COMM_WORLD, &a);
	EXPECT_IS(COMM(a)->errhandler, BITS(MPI_ERRORS_ARE_FATAL));
	MPI_Comm_set_errhandler(a, e);
	EXPECT_IS(COMM(a)->errhandler, BITS(e));
	MPI_Comm_dup(a, &b);
	EXPECT_IS(COMM(b)->errhandler, BITS(e));
	MPI_Comm_get_errhandler(b, &got);
	EXPECT_IS(ERRHANDLER(e)->references, 2);
	MPI_Errhandler_free(&got);
	EXPECT_IS(ERRHANDLER(e)->references, 1);
	got = e;
	MPI_Errhandler_free(&e);
	EXPECT(!ERRHANDLER(got));
	EXPECT(FREED_OBJECT(TRK_ERRHANDLER, got) == (const void *)r);
	/* it is attached, so that it comes back */
	MPI_Comm_get_errhandler(b, &e);
	EXPECT(ERRHANDLER(e) == r);
	EXPECT_IS(r->references, 1);
	MPI_Errhandler_free(&e);
	MPI_Comm_free(&b);
	MPI_Comm_free(&a);
}

static void spawned(char *program)
{
	MPI_Comm parent, child, merged;
	int value = 0;

	MPI_Comm_get_parent(&parent);
	if (parent == MPI_COMM_NULL) {
		char child_word[] = "child", *args[] = { child_word, NULL };
		MPI_Comm_spawn(program, args, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
		const struct trk_comm *r = check(child, "MPI_Comm_spawn", MPI_COMM_WORLD);
		const struct trk_member *m = span_at(r->remote_members);
		EXPECT_IS(r->remote_size, 2);
		REQUIRE(m);
		EXPECT(m[0].rank == 0 && m[1].rank == 1 && m[0].world > 0 && m[0].world == m[1].world);
		EXPECT(members_are(r->members, size, (int[]){ 0, 1, 2, 3 }));
		MPI_Intercomm_merge(child, 0, &merged);
		r = COMM(merged);
		REQUIRE(r);
		EXPECT_IS(r->size, size + 2);
		m = span_at(r->members);
		REQUIRE(m);
		for (int i = 0; i < size + 2; i++) {
			EXPECT_IS(m[i].rank, i < size ? i : i - size);
			EXPECT_IS(m[i].world != 0, i >= size);
		}
		MPI_Barrier(merged);
		MPI_Comm_free(&merged);
		MPI_Barrier(child);
		MPI_Comm_disconnect(&child);
		return;
	}
	const struct trk_comm *r = COMM(parent);
	REQUIRE(r);
	EXPECT_NAME(r, "MPI_COMM_PARENT");
	EXPECT(r->predefined);
	EXPECT_IS(r->remote_size, 4);
	EXPECT_IS(r->remote_members.n, 4);
	const struct trk_member *m = span_at(r->remote_members);
	for (int i = 0; m && i < 4; i++)
		EXPECT_IS(m[i].rank, -1);
	MPI_Intercomm_merge(parent, 1, &merged);
	EXPECT_IS(COMM(merged)->size, 6);
	MPI_Barrier(merged);
	MPI_Comm_free(&merged);
	MPI_Barrier(parent);
	MPI_Comm was = parent;
	MPI_Comm_disconnect(&parent);
	EXPECT(!COMM(was));
	(void)value;
}

int main(int argc, char *argv[])
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	registry_open();
	if (argc > 1) {
		spawned(argv[0]);
	} else {
		predefined();
		uint32_t n_live = registry_slab(TRK_COMM)->n_live;
		duplicates();
		freed();
		of_groups();
		topologies();
		inter();
		attributes();
		errhandlers();
		EXPECT_IS(registry_slab(TRK_COMM)->n_live, n_live);
		EXPECT_IS(registry_slab(TRK_COMM)->n_dropped, 0);
	}
	MPI_Finalize();
	EXPECT_IS(registry->mpi_state, 2);
	return registry_close();
}
