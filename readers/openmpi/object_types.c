/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes: an ompi_datatype_t starts with an opal_datatype_t, which has the bounds
 * (opal/datatype/opal_datatype.h). How the type was constructed is in ompi_datatype_args_t
 * (ompi/datatype/ompi_datatype_args.c). The numbers of combiners are those of enum mdl_combiner.
 */
#include "objects.h"

#include <stdio.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { ARGUMENTS_MAX = 1 << 24 };

enum acc_rc rd_ompi_datatype_flags(struct rd_ompi *o, uint64_t addr, uint64_t *ret)
{
	const struct acc_field_at *flags = &o->layout->fields[F_opal_datatype_t_flags],
				  *id = &o->layout->fields[F_opal_datatype_t_id];

	if (!rd_ompi_has(o, F_opal_datatype_t_flags) || !rd_ompi_has(o, F_opal_datatype_t_id))
		return ACC_EFIELD;
	return acc_read_u(o->sp, addr + flags->offset, id->offset == flags->offset + 2 ? 2 : 4, ret);
}

static uint64_t field_number(struct acc_obj *a, unsigned field, unsigned width)
{
	uint64_t raw = 0, addr = acc_get_addr(a, field);

	if (!a->rc)
		a->rc = acc_read_u(a->sp, addr, width, &raw);
	return raw;
}

enum acc_rc rd_ompi_args(struct rd_ompi *o, uint64_t datatype_addr, struct rd_ompi_args *ret)
{
	uint64_t addr = rd_ompi_pointer(o, datatype_addr, F_ompi_datatype_t_args);
	bool large = rd_ompi_has(o, F_ompi_datatype_args_t_cl);
	unsigned width = large ? o->sp->sizes.pointer_bytes : 4;
	struct acc_obj a;

	if (!addr)
		return ACC_NONE;
	if (rd_ompi_quiet_load(o, T_ompi_datatype_args_t, addr, &a))
		return a.rc;
	*ret = (struct rd_ompi_args){
		.combiner = acc_get_i(&a, F_ompi_datatype_args_t_create_type),
		.n_ints = field_number(&a, F_ompi_datatype_args_t_ci, width),
		.n_addresses = field_number(&a, F_ompi_datatype_args_t_ca, width),
		.n_types = field_number(&a, F_ompi_datatype_args_t_cd, width),
		.n_counts = large ? field_number(&a, F_ompi_datatype_args_t_cl, width) : 0,
		.ints_addr = acc_get_u(&a, F_ompi_datatype_args_t_i),
		.addresses_addr = acc_get_u(&a, F_ompi_datatype_args_t_a),
		.types_addr = acc_get_u(&a, F_ompi_datatype_args_t_d),
		.counts_addr = large ? acc_get_u(&a, F_ompi_datatype_args_t_l) : 0,
	};
	if (a.rc)
		return a.rc;
	if (ret->combiner <= MDL_NAMED || ret->combiner >= MDL_N_COMBINERS || ret->n_ints > ARGUMENTS_MAX ||
	    ret->n_addresses > ARGUMENTS_MAX || ret->n_types > ARGUMENTS_MAX || ret->n_counts > ARGUMENTS_MAX)
		return ACC_ECORRUPT;
	return ACC_OK;
}

static void arguments(struct rd_ompi *o, uint64_t addr, struct mdl_handle_datatype *d)
{
	struct rd_ompi_args a;

	if (rd_ompi_args(o, addr, &a)) {
		d->combiner = mdl_unavailable("its arguments make no sense");
		return;
	}
	d->combiner = mdl_known(a.combiner);
	d->datatypes = rd_ompi_elements(a.types_addr, a.n_types, RD_OMPI_HANDLES);
	d->integers = rd_ompi_elements(a.ints_addr, a.n_ints, RD_OMPI_INTS);
	d->addresses = rd_ompi_elements(a.addresses_addr, a.n_addresses, RD_OMPI_LONGS);
	if (a.n_counts && !a.n_ints)
		d->integers = rd_ompi_elements(a.counts_addr, a.n_counts, RD_OMPI_LONGS);
	else if (a.n_counts) /* ints and counts: their order in the list depends on the constructor */
		d->integers.known = false;
}

enum acc_rc rd_ompi_datatype_facts(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *h)
{
	struct mdl_handle_datatype *d = &h->datatype;
	struct acc_obj base, obj;
	uint64_t flags;

	if (rd_ompi_quiet_load(o, T_opal_datatype_t, at->addr, &base) ||
	    rd_ompi_quiet_load(o, T_ompi_datatype_t, at->addr, &obj))
		return base.rc ? base.rc : obj.rc;
	rd_ompi_name_of(o, &obj, F_ompi_datatype_t_name, h->name);
	if (at->null)
		snprintf(h->name, sizeof(h->name), "MPI_DATATYPE_NULL"); /* the library calls it MPI_EMPTY */
	if (at->null || obj.rc)
		return obj.rc;
	enum acc_rc rc = rd_ompi_datatype_flags(o, at->addr, &flags);
	if (rc)
		return rc;
	int64_t lb = acc_get_i(&base, F_opal_datatype_t_lb), true_lb = acc_get_i(&base, F_opal_datatype_t_true_lb);
	int64_t extent, true_extent;
	bool wrong = __builtin_sub_overflow(acc_get_i(&base, F_opal_datatype_t_ub), lb, &extent) ||
		     __builtin_sub_overflow(acc_get_i(&base, F_opal_datatype_t_true_ub), true_lb, &true_extent);
	d->size = mdl_known(acc_get_i(&base, F_opal_datatype_t_size));
	if (base.rc || wrong)
		return base.rc ? base.rc : ACC_ECORRUPT;
	d->committed = at->predefined || flags & RD_OMPI_TYPE_COMMITTED;
	d->lower_bound = mdl_known(lb);
	d->extent = mdl_known(extent);
	d->true_lower_bound = mdl_known(true_lb);
	d->true_extent = mdl_known(true_extent);
	d->attributes = rd_ompi_attributes(o, acc_get_u(&obj, F_ompi_datatype_t_d_keyhash), RD_OMPI_ATTRIBUTES);
	/* types of MPI_Type_create_f90_... are flagged as predefined, too, but have arguments */
	if (flags & RD_OMPI_TYPE_PREDEFINED && !acc_get_u(&obj, F_ompi_datatype_t_args))
		d->combiner = mdl_known(MDL_NAMED);
	else
		arguments(o, at->addr, d);
	return ACC_OK;
}
