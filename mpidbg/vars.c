/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_T as arrays.
 */
#include "array.h"
#include "query.h"
#include "var_objects.h"
#include "var_words.h"

#include "../access/limits.h"
#include "../mqs/callbacks.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

_Static_assert((int)MPIDBG_VAR_BOOL == MDL_VAR_BOOL && (int)MPIDBG_VAR_CHAR == MDL_VAR_CHAR &&
		       (int)MPIDBG_VAR_LONG == MDL_VAR_LONG,
	       "datatypes have the same numbers");

enum { TEXTS_MAX = 6, NAME_BYTES = 512, LONG_BYTES = 64 * 1024 };

static const char nothing_yet[] = "MPI_T was not read yet: MPI is not initialised, or MPI2DD_VARS=none";

/* The strings of one entry, one after the other, and the offset of each. */
struct texts {
	struct rd_track_vars v;
	size_t at[TEXTS_MAX]; /* + 1; 0: NULL */
	size_t n, n_bytes;
	char bytes[LONG_BYTES];
};

static void texts_begin(struct texts *t)
{
	t->n = t->n_bytes = 0;
	t->bytes[0] = '\0';
}

/* The string appended last becomes the next field. */
static void took(struct texts *t)
{
	t->at[t->n++] = t->n_bytes + 1;
	t->n_bytes += strlen(t->bytes + t->n_bytes) + 1;
}

static void none(struct texts *t)
{
	t->at[t->n++] = 0;
}

/* Space left for the next string, reserving space for those that follow. */
static char *room(struct texts *t, size_t *size)
{
	*size = sizeof(t->bytes) - t->n_bytes - (size_t)(TEXTS_MAX - t->n) * NAME_BYTES;
	t->bytes[t->n_bytes] = '\0';
	return t->bytes + t->n_bytes;
}

static void text_at(struct texts *t, enum acc_rc *rc, uint64_t addr, bool null)
{
	size_t size;
	char *to = room(t, &size);

	if (!addr && null) {
		none(t);
		return;
	}
	enum acc_rc now = rd_track_var_text(&t->v, addr, to, size < 4 * NAME_BYTES ? size : 4 * NAME_BYTES);
	*rc = *rc ? *rc : now;
	took(t);
}

static void text_of(struct texts *t, const char *text)
{
	size_t size;
	char *to = room(t, &size);

	if (!text) {
		none(t);
		return;
	}
	snprintf(to, size, "%s", text);
	took(t);
}

/* The value, and why it is not known. */
static void text_value(struct texts *t, const struct mdl_variable *var)
{
	size_t size;
	char *to = room(t, &size);
	enum acc_rc now = mpidbg_var_value(&t->v, var, to, size);

	if (now) {
		none(t);
		text_of(t, now == ACC_NONE ? var->value.why : acc_rc_text(now));
		return;
	}
	took(t);
	none(t);
}

/* ---- entries ----------------------------------------------------------------------------------------------- */

static int64_t number_of(const struct mdl_variable *var)
{
	return var->value.known == MDL_KNOWN && var->type != MDL_VAR_DOUBLE ? var->value.value : 0;
}

static double real_of(const struct mdl_variable *var)
{
	return var->value.known == MDL_KNOWN && var->type == MDL_VAR_DOUBLE ? mpidbg_var_real(var->value.value) : 0;
}

/* Read a variable and its strings, in the order in which the callers need them. */
static enum acc_rc variable(struct texts *t, enum mdl_var_kind kind, uint64_t i, struct mdl_variable *ret)
{
	enum acc_rc rc = rd_track_variable(&t->v, kind, i, ret);

	if (rc)
		return rc;
	mpidbg_var_now(&t->v, ret);
	text_at(t, &rc, ret->name, false);
	text_at(t, &rc, ret->description, false);
	text_value(t, ret);
	text_at(t, &rc, ret->enumeration, true);
	text_at(t, &rc, ret->item, true);
	return rc;
}

static enum acc_rc cvar(struct texts *t, uint64_t i, void *ret)
{
	struct mpidbg_cvar_t *c = ret;
	struct mdl_variable var;
	enum acc_rc rc = variable(t, MDL_CVARS, i, &var);

	if (rc)
		return rc;
	*c = (struct mpidbg_cvar_t){
		.cvar_index = (int)i,
		.cvar_origin = var.of_mpi ? MPIDBG_ORIGIN_MPI : MPIDBG_ORIGIN_MPI2DD,
		.cvar_type = (int)var.type,
		.cvar_scope = mpidbg_known_int(var.scope, -1),
		.cvar_bind = mpidbg_known_int(var.bind, -1),
		.cvar_verbosity = mpidbg_known_int(var.verbosity, 0),
		.cvar_count = mpidbg_known_int(var.count, 0),
		.cvar_number = number_of(&var),
		.cvar_real = real_of(&var),
		.cvar_time = mpidbg_known(var.read_at, 0),
	};
	return ACC_OK;
}

static enum acc_rc pvar(struct texts *t, uint64_t i, void *ret)
{
	struct mpidbg_pvar_t *p = ret;
	struct mdl_variable var;
	enum acc_rc rc = variable(t, MDL_PVARS, i, &var);

	if (rc)
		return rc;
	*p = (struct mpidbg_pvar_t){
		.pvar_index = (int)i,
		.pvar_origin = var.of_mpi ? MPIDBG_ORIGIN_MPI : MPIDBG_ORIGIN_MPI2DD,
		.pvar_class = mpidbg_known_int(var.var_class, -1),
		.pvar_type = (int)var.type,
		.pvar_bind = mpidbg_known_int(var.bind, -1),
		.pvar_verbosity = mpidbg_known_int(var.verbosity, 0),
		.pvar_readonly = mpidbg_known_int(var.readonly, -1),
		.pvar_continuous = mpidbg_known_int(var.continuous, -1),
		.pvar_atomic = mpidbg_known_int(var.atomic, -1),
		.pvar_number = number_of(&var),
		.pvar_real = real_of(&var),
		.pvar_time = mpidbg_known(var.read_at, 0),
	};
	return ACC_OK;
}

static enum acc_rc category(struct texts *t, uint64_t i, void *ret)
{
	struct mpidbg_category_t *c = ret;
	struct mdl_category m;
	enum acc_rc rc = rd_track_category(&t->v, i, &m);

	if (rc)
		return rc;
	text_at(t, &rc, m.name, false);
	text_at(t, &rc, m.description, false);
	*c = (struct mpidbg_category_t){
		.cat_index = (int)i,
		.cat_origin = m.of_mpi ? MPIDBG_ORIGIN_MPI : MPIDBG_ORIGIN_MPI2DD,
		.cat_parent = mpidbg_known_int(m.parent, -1),
		.cat_num_cvars = (int)m.members[MPIDBG_MEMBER_CVARS].n,
		.cat_num_pvars = (int)m.members[MPIDBG_MEMBER_PVARS].n,
		.cat_num_events = (int)m.members[MPIDBG_MEMBER_EVENTS].n,
		.cat_num_categories = (int)m.members[MPIDBG_MEMBER_CATEGORIES].n,
	};
	return rc;
}

static enum acc_rc event(struct texts *t, uint64_t i, void *ret)
{
	struct mpidbg_event_t *e = ret;
	struct mdl_event m;
	int64_t elements[MPIDBG_EVENT_ELEMENTS_MAX] = { 0 };
	enum acc_rc rc = rd_track_event(&t->v, i, &m);

	if (rc)
		return rc;
	uint64_t n = !m.elements.known                          ? 0
		     : m.elements.n < MPIDBG_EVENT_ELEMENTS_MAX ? m.elements.n
								: MPIDBG_EVENT_ELEMENTS_MAX;
	text_at(t, &rc, m.name, false);
	text_at(t, &rc, m.description, false);
	text_at(t, &rc, m.source, false);
	if (!rc && n)
		rc = rd_track_numbers(t->v.t, &m.elements, 1, 0, n, elements);
	*e = (struct mpidbg_event_t){
		.event_index = (int)i,
		.event_origin = m.of_mpi ? MPIDBG_ORIGIN_MPI : MPIDBG_ORIGIN_MPI2DD,
		.event_source_ordered = m.ordered,
		.event_bind = mpidbg_known_int(m.bind, -1),
		.event_num_elements = (int)n,
	};
	for (uint64_t k = 0; k < n; k++)
		e->event_elements[k] = elements[k] < MDL_N_VAR_TYPES ? (int)elements[k] : MPIDBG_VAR_OTHER;
	return rc;
}

static enum acc_rc registration(struct texts *t, uint64_t i, void *ret)
{
	struct mpidbg_registration_t *r = ret;
	struct mdl_registration m;
	enum acc_rc rc = rd_track_registration(&t->v, i, &m);

	if (rc)
		return rc;
	*r = (struct mpidbg_registration_t){
		.reg_event = mpidbg_known_int(m.event, -1),
		.reg_freed = m.freed,
		.reg_handle = m.handle,
		.reg_object = (mqs_taddr_t)mpidbg_known(m.object, 0),
		.reg_dropped_handler = (mqs_taddr_t)mpidbg_known(m.dropped_handler, 0),
		.reg_raised = mpidbg_known(m.raised, 0),
		.reg_dropped = mpidbg_known(m.dropped, 0),
	};
	for (int level = 0; level < 4; level++)
		r->reg_callbacks[level] = (mqs_taddr_t)mpidbg_known(m.callbacks[level], 0);
	return ACC_OK;
}

/* ---- arrays -------------------------------------------------------------------------------------------------- */

static const struct list {
	const char *what;
	enum acc_rc (*entry)(struct texts *t, uint64_t i, void *ret);
	size_t bytes, n_strings, strings[TEXTS_MAX];
} lists[MDL_N_VAR_KINDS] = {
#define AT(type, member) offsetof(struct mpidbg_##type, member)
	[MDL_CVARS] = { "control variables",
			cvar,
			sizeof(struct mpidbg_cvar_t),
			6,
			{ AT(cvar_t, cvar_name), AT(cvar_t, cvar_description), AT(cvar_t, cvar_value),
			  AT(cvar_t, cvar_why), AT(cvar_t, cvar_enum), AT(cvar_t, cvar_item) } },
	[MDL_PVARS] = { "performance variables",
			pvar,
			sizeof(struct mpidbg_pvar_t),
			6,
			{ AT(pvar_t, pvar_name), AT(pvar_t, pvar_description), AT(pvar_t, pvar_value),
			  AT(pvar_t, pvar_why), AT(pvar_t, pvar_enum), AT(pvar_t, pvar_item) } },
	[MDL_CATEGORIES] = { "categories",
			     category,
			     sizeof(struct mpidbg_category_t),
			     2,
			     { AT(category_t, cat_name), AT(category_t, cat_description) } },
	[MDL_EVENTS] = { "events",
			 event,
			 sizeof(struct mpidbg_event_t),
			 3,
			 { AT(event_t, event_name), AT(event_t, event_description), AT(event_t, event_source) } },
	[MDL_REGISTRATIONS] = { "registrations", registration, sizeof(struct mpidbg_registration_t), 0, { 0 } },
#undef AT
};

/* Append an entry and its strings to the array. */
static enum acc_rc append_var(struct mpidbg_array *array, const struct list *list, struct texts *t, const void *entry)
{
	const char *text;
	char *to = mpidbg_array_add(array, 1, t->bytes, t->n_bytes, &text);

	if (!to)
		return ACC_ENOMEM;
	memcpy(to, entry, list->bytes);
	for (size_t k = 0; k < list->n_strings; k++) {
		const char *at = t->at[k] ? text + t->at[k] - 1 : NULL;

		memcpy(to + list->strings[k], &at, sizeof(at));
	}
	return ACC_OK;
}

static enum acc_rc collect(const struct list *list, enum mdl_var_kind kind, struct texts *t, struct mpidbg_array *array)
{
	union {
		struct mpidbg_cvar_t cvar;
		struct mpidbg_pvar_t pvar;
		struct mpidbg_category_t category;
		struct mpidbg_event_t event;
		struct mpidbg_registration_t registration;
	} entry;
	enum acc_rc bad = ACC_OK;
	unsigned n_bad = 0;

	array->n = (size_t)rd_track_vars_high(&t->v, kind);
	for (uint64_t i = 0; i < rd_track_vars_high(&t->v, kind); i++) {
		texts_begin(t);

		enum acc_rc rc = list->entry(t, i, &entry);
		if (rc == ACC_NONE)
			continue;
		if (!rc)
			rc = append_var(array, list, t, &entry);
		else
			bad = rc; /* an invalid record is skipped, unless there is no valid one */
		if (rc == ACC_ENOMEM || (rc && ++n_bad > ACC_BAD_MAX))
			return rc;
	}
	return array->n_filled ? ACC_OK : bad ? bad : ACC_NONE;
}

static int get(mqs_process *process, enum mdl_var_kind kind, void **ret, size_t *n_ret)
{
	const struct list *list = &lists[kind];
	struct _mqs_process_info *p;

	if (!ret || !n_ret)
		return MPIDBG_ERR_OUT_OF_RANGE;
	int code = mpidbg_query_begin(process, true, &p);
	if (code)
		return code;

	struct mpidbg_array array = { .entry_bytes = list->bytes,
				      .strings = list->strings,
				      .n_strings = list->n_strings };
	struct texts *t = mqs_callbacks_alloc(sizeof(*t));
	enum acc_rc rc = t ? rd_track_vars(p->track, &t->v) : ACC_ENOMEM;
	if (!rc)
		t->v.native = kind == MDL_PVARS ? mpidbg_var_native(p) : NULL;
	if (!rc)
		rc = collect(list, kind, t, &array);
	if (rc == ACC_NONE)
		mqs_state_fail(p, rc, nothing_yet);
	mqs_callbacks_release(t);
	if (rc) {
		mpidbg_array_free(&array);
	} else {
		*ret = array.bytes;
		*n_ret = array.n_filled;
	}
	return mpidbg_query_end(p, rc, list->what);
}

int mpidbg_get_cvars(mqs_process *process, struct mpidbg_cvar_t **ret, size_t *n_ret)
{
	return get(process, MDL_CVARS, (void **)ret, n_ret);
}

int mpidbg_get_pvars(mqs_process *process, struct mpidbg_pvar_t **ret, size_t *n_ret)
{
	return get(process, MDL_PVARS, (void **)ret, n_ret);
}

int mpidbg_get_categories(mqs_process *process, struct mpidbg_category_t **ret, size_t *n_ret)
{
	return get(process, MDL_CATEGORIES, (void **)ret, n_ret);
}

int mpidbg_get_events(mqs_process *process, struct mpidbg_event_t **ret, size_t *n_ret)
{
	return get(process, MDL_EVENTS, (void **)ret, n_ret);
}

int mpidbg_get_registrations(mqs_process *process, struct mpidbg_registration_t **ret, size_t *n_ret)
{
	return get(process, MDL_REGISTRATIONS, (void **)ret, n_ret);
}

/* ---- state, members of categories ------------------------------------------------------------------------------ */

int mpidbg_get_vars_state(mqs_process *process, struct mpidbg_vars_state_t **ret)
{
	enum { WHY_BYTES = 64 };
	struct _mqs_process_info *p;
	struct rd_track_vars v;

	if (!ret)
		return MPIDBG_ERR_OUT_OF_RANGE;
	int code = mpidbg_query_begin(process, true, &p);
	if (code)
		return code;

	enum acc_rc rc = rd_track_vars(p->track, &v);
	struct mpidbg_vars_state_t *state = rc ? NULL : mqs_callbacks_alloc(sizeof(*state) + WHY_BYTES);
	if (!rc && !state)
		rc = ACC_ENOMEM;
	if (!rc) {
		char *why = (char *)(state + 1);

		*state = (struct mpidbg_vars_state_t){
			.vars_time = mpidbg_known(v.about.read_at, 0),
			.vars_n = mpidbg_known(v.about.n_refreshes, 0),
			.vars_why = why,
			.vars_has_mpi = v.about.host == MDL_VARS_READ,
			.vars_todo = mpidbg_vars_todo(&v.about),
			.vars_n_dropped = v.about.n_dropped,
		};
		rc = rd_track_var_text(&v, v.about.why, why, WHY_BYTES);
		if (rc)
			mqs_callbacks_release(state);
		else
			*ret = state;
	}
	if (rc == ACC_NONE)
		mqs_state_fail(p, rc, nothing_yet);
	return mpidbg_query_end(p, rc, "MPI_T");
}

int mpidbg_get_category_members(mqs_process *process, int category_index, int member, int **ret, size_t *n_ret)
{
	struct _mqs_process_info *p;
	struct rd_track_vars v;
	struct mdl_category c;
	int *list = NULL, n = 0;

	if (!ret || !n_ret || category_index < 0 || member < 0 || member > MPIDBG_MEMBER_CATEGORIES)
		return MPIDBG_ERR_OUT_OF_RANGE;
	int code = mpidbg_query_begin(process, true, &p);
	if (code)
		return code;

	enum acc_rc rc = rd_track_vars(p->track, &v);
	if (!rc)
		rc = rd_track_category(&v, (uint64_t)category_index, &c);
	struct mpidbg_fill f = { .p = p, .t = p->track, .rc = rc };
	if (!rc)
		list = mpidbg_fill_ints(&f, 0, &c.members[member], &n);
	rc = f.rc;
	if (rc == ACC_NONE)
		mqs_state_fail(p, rc, "there is no such category");
	if (!rc) {
		*ret = list;
		*n_ret = (size_t)n;
	}
	return mpidbg_query_end(p, rc, "category");
}
