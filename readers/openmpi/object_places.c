/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the objects of each kind are:
 * - communicators in ompi_mpi_communicators;
 * - groups, error handlers, files, infos, operations and windows in their Fortran tables, from their construction on;
 * - keyvals in an internal table of the library;
 * - datatypes in the Fortran table if predefined or converted by MPI_Type_c2f, all others somewhere in the heap;
 * - requests in the lists that the queues are read from, and in the Fortran table;
 * - messages in a free list.
 * Objects that the library created for itself are left out.
 */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* 2^64 / 1.618: multiplying by it distributes addresses (Fibonacci hashing) */
#define GOLDEN_RATIO 0x9e3779b97f4a7c15U

enum {
	PLACES_FIRST = 64,         /* a power of 2 */
	OP_INTRINSIC = 0x1,        /* o_flags of ompi_op_t */
	ERRHANDLER_PREDEFINED = 0, /* eh_mpi_object_type */
	FORTRAN_NULL = 0,          /* index of the null handle, except for communicators */
	FORTRAN_COMM_NULL = 2,
	FORTRAN_GROUP_EMPTY = 1, /* also MPI_INFO_ENV, MPI_MESSAGE_NO_PROC, and the internal request that is complete */
	DEPTH_MAX = 64,          /* datatypes within datatypes */
};

static struct rd_ompi_places *list_of(struct rd_ompi *o, enum mdl_handle_kind kind)
{
	static struct rd_ompi_places none; /* always empty */

	return rd_ompi_objects_state(o) ? &o->objects->places[kind] : &none;
}

/* The place in the index where the handle is, or would be entered. There is one: the index is at most half full. */
static uint64_t *entry_of(const struct rd_ompi_places *p, uint64_t handle)
{
	uint64_t mask = 2 * p->cap - 1;

	for (uint64_t i = handle * GOLDEN_RATIO >> 32;; i++) {
		uint64_t *entry = &p->index[i & mask];
		if (!*entry || p->v[*entry - 1].handle == handle)
			return entry;
	}
}

static void enter(struct rd_ompi_places *p, uint64_t i)
{
	uint64_t *entry = p->v[i].rc ? NULL : entry_of(p, p->v[i].handle);

	if (entry && !*entry)
		*entry = i + 1;
}

static uint64_t index_of(const struct rd_ompi_places *p, uint64_t handle)
{
	uint64_t i = p->n ? *entry_of(p, handle) : 0;

	return i ? i - 1 : UINT64_MAX;
}

/* Make room for more places. @return false: no memory; nothing has changed */
static bool widen(struct rd_ompi *o, struct rd_ompi_places *p)
{
	uint64_t cap = p->cap ? 2 * p->cap : PLACES_FIRST;
	struct rd_ompi_place *wider = acc_array(o->sp, cap, sizeof(*wider));
	uint64_t *index = acc_array(o->sp, 2 * cap, sizeof(*index));

	if (!wider || !index) {
		acc_array_free(o->sp, wider);
		acc_array_free(o->sp, index);
		return false;
	}
	if (p->n)
		memcpy(wider, p->v, p->n * sizeof(*wider));
	memset(index, 0, 2 * cap * sizeof(*index));
	acc_array_free(o->sp, p->v);
	acc_array_free(o->sp, p->index);
	p->v = wider;
	p->index = index;
	p->cap = cap;
	for (uint64_t i = 0; i < p->n; i++)
		enter(p, i);
	return true;
}

/* Add an object. */
static void rd_ompi_place_add(struct rd_ompi *o, enum mdl_handle_kind kind, struct rd_ompi_place place)
{
	struct rd_ompi_places *p = list_of(o, kind);

	if (!o->objects)
		return;
	if (p->n == p->cap && !widen(o, p)) {
		if (p->n)
			p->v[p->n - 1].rc = ACC_ELIMIT;
		return;
	}
	if (kind != MDL_KEYVAL)
		place.handle = place.addr;
	p->v[p->n++] = place;
	enter(p, p->n - 1);
}

static void add_bad(struct rd_ompi *o, enum mdl_handle_kind kind, enum acc_rc rc, uint64_t addr)
{
	rd_ompi_place_add(o, kind, (struct rd_ompi_place){ .addr = addr, .rc = rc });
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

static enum rd_ompi_class class_of(enum mdl_handle_kind kind)
{
	switch (kind) {
	case MDL_GROUP:
		return C_ompi_group_t;
	case MDL_ERRHANDLER:
		return C_ompi_errhandler_t;
	case MDL_FILE:
		return C_ompi_file_t;
	case MDL_INFO:
		return C_ompi_info_t;
	case MDL_OP:
		return C_ompi_op_t;
	case MDL_WIN:
		return C_ompi_win_t;
	case MDL_A_MESSAGE:
		return C_ompi_message_t;
	case MDL_SESSION:
		return C_ompi_instance_t;
	default:
		return C_ompi_request_t;
	}
}

static uint64_t number_at(struct rd_ompi *o, uint64_t addr, unsigned field)
{
	uint64_t raw;

	return acc_read_u(o->sp, addr + o->layout->fields[field].offset, o->layout->fields[field].width, &raw) ? 0
													       : raw;
}

static bool is_at(struct rd_ompi *o, const char *symbol, uint64_t addr)
{
	uint64_t found;

	return !acc_symbol(o->sp, symbol, &found) && found == addr;
}

/* @return ACC_OK; ACC_NONE: it is not the program's; a failure */
static enum acc_rc in_table(struct rd_ompi *o, enum mdl_handle_kind kind, uint64_t i, struct rd_ompi_place *at)
{
	uint64_t internal;
	/* the two predefined messages are never constructed, so they have no class */
	bool classless = kind == MDL_A_MESSAGE && i <= FORTRAN_GROUP_EMPTY;
	enum acc_rc rc = classless ? ACC_OK : rd_ompi_check(o, at->addr, class_of(kind));

	/* sessions that have ended are not removed from their table */
	if (kind == MDL_SESSION && (rc || !rd_ompi_reference_count(o, at->addr)))
		return ACC_NONE;
	if (rc)
		return rc;
	at->null = kind == MDL_SESSION ? is_at(o, "ompi_mpi_instance_null", at->addr) : i == FORTRAN_NULL;
	at->predefined = at->null;
	uint64_t references = rd_ompi_reference_count(o, at->addr);
	switch (kind) {
	case MDL_SESSION: /* the one of MPI_Init belongs to the library */
		return !acc_symbol(o->sp, "ompi_mpi_instance_default", &internal) &&
				       !acc_read_ptr(o->sp, internal, &internal) && internal == at->addr
			       ? ACC_NONE
			       : ACC_OK;
	case MDL_GROUP:
		at->predefined |= i == FORTRAN_GROUP_EMPTY;
		/* a group of a communicator is internal, unless the program has a handle to it: a reference more */
		return at->predefined || references > rd_ompi_references(o, kind, at->addr) ? ACC_OK : ACC_NONE;
	case MDL_ERRHANDLER:
		at->predefined |= number_at(o, at->addr, F_ompi_errhandler_t_eh_mpi_object_type) ==
				  ERRHANDLER_PREDEFINED;
		if (!at->predefined && references <= rd_ompi_references(o, kind, at->addr))
			at->life = MDL_FREED;
		return ACC_OK;
	case MDL_INFO:
	case MDL_A_MESSAGE:
		at->predefined |= i == FORTRAN_GROUP_EMPTY;
		return ACC_OK;
	case MDL_OP:
		at->predefined |= number_at(o, at->addr, F_ompi_op_t_o_flags) & OP_INTRINSIC;
		return ACC_OK;
	default:
		return ACC_OK;
	}
}

static void collect_table(struct rd_ompi *o, enum mdl_handle_kind kind)
{
	struct acc_slots slots;
	uint64_t addr;
	enum acc_rc rc = rd_ompi_object_table(o, kind, &slots);

	while (!rc && (rc = acc_slots_next(&slots, &addr)) == ACC_OK) {
		struct rd_ompi_place at = { .addr = addr, .life = MDL_LIVE };

		if (!addr)
			continue;
		enum acc_rc one = in_table(o, kind, slots.i - 1, &at);
		if (!one)
			rd_ompi_place_add(o, kind, at);
		else if (one != ACC_NONE)
			add_bad(o, kind, one, addr);
	}
	if (rc && rc != ACC_NONE)
		add_bad(o, kind, rc, slots.addr);
}

/* ---- communicators, keyvals ------------------------------------------------------------------------------------ */

static void collect_comms(struct rd_ompi *o)
{
	struct rd_comm_iter it = { .p = o->p, .all = false };
	struct acc_slots slots;
	struct mdl_comm c;
	uint64_t null_addr, i = 0;

	if (!rd_ompi_object_table(o, MDL_COMM, &slots))
		while (!acc_slots_next(&slots, &null_addr) && i++ < FORTRAN_COMM_NULL)
			;
	if (i > FORTRAN_COMM_NULL && !rd_ompi_check(o, null_addr, C_ompi_communicator_t))
		rd_ompi_place_add(o, MDL_COMM,
				  (struct rd_ompi_place){
					  .addr = null_addr, .null = true, .predefined = true, .life = MDL_LIVE });
	enum acc_rc rc = rd_ompi_comm_first(o, &it);
	while (!rc && (rc = rd_ompi_comm_next(o, &it, &c)) == ACC_OK) {
		bool held = c.predefined || rd_ompi_reference_count(o, c.id) > rd_ompi_references(o, MDL_COMM, c.id);

		rd_ompi_place_add(o, MDL_COMM,
				  (struct rd_ompi_place){ .addr = c.id,
							  .predefined = c.predefined,
							  .life = held ? MDL_LIVE : MDL_FREED });
	}
	for (uint64_t k = 0; k < it.n_bad; k++)
		add_bad(o, MDL_COMM, ACC_ECORRUPT, 0);
	if (rc && rc != ACC_NONE)
		add_bad(o, MDL_COMM, rc, 0);
}

static void collect_keyvals(struct rd_ompi *o)
{
	enum { PREDEFINED = 0x1 }; /* attr_flag of ompi_attribute_keyval_t */
	struct rd_ompi_hash h;
	uint64_t key, addr;
	enum acc_rc rc = rd_ompi_hash_first(o, rd_ompi_keyval_table(o), &h);

	while (!rc && (rc = rd_ompi_hash_next(&h, &key, &addr)) == ACC_OK) {
		enum acc_rc one = rd_ompi_check(o, addr, C_ompi_attribute_keyval_t);

		if (!one && number_at(o, addr, F_ompi_attribute_keyval_t_key) != key)
			one = ACC_ECORRUPT;
		if (one)
			add_bad(o, MDL_KEYVAL, one, addr);
		else
			rd_ompi_place_add(
				o, MDL_KEYVAL,
				(struct rd_ompi_place){
					.addr = addr,
					.handle = (uint32_t)key,
					.life = MDL_LIVE,
					.predefined = number_at(o, addr, F_ompi_attribute_keyval_t_attr_flag) &
						      PREDEFINED });
	}
	if (rc && rc != ACC_NONE)
		add_bad(o, MDL_KEYVAL, rc, h.table_addr);
}

/* ---- datatypes ------------------------------------------------------------------------------------------------- */

static enum acc_rc rd_ompi_datatype_place(struct rd_ompi *o, uint64_t addr, struct rd_ompi_place *ret)
{
	struct rd_ompi_args args;
	uint64_t flags;

	*ret = (struct rd_ompi_place){ .addr = addr, .handle = addr, .life = MDL_LIVE };
	if (rd_ompi_check(o, addr, C_ompi_datatype_t) && rd_ompi_check(o, addr, C_opal_datatype_t))
		return ACC_NONE;
	/* a freed type whose memory was not used again still has its class, but no references */
	if (!rd_ompi_reference_count(o, addr) || rd_ompi_datatype_flags(o, addr, &flags))
		return ACC_NONE;
	/* types of MPI_Type_create_f90_... are flagged, too: all calls with the same digits return the same one */
	ret->predefined = flags & RD_OMPI_TYPE_PREDEFINED;
	if (!ret->predefined && (rd_ompi_args(o, addr, &args) || rd_ompi_is_view(o, addr)))
		return ACC_NONE;
	return ACC_OK;
}

static void collect_known_types(struct rd_ompi *o)
{
	struct acc_slots slots;
	struct rd_ompi_place at;
	uint64_t addr;
	enum acc_rc rc = rd_ompi_object_table(o, MDL_DATATYPE, &slots);

	while (!rc && (rc = acc_slots_next(&slots, &addr)) == ACC_OK) {
		if (!addr)
			continue;
		if (rd_ompi_datatype_place(o, addr, &at)) {
			add_bad(o, MDL_DATATYPE, ACC_ECORRUPT, addr);
			continue;
		}
		at.null = slots.i - 1 == FORTRAN_NULL;
		rd_ompi_place_add(o, MDL_DATATYPE, at);
	}
	if (rc && rc != ACC_NONE)
		add_bad(o, MDL_DATATYPE, rc, slots.addr);
}

/* The program has freed a type that only other types, requests or views refer to. */
static void mark_freed_types(struct rd_ompi *o, struct rd_ompi_places *p)
{
	for (uint64_t i = 0; i < p->n; i++)
		if (!p->v[i].rc && !p->v[i].predefined &&
		    rd_ompi_reference_count(o, p->v[i].addr) <= rd_ompi_references(o, MDL_DATATYPE, p->v[i].addr))
			p->v[i].life = MDL_FREED;
}

/* Add the types that other types were made from: they may be in memory that was not searched. */
static void add_constituents(struct rd_ompi *o, struct rd_ompi_places *p)
{
	struct rd_ompi_args args;
	struct rd_ompi_place at;
	uint64_t addr, width = o->sp->sizes.pointer_bytes;

	for (unsigned depth = 0, from = 0; depth < DEPTH_MAX && from < p->n; depth++) {
		uint64_t n = p->n;

		for (; from < n; from++) {
			if (p->v[from].rc || rd_ompi_args(o, p->v[from].addr, &args))
				continue;
			for (uint64_t k = 0; k < args.n_types; k++)
				if (!acc_read_ptr(o->sp, args.types_addr + k * width, &addr) &&
				    (!k || args.n_types <= ACC_SLOTS_BLOCK) && index_of(p, addr) == UINT64_MAX &&
				    !rd_ompi_datatype_place(o, addr, &at))
					rd_ompi_place_add(o, MDL_DATATYPE, at);
		}
	}
}

/* Merge what the search in the heap has found. */
static void merge_types(struct rd_ompi *o, struct rd_ompi_places *p)
{
	const struct rd_ompi_addrs *heap = &o->objects->heap[MDL_DATATYPE];
	struct rd_ompi_place at;

	for (uint64_t i = 0; i < heap->n; i++)
		if (index_of(p, heap->v[i]) == UINT64_MAX && !rd_ompi_datatype_place(o, heap->v[i], &at))
			rd_ompi_place_add(o, MDL_DATATYPE, at);
	add_constituents(o, p);
	mark_freed_types(o, p);
}

/* ---- requests -------------------------------------------------------------------------------------------------- */

static void add_request(struct rd_ompi *o, uint64_t addr)
{
	if (index_of(list_of(o, MDL_REQUEST), addr) == UINT64_MAX)
		rd_ompi_place_add(o, MDL_REQUEST, (struct rd_ompi_place){ .addr = addr, .life = MDL_LIVE });
}

static void merge_requests(struct rd_ompi *o)
{
	const struct rd_ompi_addrs *heap = &o->objects->heap[MDL_REQUEST];

	for (uint64_t i = 0; i < heap->n; i++)
		if (rd_ompi_is_lone_request(o, heap->v[i]))
			add_request(o, heap->v[i]);
}

/* The request that a null or an immediately complete operation returns. */
static void collect_request_table(struct rd_ompi *o)
{
	struct acc_slots slots;
	uint64_t addr, empty_send = 0;
	enum acc_rc rc = rd_ompi_object_table(o, MDL_REQUEST, &slots);

	acc_symbol(o->sp, "ompi_request_empty_send", &empty_send);
	while (!rc && (rc = acc_slots_next(&slots, &addr)) == ACC_OK) {
		uint64_t i = slots.i - 1;

		if (!addr || i == FORTRAN_GROUP_EMPTY || addr == empty_send)
			continue;
		if (!acc_plausible(o->sp, addr, 4) || !rd_ompi_reference_count(o, addr))
			add_bad(o, MDL_REQUEST, ACC_ECORRUPT, addr);
		else if (i == FORTRAN_NULL)
			rd_ompi_place_add(o, MDL_REQUEST,
					  (struct rd_ompi_place){
						  .addr = addr, .null = true, .predefined = true, .life = MDL_LIVE });
		else
			add_request(o, addr);
	}
	if (rc && rc != ACC_NONE)
		add_bad(o, MDL_REQUEST, rc, slots.addr);
}

static void collect_requests(struct rd_ompi *o)
{
	const struct rd_ompi_addrs *operations = rd_ompi_operations(o);
	struct rd_ompi_addrs of_windows = { .n = 0 };

	collect_request_table(o);
	rd_ompi_window_requests(o, &of_windows);
	for (uint64_t i = 0; i < of_windows.n; i++)
		add_request(o, of_windows.v[i]);
	acc_array_free(o->sp, of_windows.v);
	for (uint64_t i = 0; operations && i < operations->n; i++)
		add_request(o, operations->v[i]);
	for (uint64_t i = 0; i < o->objects->n_bad_operations; i++)
		add_bad(o, MDL_REQUEST, ACC_ECORRUPT, 0);
}

/* ---- messages -------------------------------------------------------------------------------------------------- */

/* Collect the messages of the table and those that are in use. */
static void collect_messages(struct rd_ompi *o)
{
	struct rd_ompi_addrs in_use = { .n = 0 };
	struct acc_note note = o->sp->note;
	uint64_t list_addr;

	collect_table(o, MDL_A_MESSAGE);
	if (!acc_symbol(o->sp, "ompi_message_free_list", &list_addr))
		rd_ompi_items_in_use(o, list_addr, &in_use);
	for (uint64_t i = 0; i < in_use.n; i++)
		if (index_of(list_of(o, MDL_A_MESSAGE), in_use.v[i]) == UINT64_MAX)
			rd_ompi_place_add(o, MDL_A_MESSAGE,
					  (struct rd_ompi_place){ .addr = in_use.v[i], .life = MDL_LIVE });
	acc_array_free(o->sp, in_use.v);
	o->sp->note = note;
}

/* ---- public functions ------------------------------------------------------------------------------------------ */

static struct rd_ompi_places *collected(struct rd_ompi *o, enum mdl_handle_kind kind)
{
	struct rd_ompi_places *p = list_of(o, kind);
	struct acc_note note = o->sp->note;

	if (p->built || !o->objects)
		return p;
	p->built = true;
	acc_space_begin(o->sp);
	switch (kind) {
	case MDL_COMM:
		collect_comms(o);
		break;
	case MDL_DATATYPE:
		collect_known_types(o);
		break;
	case MDL_REQUEST:
		collect_requests(o);
		break;
	case MDL_A_MESSAGE:
		collect_messages(o);
		break;
	case MDL_KEYVAL:
		collect_keyvals(o);
		break;
	default:
		collect_table(o, kind);
		break;
	}
	acc_space_end(o->sp);
	o->sp->note = note; /* each failure is noted when its place is asked for */
	return p;
}

struct rd_ompi_places *rd_ompi_places(struct rd_ompi *o, enum mdl_handle_kind kind)
{
	struct rd_ompi_places *p = collected(o, kind);

	if ((kind != MDL_DATATYPE && kind != MDL_REQUEST) || !o->objects || o->objects->heap_merged[kind])
		return p;
	o->objects->heap_merged[kind] = true;
	acc_space_begin(o->sp);
	rd_ompi_heap_search(o);
	if (kind == MDL_DATATYPE)
		merge_types(o, p);
	else
		merge_requests(o);
	acc_space_end(o->sp);
	return p;
}

uint64_t rd_ompi_place_of(struct rd_ompi *o, enum mdl_handle_kind kind, uint64_t handle)
{
	struct rd_ompi_places *p = collected(o, kind);
	uint64_t i = index_of(p, handle);
	struct rd_ompi_place at = { .addr = handle, .life = MDL_LIVE };

	if (i != UINT64_MAX || !o->objects || o->objects->heap_merged[kind])
		return i;
	/* an object that only a search of the heap would list is recognized by its class */
	if (kind == MDL_DATATYPE ? rd_ompi_datatype_place(o, handle, &at)
				 : kind != MDL_REQUEST || !rd_ompi_is_lone_request(o, handle))
		return UINT64_MAX;
	rd_ompi_place_add(o, kind, at);
	return p->n - 1;
}
