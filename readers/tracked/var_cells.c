/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cells of performance variables.
 */
#include "var_cells.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { CELLS_MAX = 4096, STRIDE_MAX = 1 << 16 };

/* How a variable is counted, from its record. */
struct cells {
	uint64_t first, minus, in_use;
	uint64_t bytes, n, stride, divisor;
};

static bool read_u(const struct rd_track_vars *v, uint64_t addr, unsigned width, uint64_t *ret)
{
	unsigned char bytes[8];

	if (!acc_plausible(v->t->sp, addr, width) || acc_read(v->t->sp, addr, width, bytes))
		return false;
	*ret = acc_decode_u(v->t->sp, bytes, width);
	return true;
}

static bool sum(const struct rd_track_vars *v, const struct cells *c, uint64_t addr, uint64_t n, uint64_t *ret)
{
	uint64_t all = 0, one;

	for (uint64_t i = 0; i < n; i++) {
		if (!read_u(v, addr + i * c->stride, (unsigned)c->bytes, &one))
			return false;
		all += one;
	}
	*ret = all;
	return true;
}

static bool load_cells(const struct rd_track_vars *v, struct acc_obj *o, struct cells *ret)
{
	struct cells c = { 0 };

	if (!rd_track_has(v->t, F_trk_pvar_cells) || !rd_track_has(v->t, F_trk_pvar_minus) ||
	    !rd_track_has(v->t, F_trk_pvar_in_use) || !rd_track_has(v->t, F_trk_pvar_cell_bytes) ||
	    !rd_track_has(v->t, F_trk_pvar_n_cells) || !rd_track_has(v->t, F_trk_pvar_cell_stride) ||
	    !rd_track_has(v->t, F_trk_pvar_divisor))
		return false;
	c.first = acc_get_u(o, F_trk_pvar_cells);
	c.minus = acc_get_u(o, F_trk_pvar_minus);
	c.in_use = acc_get_u(o, F_trk_pvar_in_use);
	c.bytes = acc_get_u(o, F_trk_pvar_cell_bytes);
	c.n = acc_get_u(o, F_trk_pvar_n_cells);
	c.stride = acc_get_u(o, F_trk_pvar_cell_stride);
	c.divisor = acc_get_u(o, F_trk_pvar_divisor);
	*ret = c;
	return !o->rc && c.first && (c.bytes == 4 || c.bytes == 8) && c.n && c.n <= CELLS_MAX && c.stride <= STRIDE_MAX;
}

/* Is the variable being counted? @return false: not known; else the answer is in *ret */
static bool is_counting(const struct rd_track_vars *v, struct acc_obj *o, bool *ret)
{
	uint64_t addr, mask, now;

	if (!rd_track_has(v->t, F_trk_pvar_counting) || !rd_track_has(v->t, F_trk_pvar_counting_mask))
		return false;
	addr = acc_get_u(o, F_trk_pvar_counting);
	mask = acc_get_u(o, F_trk_pvar_counting_mask);
	if (o->rc || (addr && !read_u(v, addr, 4, &now)))
		return false;
	*ret = !addr || (now & mask) == mask;
	return true;
}

static bool read_value(const struct rd_track_vars *v, struct acc_obj *o, struct mdl_variable *ret)
{
	uint64_t n, plus, less = 0;
	struct cells c;

	if (!load_cells(v, o, &c))
		return false;
	n = c.n;
	if (c.in_use && !read_u(v, c.in_use, 4, &n))
		return false;
	n = n < c.n ? n : c.n;
	if ((c.minus && !sum(v, &c, c.minus, n, &less)) || !sum(v, &c, c.first, n, &plus))
		return false;
	/* a process stopped in between may have subtracted more than it has added */
	plus = plus > less ? plus - less : 0;
	if (ret->type == MDL_VAR_DOUBLE) {
		double real = (double)plus / (double)(c.divisor ? c.divisor : 1);
		memcpy(&plus, &real, sizeof(plus));
	}
	ret->value = mdl_known((int64_t)plus);
	ret->objects = (struct mdl_list){ .known = false };
	return true;
}

/* Number of active requests, as the library itself would count them now. @return false: not known */
static bool count_active(const struct rd_track_vars *v, struct mdl_variable *ret)
{
	struct rd_track_iter it;
	struct mdl_handle h;
	int64_t n = 0;

	enum acc_rc rc = rd_track_first(v->t, MDL_REQUEST, RD_TRACK_LIVE, &it);
	while (rc == ACC_OK && (rc = rd_track_next(&it, &h)) == ACC_OK)
		n += h.life == MDL_LIVE && h.request.active;
	if (rc != ACC_NONE || it.n_bad)
		return false;
	ret->value = mdl_known(n);
	return true;
}

/* @return false: the computation is not known here */
static bool work_out(const struct rd_track_vars *v, struct acc_obj *o, struct mdl_variable *ret)
{
	uint64_t how = rd_track_has(v->t, F_trk_pvar_worked_out) ? acc_get_u(o, F_trk_pvar_worked_out) : 0;

	if (o->rc || how != TRK_WORKED_OUT_REQUESTS_ACTIVE || !count_active(v, ret))
		return false;
	ret->objects = (struct mdl_list){ .known = false };
	return true;
}

bool rd_track_var_cells(const struct rd_track_vars *v, struct acc_obj *o, struct mdl_variable *ret)
{
	struct mdl_list cells = rd_track_has(v->t, F_trk_pvar_object_cells)
					? rd_track_list(o, F_trk_pvar_object_cells, sizeof(struct trk_object_cell))
					: (struct mdl_list){ .known = false };
	bool counting, bound = cells.known && cells.n;

	if (ret->of_mpi || !is_counting(v, o, &counting))
		return false;
	if (!counting) {
		ret->value = mdl_unavailable("not counting: no handle is started");
		ret->objects = (struct mdl_list){ .known = false };
	} else if (bound && ret->objects.known && ret->objects.n == cells.n) {
		ret->value = mdl_none();
		ret->cells = cells;
	} else if (bound || (!read_value(v, o, ret) && !work_out(v, o, ret))) {
		return false;
	}
	ret->is_text = false;
	ret->read_at = mdl_none();
	return true;
}

void rd_track_object_cell(const struct rd_track_vars *v, const struct mdl_variable *var, uint64_t i,
			  struct mdl_object_value *ret)
{
	unsigned char b[sizeof(struct trk_object_cell)];
	struct acc_space *sp = v->t->sp;
	struct mdl_handle h;
	uint64_t value;

	if (!var->cells.known || i >= var->cells.n || acc_read(sp, var->cells.addr + i * sizeof(b), sizeof(b), b))
		return;
	uint64_t cell = acc_decode_u(sp, b + offsetof(struct trk_object_cell, cell), 8);
	uint64_t id = acc_decode_u(sp, b + offsetof(struct trk_object_cell, id), 8);

	/* the in-target library binds variables to communicators only */
	ret->gone = rd_track_find(v->t, MDL_COMM, ret->object, &h) != ACC_OK || h.life != MDL_LIVE || h.id != id;
	if (cell && read_u(v, cell, 8, &value))
		ret->value = value;
}
