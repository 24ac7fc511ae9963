/* SPDX-License-Identifier: BSD-3-Clause */
/* Search for the pools and MPI_COMM_WORLD in the library's data; they have no symbols. */
#include "mpich.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	WINDOW = 1 << 19, /* bytes on either side of an exported variable: all of libmpich's data has 500 KiB */
	PAGE = 4096,
	NAMED_WINDOW = 1 << 17, /* from MPIDI_global to the end of the data that contains workers */
	WORLD = 0x44000000,     /* MPI_COMM_WORLD; MPI_COMM_SELF is the next one */
	SLOTS_MAX = 1 << 22,
	OBJECT_MAX = 8192,
	DIRECT = 2, /* of a handle */
	INDIRECT = 3,
	CHAR = 0x4c000101, /* MPI_CHAR, MPI_INT */
	INT = 0x4c000405,
	FLOAT_INT = 0x8c000000, /* MPI_FLOAT_INT: the first of the pair types, whose handles are consecutive */
	LOWEST = 1 << 16,       /* nothing is mapped below: vm.mmap_min_addr */
	ADDRESS_BITS = 48       /* of addresses in user space, unless a program requests more (mmap(2)) */
};

/* Variables that libraries export, and symbols of pools in statically linked programs. */
static const char *const anchors[] = { "MPIR_C_MPI_UNWEIGHTED", "MPIR_F08_MPI_STATUSES_IGNORE_OBJ",
				       "MPI_F_STATUS_IGNORE",   "MPIR_Comm_mem",
				       "MPIR_F08_MPI_IN_PLACE", "MPI_UNWEIGHTED",
				       "MPIR_fortran_true" /* libmpi_abi has no other */ };

struct data {
	unsigned char *bytes;
	uint64_t lo, hi;
};

/* Read the readable pages around @p anchor, without a gap. */
static void read_window(struct rd_mpich *o, uint64_t anchor, unsigned char *buffer, struct data *ret)
{
	uint64_t page = anchor & ~(uint64_t)(PAGE - 1), start = page > WINDOW ? page - WINDOW : PAGE, lo = page,
		 hi = page;

	while (lo > start && !acc_read(o->sp, lo - PAGE, PAGE, buffer + (lo - PAGE - start)))
		lo -= PAGE;
	while (hi < page + WINDOW && !acc_read(o->sp, hi, PAGE, buffer + (hi - start)))
		hi += PAGE;
	*ret = (struct data){ buffer + (lo - start), lo, hi };
}

static uint64_t value(const struct rd_mpich *o, const struct data *d, uint64_t addr, unsigned field)
{
	const struct acc_field_at *f = &o->layout->fields[field];

	return acc_decode_u(o->sp, d->bytes + (addr - d->lo) + f->offset, f->width);
}

/*
 * A pool without a direct block (datatypes since 5.0). Before its first use most of its head is 0, so the object size
 * must be that of the layout; later the handle in the first slot identifies it.
 */
static bool is_indirect_pool(struct rd_mpich *o, const struct data *d, uint64_t addr, uint64_t kind, uint64_t n)
{
	uint64_t table = value(o, d, addr, F_MPIR_Object_alloc_t_indirect), block, first;

	if (kind != RD_MPICH_DATATYPE || value(o, d, addr, F_MPIR_Object_alloc_t_direct) ||
	    value(o, d, addr, F_MPIR_Object_alloc_t_size) != acc_layout_bytes(o->layout, T_MPIR_Datatype))
		return false;
	if (!value(o, d, addr, F_MPIR_Object_alloc_t_initialized))
		return !table && !n && !value(o, d, addr, F_MPIR_Object_alloc_t_avail);
	return !acc_read_ptr(o->sp, table, &block) && !acc_read_u(o->sp, block, 4, &first) &&
	       first == ((uint64_t)INDIRECT << 30 | kind << 26);
}

/* MPIR_Object_alloc_t: does this look like the head of a pool? */
static bool looks_like_pool(struct rd_mpich *o, const struct data *d, uint64_t addr, unsigned *kind)
{
	uint64_t k = value(o, d, addr, F_MPIR_Object_alloc_t_kind);

	if (k < 1 || k >= RD_MPICH_N_KINDS) /* rejects most addresses */
		return false;
	uint64_t size = value(o, d, addr, F_MPIR_Object_alloc_t_size);
	uint64_t direct = value(o, d, addr, F_MPIR_Object_alloc_t_direct);
	uint64_t n_direct = value(o, d, addr, F_MPIR_Object_alloc_t_direct_size);
	uint64_t initialized = value(o, d, addr, F_MPIR_Object_alloc_t_initialized);
	uint64_t n = 0, n_avail = 0;

	if (rd_mpich_pool_counts(o)) {
		n = value(o, d, addr, F_MPIR_Object_alloc_t_num_allocated);
		n_avail = value(o, d, addr, F_MPIR_Object_alloc_t_num_avail);
	}

	if (size < 16 || size > OBJECT_MAX || initialized > 1 || n_direct > SLOTS_MAX || n > SLOTS_MAX || n_avail > n)
		return false;
	if (!n_direct && !is_indirect_pool(o, d, addr, k, n))
		return false;
	if (!n_direct) {
		*kind = (unsigned)k;
		return true;
	}
	if (direct < d->lo || direct > d->hi || n_direct * size > d->hi - direct)
		return false;
	/* in an initialized pool the first slot has its handle */
	uint64_t first = acc_decode_u(o->sp, d->bytes + (direct - d->lo), 4);
	if (k == RD_MPICH_KEYVAL)
		first &= ~(uint64_t)RD_MPICH_KEYVAL_OF;
	if (initialized && first != ((uint64_t)DIRECT << 30 | k << 26))
		return false;
	*kind = (unsigned)k;
	return true;
}

static unsigned find_pools(struct rd_mpich *o, const struct data *d)
{
	uint64_t bytes = acc_layout_bytes(o->layout, T_MPIR_Object_alloc_t);
	unsigned n = 0, kind;

	for (uint64_t a = d->lo; a + bytes <= d->hi; a += 8) {
		if (!looks_like_pool(o, d, a, &kind) || o->pool_addr[kind])
			continue;
		o->pool_addr[kind] = a;
		n++;
	}
	return n;
}

/* The builtin communicators are adjacent. */
static void find_world(struct rd_mpich *o, const struct data *d)
{
	uint64_t bytes = acc_layout_bytes(o->layout, T_MPIR_Comm);
	struct rd_mpich_comm world;

	for (uint64_t a = d->lo; !o->world_addr && a + 2 * bytes <= d->hi; a += 8)
		if (acc_decode_u(o->sp, d->bytes + (a - d->lo), 4) == WORLD &&
		    acc_decode_u(o->sp, d->bytes + (a - d->lo) + bytes, 4) == WORLD + 1 &&
		    rd_mpich_comm_load(o, a, WORLD, &world) == ACC_OK && !world.facts.inter && !world.context)
			o->world_addr = a;
}

/* The builtin datatypes are adjacent, too, each at the index in its handle: 1 for MPI_CHAR, 5 for MPI_INT. */
static void find_types(struct rd_mpich *o, const struct data *d)
{
	uint64_t bytes = acc_layout_bytes(o->layout, T_MPIR_Datatype);

	o->types_addr = 0;
	for (uint64_t a = d->lo; !o->types_addr && a + 6 * bytes <= d->hi; a += 8)
		if (acc_decode_u(o->sp, d->bytes + (a - d->lo) + bytes, 4) == CHAR &&
		    acc_decode_u(o->sp, d->bytes + (a - d->lo) + 5 * bytes, 4) == INT)
			o->types_addr = a;
}

/*
 * The pair types are the first slots of the pool of datatypes. If that has no direct block (since 5.0.2), they are the
 * first of an array of their own, with the same handles: MPIR_Datatype_direct (src/mpi/datatype/typeutil.c). The
 * datatypes of MPI_Type_create_f90_real() and similar functions follow.
 */
static bool are_pairs(struct rd_mpich *o, uint64_t addr)
{
	uint64_t bytes = acc_layout_bytes(o->layout, T_MPIR_Datatype), handle;

	for (unsigned i = 0; i < RD_MPICH_PAIR_TYPES; i++)
		if (acc_read_u(o->sp, addr + i * bytes, 4, &handle) || handle != FLOAT_INT + i)
			return false;
	return true;
}

static void find_direct_types(struct rd_mpich *o, const struct data *d)
{
	uint64_t bytes = acc_layout_bytes(o->layout, T_MPIR_Datatype), pool = o->pool_addr[RD_MPICH_DATATYPE];
	struct acc_note note = o->sp->note;

	o->direct_types_addr = 0;
	if (pool < d->lo || pool >= d->hi || value(o, d, pool, F_MPIR_Object_alloc_t_direct))
		return;
	for (uint64_t a = d->lo; !o->direct_types_addr && a + RD_MPICH_PAIR_TYPES * bytes <= d->hi; a += 8)
		if (acc_decode_u(o->sp, d->bytes + (a - d->lo), 4) == FLOAT_INT && are_pairs(o, a))
			o->direct_types_addr = a;
	o->sp->note = note;
}

/* MPI_Init sets up the pool of requests; before it the other pools are statically initialized and unused. */
static bool is_before_init(struct rd_mpich *o)
{
	uint64_t addr = o->pool_addr[RD_MPICH_COMM], initialized;

	return addr && !o->pool_addr[RD_MPICH_REQUEST] && !o->world_addr &&
	       !acc_read_u(o->sp, addr + rd_mpich_offset(o, F_MPIR_Object_alloc_t_initialized), o->sp->sizes.int_bytes,
			   &initialized) &&
	       !initialized;
}

static enum acc_rc check_size(struct rd_mpich *o, enum rd_mpich_kind kind, unsigned type)
{
	uint64_t size, bytes = acc_layout_bytes(o->layout, type);

	if (!o->pool_addr[kind])
		return acc_note(&o->sp->note, ACC_EWITNESS, "MPICH: the pool of %s is not found; " RD_MPICH_ADVICE,
				o->layout->schema->types[type].name);
	enum acc_rc rc = acc_read_u(o->sp, o->pool_addr[kind] + rd_mpich_offset(o, F_MPIR_Object_alloc_t_size),
				    o->sp->sizes.int_bytes, &size);
	if (rc || size != bytes)
		return acc_note(&o->sp->note, ACC_EWITNESS,
				"MPICH: an object of the pool of %s has %llu bytes, the layout pack says "
				"%llu; " RD_MPICH_ADVICE,
				o->layout->schema->types[type].name, rc ? 0ULL : (unsigned long long)size,
				(unsigned long long)bytes);
	o->p->witnesses.n_agree++;
	return ACC_OK;
}

/*
 * In a statically linked program other data may lie between the pools and their objects; there symbols give the
 * addresses. MPIDI_global and the data behind it contain the addresses of UCX's workers and of the table of endpoints.
 */
static void find_named(struct rd_mpich *o)
{
	static const struct {
		enum rd_mpich_kind kind;
		const char *symbol;
	} named[] = { { RD_MPICH_COMM, "MPIR_Comm_mem" },
		      { RD_MPICH_GROUP, "MPIR_Group_mem" },
		      { RD_MPICH_DATATYPE, "MPIR_Datatype_mem" },
		      { RD_MPICH_WIN, "MPIR_Win_mem" },
		      { RD_MPICH_ERRHANDLER, "MPIR_Errhandler_mem" },
		      { RD_MPICH_OP, "MPIR_Op_mem" },
		      { RD_MPICH_INFO, "MPIR_Info_mem" },
		      { RD_MPICH_KEYVAL, "MPII_Keyval_mem" },
		      { RD_MPICH_REQUEST, "MPIR_Request_mem" } };
	struct rd_mpich_comm world;
	uint64_t addr, kind, first, direct;

	memset(o->pool_addr, 0, sizeof(o->pool_addr));
	o->world_addr = o->types_addr = o->direct_types_addr = 0;
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (!acc_symbol(o->sp, named[i].symbol, &addr) &&
		    !acc_read_u(o->sp, addr + rd_mpich_offset(o, F_MPIR_Object_alloc_t_kind), 4, &kind) &&
		    kind == named[i].kind)
			o->pool_addr[named[i].kind] = addr;
	if (!acc_symbol(o->sp, "MPIR_Comm_builtin", &addr) && !acc_read_u(o->sp, addr, 4, &first) && first == WORLD &&
	    !rd_mpich_comm_load(o, addr, WORLD, &world) && !world.facts.inter)
		o->world_addr = addr;
	if (!acc_symbol(o->sp, "MPIR_Datatype_builtin", &addr) &&
	    !acc_read_u(o->sp, addr + acc_layout_bytes(o->layout, T_MPIR_Datatype), 4, &first) && first == CHAR)
		o->types_addr = addr;
	if (o->pool_addr[RD_MPICH_DATATYPE] &&
	    !acc_read_ptr(o->sp, o->pool_addr[RD_MPICH_DATATYPE] + rd_mpich_offset(o, F_MPIR_Object_alloc_t_direct),
			  &direct) &&
	    !direct && !acc_symbol(o->sp, "MPIR_Datatype_direct", &addr) && are_pairs(o, addr))
		o->direct_types_addr = addr;
	if (!acc_symbol(o->sp, "MPIDI_global", &addr)) {
		o->data_lo = o->words_lo = addr & ~(uint64_t)(PAGE - 1);
		o->data_hi = o->data_lo + NAMED_WINDOW;
	}
}

enum acc_rc rd_mpich_scan(struct rd_mpich *o)
{
	static const struct {
		enum rd_mpich_kind kind;
		unsigned type;
	} sizes[] = { { RD_MPICH_COMM, T_MPIR_Comm },
		      { RD_MPICH_REQUEST, T_MPIR_Request },
		      { RD_MPICH_DATATYPE, T_MPIR_Datatype },
		      { RD_MPICH_GROUP, T_MPIR_Group },
		      { RD_MPICH_WIN, T_MPIR_Win } };
	struct acc_note note = o->sp->note;
	struct data d = { 0 }, best = { 0 };
	uint64_t anchor;

	unsigned char *buffer = acc_array(o->sp, 2 * WINDOW + PAGE, 1);
	if (!buffer)
		return ACC_ENOMEM;
	for (size_t i = 0; i < sizeof(anchors) / sizeof(anchors[0]) && !o->pool_addr[RD_MPICH_COMM]; i++) {
		if (acc_symbol(o->sp, anchors[i], &anchor) || (anchor >= d.lo && anchor < d.hi))
			continue;
		memset(o->pool_addr, 0, sizeof(o->pool_addr));
		o->world_addr = 0;
		read_window(o, anchor, buffer, &d);
		if (!find_pools(o, &d))
			continue;
		best = d;
		find_world(o, &d);
		find_types(o, &d);
		find_direct_types(o, &d);
	}
	acc_array_free(o->sp, buffer);
	o->data_lo = best.lo;
	o->data_hi = best.hi;
	o->words_lo = 0;
	if (!o->pool_addr[RD_MPICH_COMM] && rd_mpich_is_static(o->sp))
		find_named(o);
	o->sp->note = note;
	bool before_init = is_before_init(o);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		enum acc_rc rc = before_init && sizes[i].kind == RD_MPICH_REQUEST
					 ? ACC_OK
					 : check_size(o, sizes[i].kind, sizes[i].type);
		if (rc)
			return rc;
	}
	o->scanned = !before_init;
	return ACC_OK;
}

bool rd_mpich_words(struct rd_mpich *o, bool (*is_one)(struct rd_mpich *o, uint64_t word), uint64_t reach)
{
	unsigned width = o->sp->sizes.pointer_bytes;
	uint64_t lo = o->words_lo ? o->words_lo : o->data_hi, hi = o->data_hi;
	bool found = false;

	/* the data before the first pool are tables of functions */
	for (unsigned k = 0; !o->words_lo && k < RD_MPICH_N_KINDS; k++)
		if (o->pool_addr[k] && o->pool_addr[k] < lo)
			lo = o->pool_addr[k];
	for (uint64_t a = lo & ~(uint64_t)(PAGE - 1); a < hi; a += PAGE) {
		unsigned char page[PAGE];

		if (acc_read(o->sp, a, PAGE, page))
			continue;
		for (unsigned i = 0; i + width <= PAGE && a + i < hi; i += width) {
			uint64_t word = acc_decode_u(o->sp, page + i, width);

			/* non-address data of another file may follow */
			if (word < LOWEST || word >> ADDRESS_BITS || !acc_plausible(o->sp, word, 8) || !is_one(o, word))
				continue;
			if (!found && a + i + reach < hi)
				hi = a + i + reach;
			found = true;
		}
	}
	return found;
}
