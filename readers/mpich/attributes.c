/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes: a chain of MPIR_Attribute (src/include/mpir_attr_generic.h). A topology is one, whose keyval the library
 * makes at the first topology; it is known by its functions, which are the library's, and by what its value points to.
 * Predefined attributes are in no chain.
 */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	CHAIN_MAX = 4096,
	DIMS_MAX = 1024,
	NEIGHBOURS_MAX = 1 << 20,
	VALUE_POINTER = 0, /* MPIR_Attr_type */
};

static bool can(const struct rd_mpich *o)
{
	return acc_layout_has(o->layout, F_MPIR_Attribute_value) && acc_layout_has(o->layout, F_MPIR_Attribute_next) &&
	       acc_layout_has(o->layout, F_MPIR_Attribute_keyval) &&
	       acc_layout_has(o->layout, F_MPIR_Attribute_attrType);
}

struct one {
	uint64_t keyval_addr, value, type;
};

static enum acc_rc load_attribute(struct rd_mpich *o, uint64_t addr, struct one *ret)
{
	struct acc_note note = o->sp->note;
	struct acc_obj a;

	acc_obj_load(&a, o->sp, o->layout, T_MPIR_Attribute, addr);
	*ret = (struct one){ acc_get_u(&a, F_MPIR_Attribute_keyval), acc_get_u(&a, F_MPIR_Attribute_value),
			     acc_get_u(&a, F_MPIR_Attribute_attrType) };
	o->sp->note = note;
	return a.rc;
}

static void start_attributes(struct rd_mpich *o, uint64_t first_addr, struct acc_walk *w)
{
	acc_walk_init(w, o->sp, first_addr, 0, (uint32_t)o->layout->fields[F_MPIR_Attribute_next].offset, CHAIN_MAX);
}

/* ---- topologies ------------------------------------------------------------------------------------------------ */

/* @return false: one of them is not in 0 .. below - 1 */
static bool are_ints(struct rd_mpich *o, uint64_t addr, int64_t n, int64_t below)
{
	uint64_t raw;

	for (int64_t i = 0; i < n; i++)
		if (acc_read_u(o->sp, addr + (uint64_t)i * 4, 4, &raw) || (int32_t)(uint32_t)raw < 0 ||
		    (int64_t)raw >= below)
			return false;
	return true;
}

/* The product of the dimensions is the number of processes. */
static bool is_cart(struct rd_mpich *o, struct acc_obj *t, int64_t size)
{
	int64_t n = acc_get_i(t, F_MPIR_Topology_ndims), product = 1;
	uint64_t dims = acc_get_u(t, F_MPIR_Topology_dims), raw;

	if (n < 0 || n > DIMS_MAX || acc_get_i(t, F_MPIR_Topology_nnodes) != size)
		return false;
	for (int64_t i = 0; i < n; i++)
		if (acc_read_u(o->sp, dims + (uint64_t)i * 4, 4, &raw) || !raw || (int64_t)raw > size ||
		    __builtin_mul_overflow(product, (int64_t)raw, &product))
			return false;
	return product == size && are_ints(o, acc_get_u(t, F_MPIR_Topology_periodic), n, 2) &&
	       are_ints(o, acc_get_u(t, F_MPIR_Topology_position), n, size);
}

/* The last index is the number of edges. */
static bool is_graph(struct rd_mpich *o, struct acc_obj *t, int64_t size)
{
	int64_t n = acc_get_i(t, F_MPIR_Topology_nnodes), n_edges = acc_get_i(t, F_MPIR_Topology_nedges);
	uint64_t last, index = acc_get_u(t, F_MPIR_Topology_index);

	return n == size && n > 0 && n_edges >= 0 && n_edges <= CHAIN_MAX * n &&
	       !acc_read_u(o->sp, index + (uint64_t)(n - 1) * 4, 4, &last) && (int64_t)last == n_edges &&
	       are_ints(o, acc_get_u(t, F_MPIR_Topology_edges), n_edges, size);
}

static bool is_dist_graph(struct rd_mpich *o, struct acc_obj *t, int64_t size)
{
	int64_t n_in = acc_get_i(t, F_MPIR_Topology_indegree), n_out = acc_get_i(t, F_MPIR_Topology_outdegree);
	uint64_t weighted = acc_get_u(t, F_MPIR_Topology_is_weighted);

	return n_in >= 0 && n_in <= NEIGHBOURS_MAX && n_out >= 0 && n_out <= NEIGHBOURS_MAX && weighted <= 1 &&
	       are_ints(o, acc_get_u(t, F_MPIR_Topology_in), n_in, size) &&
	       are_ints(o, acc_get_u(t, F_MPIR_Topology_out), n_out, size);
}

static enum mdl_topology_kind topology_at(struct rd_mpich *o, uint64_t addr, int64_t size)
{
	struct acc_note note = o->sp->note;
	enum mdl_topology_kind kind = MDL_TOPO_NONE;
	struct acc_obj t;

	if (!acc_layout_has(o->layout, F_MPIR_Topology_kind) || !acc_plausible(o->sp, addr, 8))
		return MDL_TOPO_NONE;
	acc_obj_load(&t, o->sp, o->layout, T_MPIR_Topology, addr);
	enum mdl_topology_kind own = t.rc ? MDL_TOPO_NONE
					  : rd_mpich_topology_kind(o, acc_get_u(&t, F_MPIR_Topology_kind));
	if ((own == MDL_TOPO_CART && is_cart(o, &t, size)) || (own == MDL_TOPO_GRAPH && is_graph(o, &t, size)) ||
	    (own == MDL_TOPO_DIST_GRAPH && is_dist_graph(o, &t, size)))
		kind = own;
	o->sp->note = note;
	return t.rc ? MDL_TOPO_NONE : kind;
}

/* The function of the keyval that deletes an attribute; 0: it has none, or cannot be read. */
static uint64_t deleter_of(struct rd_mpich *o, uint64_t keyval_addr)
{
	struct acc_note note = o->sp->note;
	struct acc_obj k;

	if (!acc_layout_has(o->layout, F_MPII_Keyval_delete_function))
		return 0;
	acc_obj_load(&k, o->sp, o->layout, T_MPII_Keyval, keyval_addr);
	uint64_t function = acc_get_u(&k, F_MPII_Keyval_delete_function);
	o->sp->note = note;
	return k.rc ? 0 : function;
}

/* The keyval is for communicators and has functions; where the library's code is not known, the program's may, too. */
static bool may_be_topology(struct rd_mpich *o, const struct one *a)
{
	struct acc_note note = o->sp->note;
	struct acc_obj k;

	if (a->type != VALUE_POINTER || !a->value || !acc_layout_has(o->layout, F_MPII_Keyval_kind))
		return false;
	acc_obj_load(&k, o->sp, o->layout, T_MPII_Keyval, a->keyval_addr);
	bool ok = acc_get_u(&k, F_MPII_Keyval_kind) == RD_MPICH_COMM && !acc_get_u(&k, F_MPII_Keyval_extra_state) &&
		  acc_get_u(&k, F_MPII_Keyval_copy_function) && acc_get_u(&k, F_MPII_Keyval_delete_function);
	o->sp->note = note;
	return !k.rc && ok;
}

uint64_t rd_mpich_topology_addr(struct rd_mpich *o, const struct rd_mpich_comm *c, enum mdl_topology_kind *kind)
{
	uint64_t first, addr;
	struct acc_walk w;
	struct one a;

	*kind = MDL_TOPO_NONE;
	if (!can(o) || !acc_layout_has(o->layout, F_MPIR_Comm_attributes) || c->facts.inter ||
	    acc_read_ptr(o->sp, c->addr + o->layout->fields[F_MPIR_Comm_attributes].offset, &first))
		return 0;
	start_attributes(o, first, &w);
	while (acc_walk_next(&w, &addr) == ACC_OK) {
		if (load_attribute(o, addr, &a) || !may_be_topology(o, &a))
			continue;
		*kind = topology_at(o, a.value, c->facts.size);
		if (*kind == MDL_TOPO_NONE ||
		    (rd_mpich_is_code_known(o) && !rd_mpich_is_own_code(o, deleter_of(o, a.keyval_addr)))) {
			*kind = MDL_TOPO_NONE;
			continue;
		}
		o->topology_keyval_addr = a.keyval_addr;
		return a.value;
	}
	return 0;
}

bool rd_mpich_is_own_keyval(struct rd_mpich *o, uint64_t addr)
{
	enum mdl_topology_kind kind;

	if (rd_mpich_is_own_code(o, deleter_of(o, addr)))
		return true;
	if (rd_mpich_is_code_known(o))
		return false;
	for (uint64_t i = 0; !o->topology_keyval_asked && !o->topology_keyval_addr && i < o->n_comms; i++)
		rd_mpich_topology_addr(o, &o->comms[i], &kind);
	o->topology_keyval_asked = true;
	return o->topology_keyval_addr && addr == o->topology_keyval_addr;
}

/* ---- the program's ------------------------------------------------------------------------------------ */

struct mdl_list rd_mpich_attributes(struct rd_mpich *o, uint64_t first_addr)
{
	struct mdl_list ret = { .addr = first_addr, .form = RD_MPICH_ATTRIBUTES };
	struct acc_walk w;
	uint64_t addr;
	struct one a;
	enum acc_rc rc;

	if (!can(o))
		return ret;
	start_attributes(o, first_addr, &w);
	while ((rc = acc_walk_next(&w, &addr)) == ACC_OK)
		ret.n += !load_attribute(o, addr, &a) && !rd_mpich_is_own_keyval(o, a.keyval_addr);
	ret.total = ret.n;
	ret.known = rc == ACC_NONE;
	return ret;
}

enum acc_rc rd_mpich_attribute(void *state, const struct mdl_list *list, uint64_t i, struct mdl_handle_attribute *ret)
{
	struct rd_mpich *o = state;
	struct acc_walk w;
	uint64_t addr;
	struct one a;

	start_attributes(o, list->addr, &w);
	while (acc_walk_next(&w, &addr) == ACC_OK) {
		if (load_attribute(o, addr, &a) || rd_mpich_is_own_keyval(o, a.keyval_addr) || i--)
			continue;
		struct mdl_num handle = rd_mpich_handle_at(o, a.keyval_addr);
		bool known = handle.known == MDL_KNOWN;
		*ret = (struct mdl_handle_attribute){ .keyval = known ? (uint64_t)handle.value : 0,
						      .key = known ? (int32_t)(uint32_t)handle.value : 0,
						      .value = a.value,
						      .integer = a.type != VALUE_POINTER };
		return ACC_OK;
	}
	return ACC_ECORRUPT;
}
