/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables and records of MPI_T.
 */
#include "vars.h"

#include "registry.h"
#include "var_cells.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { TABLES_MAX = 64, ROWS_MAX = 1 << 20 };

static const unsigned types[MDL_N_VAR_KINDS] = {
	[MDL_CVARS] = T_trk_cvar,
	[MDL_PVARS] = T_trk_pvar,
	[MDL_CATEGORIES] = T_trk_category,
	[MDL_EVENTS] = T_trk_event,
	[MDL_REGISTRATIONS] = T_trk_registration,
};

_Static_assert((int)MDL_N_VAR_TYPES == TRK_VAR_TYPES && (int)MDL_VAR_BOOL == TRK_VAR_BOOL &&
		       (int)MDL_VAR_CHAR == TRK_VAR_CHAR,
	       "datatypes have the same numbers");

/* A field of TRK_VARIABLE_FIELDS: in both kinds these come first, in the same order. */
#define VAR(kind, name)                                                                                                \
	((kind) == MDL_CVARS ? F_trk_cvar_##name : F_trk_pvar_sequence + (F_trk_cvar_##name - F_trk_cvar_sequence))

/* ---- tables ------------------------------------------------------------------------------------------------ */

static enum acc_rc senseless(struct acc_obj *o, unsigned field, uint64_t value)
{
	const struct acc_field_row *row = &o->layout->schema->fields[field];

	return acc_note(&o->sp->note, ACC_ECORRUPT, "%s.%s at 0x%" PRIx64 ": 0x%" PRIx64 ": %s", row->type_name,
			row->name, o->addr, value, acc_rc_text(ACC_ECORRUPT));
}

static bool sane_place(struct acc_space *sp, uint64_t addr, uint64_t n, uint64_t bytes)
{
	uint64_t size, end;

	return !n || (acc_plausible(sp, addr, 4) && !__builtin_mul_overflow(n, bytes, &size) &&
		      !__builtin_add_overflow(addr, size, &end) && acc_plausible(sp, end - 1, 1));
}

static enum acc_rc read_table(struct rd_track_vars *v, uint64_t addr)
{
	struct rd_track *t = v->t;
	struct rd_track_var_table table = { .known = true };
	char name[sizeof(trk_name) + 1];
	struct acc_obj o;
	int kind = 0;

	acc_obj_load(&o, t->sp, &t->layout, T_trk_slab, addr);
	acc_get_chars(&o, F_trk_slab_name, name, sizeof(name));
	table.records = acc_get_u(&o, F_trk_slab_records);
	table.bytes = (uint32_t)acc_get_u(&o, F_trk_slab_bytes);
	table.capacity = (uint32_t)acc_get_u(&o, F_trk_slab_capacity);
	table.high = (uint32_t)acc_get_u(&o, F_trk_slab_high);
	table.n_dropped = rd_track_has(t, F_trk_slab_n_dropped) ? acc_get_u(&o, F_trk_slab_n_dropped) : 0;
	if (o.rc)
		return o.rc;
	while (kind < MDL_N_VAR_KINDS && strcmp(rd_track_schema.types[types[kind]].name, name))
		kind++;
	if (kind == MDL_N_VAR_KINDS)
		return ACC_OK; /* a table of a later version */
	if (table.capacity > ROWS_MAX || table.high > table.capacity)
		return senseless(&o, table.high > table.capacity ? F_trk_slab_high : F_trk_slab_capacity, table.high);
	if (table.bytes < acc_layout_bytes(&t->layout, types[kind]) || table.bytes > RD_TRACK_RECORD_MAX ||
	    table.bytes % 4)
		return senseless(&o, F_trk_slab_bytes, table.bytes);
	if (!sane_place(t->sp, table.records, table.capacity, table.bytes))
		return senseless(&o, F_trk_slab_records, table.records);
	v->tables[kind] = table;
	v->about.n_dropped += table.n_dropped;
	return ACC_OK;
}

static enum acc_rc read_about(struct rd_track_vars *v, struct acc_obj *head)
{
	struct mdl_vars *about = &v->about;
	struct mdl_num host = rd_track_u(head, F_trk_registry_vars_host);
	struct mdl_num read_at = rd_track_u(head, F_trk_registry_vars_read_at);

	about->n_refreshes = rd_track_u(head, F_trk_registry_n_vars_refreshes);
	about->read_at = read_at.known == MDL_KNOWN && !read_at.value
				 ? mdl_unavailable("MPI_T's variables were not looked at yet")
				 : read_at;
	about->why = rd_track_has(v->t, F_trk_registry_vars_why) ? acc_get_u(head, F_trk_registry_vars_why) : 0;
	about->refused = rd_track_has(v->t, F_trk_registry_refused) ? acc_get_u(head, F_trk_registry_refused) : 0;
	if (head->rc)
		return head->rc;
	if (about->refused && !acc_plausible(v->t->sp, about->refused, 1))
		return senseless(head, F_trk_registry_refused, about->refused);
	if (host.known == MDL_KNOWN && (host.value < 0 || host.value > TRK_VARS_OFF))
		return senseless(head, F_trk_registry_vars_host, (uint64_t)host.value);
	about->host = host.known == MDL_KNOWN ? (enum mdl_vars_host)host.value : MDL_VARS_NOT_READ;
	return ACC_OK;
}

enum acc_rc rd_track_vars(struct rd_track *t, struct rd_track_vars *ret)
{
	struct rd_track_vars v = { .t = t };
	struct acc_obj head;

	if (!t || !ret)
		return ACC_EINVAL;
	if (!rd_track_has(t, F_trk_registry_var_tables) || !rd_track_has(t, F_trk_registry_n_var_tables) ||
	    !rd_track_has(t, F_trk_registry_slab_bytes))
		return ACC_NONE;
	acc_obj_load(&head, t->sp, &t->layout, T_trk_registry, t->addr);
	uint64_t addr = acc_get_u(&head, F_trk_registry_var_tables), n = acc_get_u(&head, F_trk_registry_n_var_tables);
	uint64_t bytes = acc_get_u(&head, F_trk_registry_slab_bytes);
	enum acc_rc rc = head.rc ? head.rc : read_about(&v, &head);

	if (!rc && n > TABLES_MAX)
		rc = senseless(&head, F_trk_registry_n_var_tables, n);
	if (!rc && n && (bytes < acc_layout_bytes(&t->layout, T_trk_slab) || bytes > RD_TRACK_STRIDE_MAX || bytes % 4))
		rc = senseless(&head, F_trk_registry_slab_bytes, bytes);
	if (!rc && !sane_place(t->sp, addr, n, bytes))
		rc = senseless(&head, F_trk_registry_var_tables, addr);
	for (uint64_t i = 0; !rc && i < n; i++)
		rc = read_table(&v, addr + i * bytes);
	if (rc)
		return rc;
	v.about.known = n > 0;
	*ret = v;
	return ACC_OK;
}

uint64_t rd_track_vars_high(const struct rd_track_vars *v, enum mdl_var_kind kind)
{
	return v->tables[kind].known ? v->tables[kind].high : 0;
}

/* ---- records ----------------------------------------------------------------------------------------------- */

static enum acc_rc load_var(const struct rd_track_vars *v, enum mdl_var_kind kind, uint64_t i, unsigned state_field,
			    struct acc_obj *o, uint64_t *state)
{
	const struct rd_track_var_table *table = &v->tables[kind];

	if (i >= rd_track_vars_high(v, kind))
		return ACC_NONE;
	acc_obj_load(o, v->t->sp, &v->t->layout, types[kind], table->records + i * table->bytes);
	*state = rd_track_has(v->t, state_field) ? acc_get_u(o, state_field) : TRK_LIVE;
	if (o->rc)
		return o->rc;
	if (*state > TRK_FREED)
		return senseless(o, state_field, *state);
	return *state == TRK_FREE ? ACC_NONE : ACC_OK;
}

/* A failure in a record that is being written is not damage. */
static enum acc_rc finish(struct acc_obj *o, bool unsettled)
{
	if (o->rc == ACC_ECORRUPT && unsettled)
		return acc_note(&o->sp->note, ACC_ECORRUPT, "%s at 0x%" PRIx64 ": was being written",
				rd_track_schema.types[o->type].name, o->addr);
	return o->rc;
}

/* Address of a string; 0 if it cannot be one. */
static uint64_t text_at(const struct rd_track_vars *v, struct acc_obj *o, unsigned field)
{
	uint64_t addr = rd_track_has(v->t, field) ? acc_get_u(o, field) : 0;

	if (addr && !o->rc && !acc_plausible(v->t->sp, addr, 1))
		o->rc = senseless(o, field, addr);
	return addr;
}

/* -1: not one of the standard's */
static struct mdl_num place_of(struct acc_obj *o, unsigned field, int n)
{
	struct mdl_num ret = rd_track_i(o, field);

	if (ret.known == MDL_KNOWN && (ret.value < 0 || ret.value >= n))
		ret = mdl_unavailable("none that the standard names");
	return ret;
}

static const char *why_unknown(uint64_t state)
{
	static const char *const words[] = {
		[TRK_VALUE_NEVER] = "not read yet",
		[TRK_VALUE_GONE] = "not accessible: its component is unloaded, or its memory reused",
		[TRK_VALUE_BOUND] = "one per object; none was read",
		[TRK_VALUE_STOPPED] = "not counting: no handle is started",
		[TRK_VALUE_REFUSED] = "the MPI library refuses to tell",
		[TRK_VALUE_NO_ROOM] = "too long to be kept",
		[TRK_VALUE_OF_THREAD] = "each thread has its own: see the current calls",
	};

	return state < sizeof(words) / sizeof(words[0]) && words[state] ? words[state] : "not known";
}

static unsigned width_of(const struct rd_track *t, enum mdl_var_type type)
{
	switch (type) {
	case MDL_VAR_INT:
	case MDL_VAR_UNSIGNED:
	case MDL_VAR_INT32:
	case MDL_VAR_UINT32:
		return 4;
	case MDL_VAR_LONG:
	case MDL_VAR_UNSIGNED_LONG:
		return t->sp->sizes.pointer_bytes;
	case MDL_VAR_BOOL:
		return 1;
	default:
		return 8;
	}
}

static bool is_signed(enum mdl_var_type type)
{
	return type == MDL_VAR_INT || type == MDL_VAR_LONG || type == MDL_VAR_INT32 || type == MDL_VAR_INT64 ||
	       type == MDL_VAR_COUNT;
}

/*
 * Read the current value from its place. The name of the value belongs to the mirrored `value`.
 *
 * @return false: the place, in the MPI library, is not valid any more or cannot be read
 */
static bool read_place(const struct rd_track_vars *v, uint64_t kind, uint64_t place, uint64_t value,
		       struct mdl_variable *ret)
{
	unsigned width = width_of(v->t, ret->type);
	unsigned char bytes[8];

	if (kind > TRK_PLACE_MPI_TEXT || (kind != TRK_PLACE_VALUE && v->t->library.state != MDL_INITIALIZED))
		return false;
	if (kind == TRK_PLACE_MPI_TEXT) {
		if (!ret->is_text || acc_read_ptr(v->t->sp, place, &place) ||
		    (place && (!acc_plausible(v->t->sp, place, 1) || acc_read(v->t->sp, place, 1, bytes))))
			return false;
	} else if (!ret->is_text && acc_read(v->t->sp, place, width, bytes)) {
		if (kind != TRK_PLACE_VALUE)
			return false;
		ret->value = mdl_unavailable("its place cannot be read");
		ret->read_at = mdl_none();
		return true;
	}
	ret->read_at = mdl_none();
	if (ret->is_text) {
		ret->text = place;
		ret->text_bytes = ret->count.known == MDL_KNOWN ? (uint64_t)ret->count.value : 0;
		return true;
	}
	ret->value = mdl_known(is_signed(ret->type) ? acc_decode_i(v->t->sp, bytes, width)
						    : (int64_t)acc_decode_u(v->t->sp, bytes, width));
	if ((uint64_t)ret->value.value != value)
		ret->item = 0;
	return true;
}

static void read_value(const struct rd_track_vars *v, struct acc_obj *o, struct mdl_variable *ret)
{
	enum mdl_var_kind kind = ret->kind;
	struct mdl_num state = rd_track_u(o, VAR(kind, value_state));
	uint64_t place = text_at(v, o, VAR(kind, place));
	uint64_t place_kind = rd_track_has(v->t, VAR(kind, place_kind)) ? acc_get_u(o, VAR(kind, place_kind)) : 0;
	uint64_t value = rd_track_has(v->t, VAR(kind, value)) ? acc_get_u(o, VAR(kind, value)) : 0;
	struct mdl_list values = rd_track_list(o, VAR(kind, values), ret->type == MDL_VAR_CHAR ? 1 : 8);

	ret->value = mdl_none();
	ret->is_text = ret->type == MDL_VAR_CHAR;
	if (kind == MDL_PVARS)
		ret->objects = rd_track_list(o, F_trk_pvar_objects, sizeof(struct trk_object_value));
	if (kind == MDL_PVARS && rd_track_var_cells(v, o, ret))
		return;
	if (state.known == MDL_KNOWN && state.value != TRK_VALUE_KNOWN) {
		ret->value = mdl_unavailable(why_unknown((uint64_t)state.value));
		ret->is_text = false;
		ret->objects = (struct mdl_list){ .known = false };
	} else if (place && read_place(v, place_kind, place, value, ret)) {
		return;
	} else if (ret->objects.known && ret->objects.total) {
		ret->is_text = false;
	} else if (ret->is_text) {
		ret->text = values.addr;
		ret->text_bytes = values.n;
	} else if (ret->count.known == MDL_KNOWN && ret->count.value != 1) {
		ret->values = values;
	} else {
		ret->objects = (struct mdl_list){ .known = false };
		ret->value = rd_track_has(v->t, VAR(kind, value)) ? mdl_known((int64_t)value)
								  : rd_track_u(o, VAR(kind, value));
	}
}

enum acc_rc rd_track_variable(const struct rd_track_vars *v, enum mdl_var_kind kind, uint64_t i,
			      struct mdl_variable *ret)
{
	struct acc_obj o;
	uint64_t state;
	enum acc_rc rc;

	if (!v || !ret || (kind != MDL_CVARS && kind != MDL_PVARS))
		return ACC_EINVAL;
	rc = load_var(v, kind, i, VAR(kind, state), &o, &state);
	if (rc)
		return rc;
	struct mdl_variable m = { .kind = kind, .index = i };
	uint64_t type = rd_track_has(v->t, VAR(kind, type)) ? acc_get_u(&o, VAR(kind, type)) : 0;
	m.unsettled = rd_track_has(v->t, VAR(kind, sequence)) && acc_get_u(&o, VAR(kind, sequence)) & 1;
	m.of_mpi = rd_track_flag(&o, VAR(kind, origin));
	m.name = text_at(v, &o, VAR(kind, name));
	m.description = text_at(v, &o, VAR(kind, description));
	m.enumeration = text_at(v, &o, VAR(kind, enumeration));
	m.item = text_at(v, &o, VAR(kind, item));
	m.type = type < MDL_N_VAR_TYPES ? (enum mdl_var_type)type : MDL_VAR_OTHER;
	m.bind = place_of(&o, VAR(kind, bind), TRK_BINDS);
	m.verbosity = rd_track_i(&o, VAR(kind, verbosity));
	m.count = rd_track_u(&o, VAR(kind, count));
	m.read_at = rd_track_ref(&o, VAR(kind, read_at));
	if (kind == MDL_CVARS) {
		m.scope = place_of(&o, F_trk_cvar_scope, TRK_SCOPES);
		m.var_class = m.readonly = m.continuous = m.atomic = mdl_none();
	} else {
		m.scope = mdl_none();
		m.var_class = place_of(&o, F_trk_pvar_var_class, TRK_CLASSES);
		m.readonly = rd_track_u(&o, F_trk_pvar_readonly);
		m.continuous = rd_track_u(&o, F_trk_pvar_continuous);
		m.atomic = rd_track_u(&o, F_trk_pvar_atomic);
	}
	m.read_for = text_at(v, &o, VAR(kind, read_for));
	read_value(v, &o, &m);
	if (m.read_at.known == MDL_NOT_APPLICABLE)
		m.read_for = 0;
	rc = finish(&o, m.unsettled);
	if (!rc)
		*ret = m;
	return rc;
}

enum acc_rc rd_track_category(const struct rd_track_vars *v, uint64_t i, struct mdl_category *ret)
{
	struct acc_obj o;
	uint64_t state;
	enum acc_rc rc;

	if (!v || !ret)
		return ACC_EINVAL;
	rc = load_var(v, MDL_CATEGORIES, i, F_trk_category_state, &o, &state);
	if (rc)
		return rc;
	struct mdl_category m = { .index = i };
	m.unsettled = rd_track_flag(&o, F_trk_category_sequence) && acc_get_u(&o, F_trk_category_sequence) & 1;
	m.of_mpi = rd_track_flag(&o, F_trk_category_origin);
	m.name = text_at(v, &o, F_trk_category_name);
	m.description = text_at(v, &o, F_trk_category_description);
	m.parent = rd_track_i(&o, F_trk_category_parent);
	if (m.parent.known == MDL_KNOWN && m.parent.value < 0)
		m.parent = mdl_none();
	m.members[0] = rd_track_list(&o, F_trk_category_cvars, 4);
	m.members[1] = rd_track_list(&o, F_trk_category_pvars, 4);
	m.members[2] = rd_track_list(&o, F_trk_category_events, 4);
	m.members[3] = rd_track_list(&o, F_trk_category_categories, 4);
	rc = finish(&o, m.unsettled);
	if (!rc)
		*ret = m;
	return rc;
}

enum acc_rc rd_track_event(const struct rd_track_vars *v, uint64_t i, struct mdl_event *ret)
{
	struct acc_obj o;
	uint64_t state;
	enum acc_rc rc;

	if (!v || !ret)
		return ACC_EINVAL;
	rc = load_var(v, MDL_EVENTS, i, F_trk_event_state, &o, &state);
	if (rc)
		return rc;
	struct mdl_event m = { .index = i };
	m.unsettled = rd_track_flag(&o, F_trk_event_sequence) && acc_get_u(&o, F_trk_event_sequence) & 1;
	m.of_mpi = rd_track_flag(&o, F_trk_event_origin);
	m.ordered = rd_track_flag(&o, F_trk_event_ordered);
	m.name = text_at(v, &o, F_trk_event_name);
	m.description = text_at(v, &o, F_trk_event_description);
	m.source = text_at(v, &o, F_trk_event_source);
	m.bind = place_of(&o, F_trk_event_bind, TRK_BINDS);
	m.elements = rd_track_list(&o, F_trk_event_elements, 1);
	rc = finish(&o, m.unsettled);
	if (!rc)
		*ret = m;
	return rc;
}

enum acc_rc rd_track_registration(const struct rd_track_vars *v, uint64_t i, struct mdl_registration *ret)
{
	static const unsigned levels[] = { F_trk_registration_callback_none, F_trk_registration_callback_mpi_restricted,
					   F_trk_registration_callback_thread_safe,
					   F_trk_registration_callback_async_signal_safe };
	struct acc_obj o;
	uint64_t state;
	enum acc_rc rc;

	if (!v || !ret)
		return ACC_EINVAL;
	rc = load_var(v, MDL_REGISTRATIONS, i, F_trk_registration_state, &o, &state);
	if (rc)
		return rc;
	struct mdl_registration m = { .index = i, .freed = state == TRK_FREED };
	m.unsettled = rd_track_flag(&o, F_trk_registration_sequence) && acc_get_u(&o, F_trk_registration_sequence) & 1;
	m.event = rd_track_i(&o, F_trk_registration_event);
	m.object = rd_track_ref(&o, F_trk_registration_object);
	m.handle = rd_track_has(v->t, F_trk_registration_handle) ? acc_get_u(&o, F_trk_registration_handle) : 0;
	for (int level = 0; level < 4; level++)
		m.callbacks[level] = rd_track_ref(&o, levels[level]);
	m.dropped_handler = rd_track_ref(&o, F_trk_registration_dropped_handler);
	m.raised = rd_track_u(&o, F_trk_registration_raised);
	m.dropped = rd_track_u(&o, F_trk_registration_dropped);
	rc = finish(&o, m.unsettled);
	if (!rc)
		*ret = m;
	return rc;
}

/* ---- texts and elements -------------------------------------------------------------------------------------- */

enum acc_rc rd_track_var_text(const struct rd_track_vars *v, uint64_t addr, char *ret, size_t size)
{
	enum { PIECE = 64 };
	struct acc_space *sp = v->t->sp;

	if (!size)
		return ACC_EINVAL;
	ret[0] = '\0';
	if (!addr)
		return ACC_OK;
	/* in small aligned pieces: bytes after the string may not be readable */
	for (size_t n = 0; n + 1 < size;) {
		size_t k = PIECE - (size_t)((addr + n) % PIECE);

		k = k < size - 1 - n ? k : size - 1 - n;
		enum acc_rc rc = acc_read(sp, addr + n, k, ret + n);
		if (rc) {
			ret[0] = '\0';
			return acc_note(&sp->note, rc, "text at 0x%" PRIx64 ": %s", addr, acc_rc_text(rc));
		}
		if (memchr(ret + n, '\0', k))
			return ACC_OK;
		n += k;
		ret[n] = '\0';
	}
	return ACC_OK;
}

enum acc_rc rd_track_var_value(const struct rd_track_vars *v, const struct mdl_variable *var, char *ret, size_t size)
{
	size_t most = var->text_bytes < size - 1 ? (size_t)var->text_bytes + 1 : size;

	if (!size)
		return ACC_EINVAL;
	return rd_track_var_text(v, var->text, ret, most);
}

enum acc_rc rd_track_object_value(const struct rd_track_vars *v, const struct mdl_variable *var, uint64_t i,
				  struct mdl_object_value *ret)
{
	const struct mdl_list *list = &var->objects;
	unsigned char b[sizeof(struct trk_object_value)];
	struct acc_space *sp = v->t->sp;

	if (!list->known || i >= list->n)
		return ACC_EINVAL;
	enum acc_rc rc = acc_read(sp, list->addr + i * sizeof(b), sizeof(b), b);
	if (rc)
		return acc_note(&sp->note, rc, "values at 0x%" PRIx64 ": %s", list->addr, acc_rc_text(rc));
	ret->object = acc_decode_u(sp, b + offsetof(struct trk_object_value, object), 8);
	ret->value = acc_decode_u(sp, b + offsetof(struct trk_object_value, value), 8);
	ret->count = acc_decode_u(sp, b + offsetof(struct trk_object_value, count), 4);
	ret->gone = false;
	rd_track_object_cell(v, var, i, ret);
	return ACC_OK;
}

struct mdl_num rd_track_var_age(const struct rd_track_vars *v, const struct mdl_variable *var, uint64_t now_s)
{
	/* a core contains the time that the library's stall detector, if it ran, stored */
	uint64_t now = now_s ? now_s : v->t->clock_now;

	if (var->read_at.known != MDL_KNOWN)
		return var->read_at;
	if (v->t->clock_hz != 1 || !now || now < (uint64_t)var->read_at.value)
		return mdl_unavailable("the time now is not known");
	return mdl_known((int64_t)(now - (uint64_t)var->read_at.value));
}
