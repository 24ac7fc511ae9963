/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of each kind, in places: the builtin ones, then the slots of the pool. What the library has made for
 * itself, and objects kept alive only by its own references, are not objects of the program.
 */
#include "objects.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	BUILTIN = 1, /* kinds of handles */
	DIRECT = 2,
	N_BUILTIN_COMMS = 2,
	GROUP_WORLD = 0x48000001, /* MPIR_GROUP_WORLD; MPIR_GROUP_SELF follows it */
	BASIC_TYPES_MAX = 128,
};

/* ---- builtin objects, which are in no pool ---------------------------------------------------------------- */

struct builtin {
	uint32_t handle;
	const char *name;
	bool null;
};

/* Values of mpi.h, MPICH 3.4 to 5.0. Datatypes and communicators are in memory, with their names. */
static const struct builtin builtin_comms[] = {
	{ 0x04000000, "MPI_COMM_NULL", true },
};
static const struct builtin builtin_groups[] = {
	{ 0x08000000, "MPI_GROUP_NULL", true },
	{ 0x48000000, "MPI_GROUP_EMPTY", false },
};
static const struct builtin builtin_datatypes[] = {
	{ 0x0c000000, "MPI_DATATYPE_NULL", true },
};
static const struct builtin builtin_errhandlers[] = {
	{ 0x14000000, "MPI_ERRHANDLER_NULL", true }, { 0x54000000, "MPI_ERRORS_ARE_FATAL", false },
	{ 0x54000001, "MPI_ERRORS_RETURN", false },  { 0x54000002, "MPI::ERRORS_THROW_EXCEPTIONS", false },
	{ 0x54000003, "MPI_ERRORS_ABORT", false },
};
static const struct builtin builtin_files[] = {
	{ 0, "MPI_FILE_NULL", true },
};
static const struct builtin builtin_infos[] = {
	{ 0x1c000000, "MPI_INFO_NULL", true },
	{ 0x5c000001, "MPI_INFO_ENV", false },
};
static const struct builtin builtin_ops[] = {
	{ 0x18000000, "MPI_OP_NULL", true }, { 0x58000001, "MPI_MAX", false },     { 0x58000002, "MPI_MIN", false },
	{ 0x58000003, "MPI_SUM", false },    { 0x58000004, "MPI_PROD", false },    { 0x58000005, "MPI_LAND", false },
	{ 0x58000006, "MPI_BAND", false },   { 0x58000007, "MPI_LOR", false },     { 0x58000008, "MPI_BOR", false },
	{ 0x58000009, "MPI_LXOR", false },   { 0x5800000a, "MPI_BXOR", false },    { 0x5800000b, "MPI_MINLOC", false },
	{ 0x5800000c, "MPI_MAXLOC", false }, { 0x5800000d, "MPI_REPLACE", false }, { 0x5800000e, "MPI_NO_OP", false },
};
static const struct builtin builtin_requests[] = {
	{ 0x2c000000, "MPI_REQUEST_NULL", true },
};
static const struct builtin builtin_wins[] = {
	{ 0x20000000, "MPI_WIN_NULL", true },
};
static const struct builtin builtin_messages[] = {
	{ 0x2c000000, "MPI_MESSAGE_NULL", true },
	{ 0x6c000000, "MPI_MESSAGE_NO_PROC", false },
};
static const struct builtin builtin_sessions[] = {
	{ 0x38000000, "MPI_SESSION_NULL", true },
};

#define OF(array)                                                                                                      \
	{                                                                                                              \
		array, sizeof(array) / sizeof((array)[0])                                                              \
	}
static const struct {
	const struct builtin *v;
	uint64_t n;
} builtins[MDL_N_HANDLE_KINDS] = {
	[MDL_COMM] = OF(builtin_comms),
	[MDL_GROUP] = OF(builtin_groups),
	[MDL_DATATYPE] = OF(builtin_datatypes),
	[MDL_ERRHANDLER] = OF(builtin_errhandlers),
	[MDL_FILE] = OF(builtin_files),
	[MDL_INFO] = OF(builtin_infos),
	[MDL_OP] = OF(builtin_ops),
	[MDL_REQUEST] = OF(builtin_requests),
	[MDL_WIN] = OF(builtin_wins),
	[MDL_A_MESSAGE] = OF(builtin_messages),
	[MDL_SESSION] = OF(builtin_sessions),
};

/*
 * Objects that are in memory but in no pool: basic datatypes, since 5.0.2 pair types, MPI_COMM_WORLD and _SELF,
 * since 5.0 their groups; files.
 */
static uint64_t n_unpooled(const struct rd_mpich *o, enum mdl_handle_kind kind)
{
	switch (kind) {
	case MDL_DATATYPE:
		return BASIC_TYPES_MAX + RD_MPICH_DIRECT_TYPES;
	case MDL_COMM:
		return N_BUILTIN_COMMS;
	case MDL_GROUP:
		return rd_mpich_has_group_map(o) ? N_BUILTIN_COMMS : 0;
	case MDL_FILE:
		return o->n_files;
	default:
		return 0;
	}
}

/* ---- pools --------------------------------------------------------------------------------------------------- */

static enum rd_mpich_kind pool_kind(enum mdl_handle_kind kind)
{
	static const unsigned char kinds[MDL_N_HANDLE_KINDS] = {
		[MDL_COMM] = RD_MPICH_COMM,         [MDL_GROUP] = RD_MPICH_GROUP,
		[MDL_DATATYPE] = RD_MPICH_DATATYPE, [MDL_ERRHANDLER] = RD_MPICH_ERRHANDLER,
		[MDL_INFO] = RD_MPICH_INFO,         [MDL_OP] = RD_MPICH_OP,
		[MDL_REQUEST] = RD_MPICH_REQUEST,   [MDL_WIN] = RD_MPICH_WIN,
		[MDL_A_MESSAGE] = RD_MPICH_REQUEST, [MDL_KEYVAL] = RD_MPICH_KEYVAL,
		[MDL_SESSION] = RD_MPICH_SESSION,
	};

	return (enum rd_mpich_kind)kinds[kind];
}

/* The field that is needed to read a kind. */
static bool is_described(const struct rd_mpich *o, enum mdl_handle_kind kind)
{
	static const unsigned short fields[MDL_N_HANDLE_KINDS] = {
		[MDL_COMM] = F_MPIR_Comm_handle,           [MDL_GROUP] = F_MPIR_Group_size,
		[MDL_DATATYPE] = F_MPIR_Datatype_contents, [MDL_ERRHANDLER] = F_MPIR_Errhandler_errfn,
		[MDL_INFO] = F_MPIR_Handle_common_handle,  [MDL_OP] = F_MPIR_Op_function,
		[MDL_REQUEST] = F_MPIR_Request_handle,     [MDL_WIN] = F_MPIR_Win_base,
		[MDL_A_MESSAGE] = F_MPIR_Request_handle,   [MDL_KEYVAL] = F_MPII_Keyval_kind,
		[MDL_FILE] = F_ADIOI_FileD_cookie,         [MDL_SESSION] = F_MPIR_Session_errhandler,
	};

	return (pool_kind(kind) || kind == MDL_FILE) && acc_layout_has(o->layout, fields[kind]) &&
	       acc_layout_has(o->layout, F_MPIR_Handle_common_ref_count);
}

static bool known(void *state, enum mdl_handle_kind kind)
{
	struct rd_mpich *o = state;
	struct acc_note note = o->sp->note;

	if (!is_described(o, kind))
		return false;
	/* a pool of a kind that was never used is not there, or empty; that of sessions is no witness */
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, pool_kind(kind));
	bool ok = kind != MDL_SESSION || (pool ? pool->object_bytes == acc_layout_bytes(o->layout, T_MPIR_Session)
					       : !o->pools[pool_kind(kind)].addr);
	o->sp->note = note;
	return ok;
}

static const char *pool_lacks(struct rd_mpich *o, enum mdl_handle_kind kind)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, pool_kind(kind));

	if (pool && pool->chain_rc)
		return "the chain of free ones in MPICH's memory is damaged: shown are those with references";
	if (pool && kind == MDL_INFO && !rd_mpich_infos_are_whole(o))
		return "the chain of pairs of an info in MPICH's memory is damaged: pairs may be missing";
	if (kind == MDL_DATATYPE && o->scanned && !o->types_addr)
		return "the basic datatypes in MPICH's memory are not found";
	if (pool)
		return NULL;
	if (o->pools[pool_kind(kind)].addr)
		return "their pool in MPICH's memory is damaged";
	/* every MPICH has the others from MPI_Init on: the scan has not recognized a damaged one */
	return o->scanned && kind != MDL_SESSION ? "their pool in MPICH's memory is not found" : NULL;
}

static const char *lacks(void *state, enum mdl_handle_kind kind)
{
	struct rd_mpich *o = state;
	struct acc_note note = o->sp->note;
	const char *ret = NULL;

	if (!is_described(o, kind))
		return NULL;
	if (kind == MDL_FILE) {
		rd_mpich_comms(o);
		if (o->files_damaged)
			ret = "an open file in MPICH's memory, or an info by which it is found, is damaged";
		else if (pool_lacks(o, MDL_INFO) || pool_lacks(o, MDL_COMM))
			ret = "the infos or communicators by which they are found are damaged in MPICH's memory";
	} else {
		ret = pool_lacks(o, kind);
	}
	o->sp->note = note;
	return ret;
}

static uint64_t places(void *state, enum mdl_handle_kind kind)
{
	struct rd_mpich *o = state;
	struct acc_note note = o->sp->note;
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, pool_kind(kind));

	/* the process may have been read again since: files are found with the communicators */
	if (kind == MDL_FILE)
		rd_mpich_comms(o);
	o->sp->note = note;
	return builtins[kind].n + n_unpooled(o, kind) + (pool ? pool->n_slots : 0);
}

static bool header(struct rd_mpich *o, uint64_t addr, uint32_t *handle, int64_t *references)
{
	uint64_t raw;

	if (acc_read_u(o->sp, addr + o->layout->fields[F_MPIR_Handle_common_handle].offset, 4, &raw))
		return false;
	*handle = (uint32_t)raw;
	if (acc_read_u(o->sp, addr + o->layout->fields[F_MPIR_Handle_common_ref_count].offset, 4, &raw))
		return false;
	*references = (int32_t)(uint32_t)raw;
	return true;
}

/* MPICH does not count references to the others. */
static bool is_counted(enum mdl_handle_kind kind)
{
	return kind != MDL_INFO && kind != MDL_WIN && kind != MDL_FILE && kind != MDL_SESSION;
}

/* @return ACC_OK; ACC_NONE: nothing is there; ACC_ECORRUPT, ACC_EREAD */
static enum acc_rc in_slot(struct rd_mpich *o, enum mdl_handle_kind kind, uint64_t slot, struct rd_mpich_place *ret)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, pool_kind(kind));
	uint32_t own, expected;

	if (!pool || slot >= pool->n_slots || pool->is_free[slot])
		return ACC_NONE;
	ret->addr = rd_mpich_slot(pool, slot, pool_kind(kind), &expected);
	ret->slot = slot;
	ret->life = MDL_LIVE;
	if (!header(o, ret->addr, &own, &ret->references))
		return ACC_EREAD;
	if (ret->references <= 0 && !own)
		return ACC_NONE; /* being created */
	if (ret->references <= 0 && (kind == MDL_REQUEST || kind == MDL_A_MESSAGE))
		return rd_mpich_request_unused(o, ret->addr);
	if (is_counted(kind) && ret->references <= 0)
		return ACC_ECORRUPT;
	if ((kind == MDL_KEYVAL ? own & ~(uint32_t)RD_MPICH_KEYVAL_OF : own) != expected)
		return ACC_ECORRUPT;
	ret->handle = own;
	ret->predefined = kind == MDL_DATATYPE && slot < RD_MPICH_PAIR_TYPES && pool->n_direct > RD_MPICH_PAIR_TYPES;
	return ACC_OK;
}

/* A datatype that this MPI lacks has neither handle nor name. @return like in_slot() */
static enum acc_rc unpooled_type(struct rd_mpich *o, uint64_t i, struct rd_mpich_place *ret)
{
	static const char prefix[] = "MPI_";
	bool direct = i >= BASIC_TYPES_MAX;
	uint64_t index = direct ? i - BASIC_TYPES_MAX : i, start = direct ? o->direct_types_addr : o->types_addr;
	uint64_t addr = start + index * acc_layout_bytes(o->layout, T_MPIR_Datatype);
	char name[sizeof(prefix)] = "";
	uint32_t handle = 0;

	if (!start)
		return ACC_NONE;
	*ret = (struct rd_mpich_place){ .addr = addr,
					.predefined = !direct || index < RD_MPICH_PAIR_TYPES,
					.life = MDL_LIVE };
	if (!header(o, addr, &handle, &ret->references))
		return ACC_NONE;
	ret->handle = handle;
	if (handle >> 26 == (uint32_t)((direct ? DIRECT : BUILTIN) << 4 | RD_MPICH_DATATYPE) &&
	    (handle & 0xff) == index)
		return ACC_OK;
	uint64_t name_addr = addr + o->layout->fields[F_MPIR_Datatype_name].offset;
	bool named = acc_layout_has(o->layout, F_MPIR_Datatype_name) &&
		     !acc_read(o->sp, name_addr, sizeof(prefix) - 1, name) && !strcmp(name, prefix);
	return named ? ACC_ECORRUPT : ACC_NONE;
}

/* Since 5.0 a communicator has its group always; MPI_Comm_group() gives the program a reference to it. */
static bool builtin_group(struct rd_mpich *o, uint64_t i, struct rd_mpich_place *ret)
{
	uint32_t library, handle = 0;

	*ret = (struct rd_mpich_place){ .addr = rd_mpich_builtin_group(o, i, &library), .life = MDL_LIVE };
	bool known = ret->addr && header(o, ret->addr, &handle, &ret->references);
	ret->handle = handle;
	return known && ret->handle == GROUP_WORLD + (uint32_t)i && ret->references > (int64_t)library;
}

static enum acc_rc is_programs(struct rd_mpich *o, enum mdl_handle_kind kind, struct rd_mpich_place *at)
{
	const struct rd_mpich_comm *c;

	switch (kind) {
	case MDL_COMM:
		c = rd_mpich_comm_find(o, at->handle);
		return c && !c->facts.internal ? ACC_OK : ACC_NONE;
	case MDL_REQUEST:
		if (rd_mpich_is_librarys_request(o, at->addr))
			return ACC_NONE;
		return rd_mpich_request_kind(o, at->addr) != RD_MPICH_MPROBE ? ACC_OK : ACC_NONE;
	case MDL_A_MESSAGE:
		return rd_mpich_request_kind(o, at->addr) == RD_MPICH_MPROBE ? ACC_OK : ACC_NONE;
	case MDL_INFO:
		return rd_mpich_is_info(o, at->addr) && !rd_mpich_is_files(o, (uint32_t)at->handle) ? ACC_OK : ACC_NONE;
	case MDL_KEYVAL:
		return rd_mpich_is_own_keyval(o, at->addr) ? ACC_NONE : ACC_OK;
	case MDL_OP:
		return rd_mpich_is_own_op(o, at) ? ACC_NONE : ACC_OK;
	case MDL_DATATYPE:
	case MDL_GROUP:
	case MDL_ERRHANDLER:
		if (kind == MDL_DATATYPE && rd_mpich_is_files(o, (uint32_t)at->handle))
			return ACC_NONE;
		if (at->predefined || at->references > (int64_t)rd_mpich_references(o, kind, at->slot))
			return ACC_OK;
		/* the groups of communicators are the library's; types and handlers were the program's */
		at->life = MDL_FREED;
		return kind == MDL_GROUP ? ACC_NONE : ACC_OK;
	default:
		return ACC_OK;
	}
}

enum acc_rc rd_mpich_place(struct rd_mpich *o, enum mdl_handle_kind kind, uint64_t i, struct rd_mpich_place *ret)
{
	memset(ret, 0, sizeof(*ret));
	/* which objects are the program's, and the files, is found with the communicators */
	enum acc_rc rc = rd_mpich_comms(o);
	if (rc)
		return rc;
	uint64_t n_other = n_unpooled(o, kind);
	if (i < builtins[kind].n) {
		const struct builtin *b = &builtins[kind].v[i];
		*ret = (struct rd_mpich_place){
			.handle = b->handle, .name = b->name, .null = b->null, .predefined = true, .life = MDL_LIVE
		};
		return ACC_OK;
	}
	i -= builtins[kind].n;
	if (i < n_other && kind == MDL_DATATYPE)
		return unpooled_type(o, i, ret);
	if (i < n_other && kind == MDL_GROUP)
		return builtin_group(o, i, ret) ? ACC_OK : ACC_NONE;
	if (i < n_other && kind == MDL_FILE) {
		*ret = (struct rd_mpich_place){ .addr = o->files[i].addr,
						.handle = o->files[i].addr,
						.life = MDL_LIVE };
		return rd_mpich_is_shared_pointer(o, ret->addr) ? ACC_NONE : ACC_OK;
	}
	if (i < n_other) {
		*ret = (struct rd_mpich_place){ .handle = 0x44000000 + (uint32_t)i,
						.predefined = true,
						.life = MDL_LIVE };
		const struct rd_mpich_comm *c = rd_mpich_comm_find(o, ret->handle);
		uint32_t handle;
		ret->addr = c ? c->addr : 0;
		return c && header(o, c->addr, &handle, &ret->references) ? ACC_OK : ACC_NONE;
	}
	rc = in_slot(o, kind, i - n_other, ret);
	return rc ? rc : is_programs(o, kind, ret);
}

static enum acc_rc key(void *state, enum mdl_handle_kind kind, uint64_t i, enum mdl_life *life, uint64_t *handle,
		       uint64_t *id)
{
	struct rd_mpich *o = state;
	struct rd_mpich_place at;
	enum acc_rc rc = rd_mpich_place(o, kind, i, &at);

	if (rc)
		return rd_object_note(o->sp, "MPICH", at.addr, rc);
	*life = at.life;
	*handle = *id = at.handle;
	return ACC_OK;
}

/* Handles say where in the pool their objects are. */
static enum acc_rc find_handle(void *state, enum mdl_handle_kind kind, uint64_t handle, uint64_t *i)
{
	struct rd_mpich *o = state;
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, pool_kind(kind));
	struct acc_note note = o->sp->note;
	struct rd_mpich_place at;
	enum acc_rc ret = ACC_NONE;
	uint64_t slot;

	/* the process may have been read again since: files are found with the communicators */
	if (kind == MDL_FILE)
		rd_mpich_comms(o);
	uint64_t n_first = builtins[kind].n + n_unpooled(o, kind);

	if (pool && kind != MDL_KEYVAL && handle <= UINT32_MAX && (handle >> 26 & 15) == (uint64_t)pool_kind(kind) &&
	    rd_mpich_slot_of_handle(pool, (uint32_t)handle, &slot) && !rd_mpich_place(o, kind, n_first + slot, &at) &&
	    at.handle == handle) {
		*i = n_first + slot;
		ret = ACC_OK;
	}
	for (uint64_t k = 0; ret && k < n_first; k++)
		if (!rd_mpich_place(o, kind, k, &at) && at.handle == handle) {
			*i = k;
			ret = ACC_OK;
		}
	o->sp->note = note;
	return ret;
}

/* ---- facts ----------------------------------------------------------------------------------------------------- */

static enum acc_rc facts(void *state, enum mdl_handle_kind kind, uint64_t i, struct mdl_handle *ret)
{
	struct rd_mpich *o = state;
	struct rd_mpich_place at;
	enum acc_rc rc = rd_mpich_place(o, kind, i, &at);

	if (rc)
		return rd_object_note(o->sp, "MPICH", at.addr, rc);
	struct mdl_handle h = {
		.kind = kind,
		.life = at.life,
		.predefined = at.predefined,
		.null = at.null,
		.handle = at.handle,
		.addr = at.addr ? at.addr : at.handle,
		.id = at.handle,
		.fortran = mdl_known((int32_t)(uint32_t)at.handle),
		.references = mdl_none(), /* MPICH counts its own references, too */
	};
	rd_object_unrecorded(&h);
	if (at.name)
		snprintf(h.name, sizeof(h.name), "%s", at.name);
	rc = rd_mpich_object_facts(o, &at, &h);
	if (rc)
		return rd_object_note(o->sp, "MPICH", at.addr, rc);
	*ret = h;
	return ACC_OK;
}

/* ---- public functions -------------------------------------------------------------------------------- */

static bool add_handle(void *state, enum mdl_handle_kind kind, uint64_t handle)
{
	struct rd_mpich *o = state;
	uint64_t n = o->n_files;

	return kind == MDL_FILE && rd_mpich_add_file(o, handle) && o->n_files > n;
}

static const char *absent(void *state, enum mdl_handle_kind kind, uint64_t handle)
{
	struct rd_mpich *o = state;
	enum rd_mpich_kind in = pool_kind(kind);
	uint32_t value = (uint32_t)handle & (kind == MDL_KEYVAL ? ~(uint32_t)RD_MPICH_KEYVAL_OF : UINT32_MAX),
		 slot_handle;
	const struct rd_mpich_pool *pool;

	if (handle > UINT32_MAX || !in || (value >> 26 & 15) != (uint32_t)in)
		return NULL;
	if (kind == MDL_REQUEST && value >> 30 == BUILTIN)
		return "it represents any request that was complete immediately";
	pool = rd_mpich_pool(o, in);
	for (uint64_t i = 0; pool && i < pool->n_slots; i++) {
		rd_mpich_slot(pool, i, in, &slot_handle);
		if (slot_handle == value)
			return pool->is_free[i] ? "its place in MPICH's memory is free: it was freed, or never used"
						: "the library's own, or being made";
	}
	return NULL;
}

enum acc_rc rd_mpich_objects(void *state, struct rd_objects *ret)
{
	struct rd_mpich *o = state;

	if (!o->initialized || rd_mpich_comms(o))
		return ACC_NONE;
	*ret = (struct rd_objects){
		.state = o,
		.known = known,
		.places = places,
		.find = find_handle,
		.int_numbers = true,
		.key = key,
		.facts = facts,
		.add = add_handle,
		.absent = absent,
		.lacks = lacks,
		.number = rd_mpich_number,
		.member = rd_mpich_member,
		.attribute = rd_mpich_attribute,
		.pair = rd_mpich_pair,
	};
	return ACC_OK;
}
