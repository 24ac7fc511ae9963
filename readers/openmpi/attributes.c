/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes (ompi/attribute/attribute.c): each object has an opal_hash_table_t from keys to attribute_key_value_t
 * (up to 4.1.3 attribute_value_t). The keyvals are in one such table, which only a static variable of libmpi
 * points to (since 5.0 through an attr_subsys_t). That variable has no symbol, so the library's data is searched
 * for a word that points to a table whose values are of the class ompi_attribute_keyval_t.
 */
#include "objects.h"

#include <stdio.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	CAPACITY_MAX = 1 << 20,
	SHOWN_MAX = 256,  /* attributes of one object */
	WINDOW = 1 << 20, /* bytes of data on either side of a table of the library */
	PAGE = 4096,
	SET_FROM_C = 0, /* ompi_attribute_translate_t */
	SET_FROM_INT = 1,
	SET_FROM_FORTRAN = 2,
	SET_FROM_ADDRESS = 3,
};

/* In the order of mpi.h; keys above are the program's. */
static const char *const predefined_names[] = {
	"MPI_TAG_UB",
	"MPI_HOST",
	"MPI_IO",
	"MPI_WTIME_IS_GLOBAL",
	"MPI_APPNUM",
	"MPI_LASTUSEDCODE",
	"MPI_UNIVERSE_SIZE",
	"MPI_WIN_BASE",
	"MPI_WIN_SIZE",
	"MPI_WIN_DISP_UNIT",
	"MPI_WIN_CREATE_FLAVOR",
	"MPI_WIN_MODEL",
};

enum { N_PREDEFINED = sizeof(predefined_names) / sizeof(predefined_names[0]) };

/* ---- hash tables ----------------------------------------------------------------------------------------------- */

enum acc_rc rd_ompi_hash_first(struct rd_ompi *o, uint64_t addr, struct rd_ompi_hash *ret)
{
	struct acc_obj t;

	*ret = (struct rd_ompi_hash){ .o = o };
	if (!addr)
		return ACC_OK;
	if (!rd_ompi_has(o, F_opal_hash_table_t_ht_capacity) || !rd_ompi_has(o, F_opal_hash_element_t_value))
		return ACC_EFIELD;
	enum acc_rc rc = rd_ompi_check(o, addr, C_opal_hash_table_t);
	if (rc || (rc = rd_ompi_quiet_load(o, T_opal_hash_table_t, addr, &t)))
		return rc;
	ret->table_addr = acc_get_u(&t, F_opal_hash_table_t_ht_table);
	ret->capacity = acc_get_u(&t, F_opal_hash_table_t_ht_capacity);
	ret->n = acc_get_u(&t, F_opal_hash_table_t_ht_size);
	ret->bytes = acc_layout_bytes(o->layout, T_opal_hash_element_t);
	if (t.rc)
		return t.rc;
	if (ret->capacity > CAPACITY_MAX || ret->n > ret->capacity || !ret->bytes ||
	    (ret->n && !acc_plausible(o->sp, ret->table_addr, 4)))
		return ACC_ECORRUPT;
	return ACC_OK;
}

enum acc_rc rd_ompi_hash_next(struct rd_ompi_hash *h, uint64_t *key, uint64_t *value)
{
	const struct acc_field_at *fields = h->o->layout->fields;
	uint64_t valid;

	while (h->n && h->i < h->capacity) {
		uint64_t addr = h->table_addr + h->i++ * h->bytes;

		if (acc_read_u(h->o->sp, addr + fields[F_opal_hash_element_t_valid].offset, 4, &valid))
			return ACC_EREAD;
		if (!valid)
			continue;
		if (acc_read_u(h->o->sp, addr + fields[F_opal_hash_element_t_key].offset, 4, key) ||
		    acc_read_ptr(h->o->sp, addr + fields[F_opal_hash_element_t_value].offset, value))
			return ACC_EREAD;
		return ACC_OK;
	}
	return ACC_NONE;
}

/* ---- attributes ------------------------------------------------------------------------------------------------ */

struct one {
	int64_t key, sequence, set_from;
	uint64_t value;
};

/* The rows of attribute_key_value_t, or of what it was up to 4.1.3. */
struct rows {
	enum rd_ompi_class which;
	unsigned type, key, value, set_from, sequence;
};

static const struct rows rows_now = { C_attribute_key_value_t,
				      T_attribute_key_value_t,
				      F_attribute_key_value_t_av_key,
				      F_attribute_key_value_t_av_value,
				      F_attribute_key_value_t_av_set_from,
				      F_attribute_key_value_t_av_sequence };
static const struct rows rows_then = { C_attribute_value_t,
				       T_attribute_value_t,
				       F_attribute_value_t_av_key,
				       F_attribute_value_t_av_value,
				       F_attribute_value_t_av_set_from,
				       F_attribute_value_t_av_sequence };

static const struct rows *rows_of(const struct rd_ompi *o)
{
	return rd_ompi_has(o, F_attribute_key_value_t_av_value) ? &rows_now
	       : rd_ompi_has(o, F_attribute_value_t_av_value)   ? &rows_then
								: NULL;
}

static enum acc_rc load_attribute(struct rd_ompi *o, uint64_t addr, struct one *ret)
{
	const struct rows *rows = rows_of(o);
	unsigned width = o->sp->sizes.pointer_bytes;
	struct acc_obj a;
	enum acc_rc rc = rows ? rd_ompi_check(o, addr, rows->which) : ACC_EFIELD;

	if (rc || (rc = rd_ompi_quiet_load(o, rows->type, addr, &a)))
		return rc;
	*ret = (struct one){ .key = acc_get_i(&a, rows->key),
			     .sequence = acc_get_i(&a, rows->sequence),
			     .set_from = acc_get_i(&a, rows->set_from) };
	uint64_t value_addr = acc_get_addr(&a, rows->value);
	if (a.rc)
		return a.rc;
	if (ret->set_from < SET_FROM_C || ret->set_from > SET_FROM_ADDRESS)
		return ACC_ECORRUPT;
	if (ret->set_from == SET_FROM_INT || ret->set_from == SET_FROM_FORTRAN) {
		/* up to 4.1.3 the int is the lower half of the word, which on big-endian machines is at its end */
		if (rows == &rows_then && o->sp->big_endian)
			value_addr += width - 4;
		width = 4;
	}
	rc = acc_read_u(o->sp, value_addr, width, &ret->value);
	if (!rc && width == 4)
		ret->value = (uint64_t)(int64_t)(int32_t)(uint32_t)ret->value;
	return rc;
}

/* Is this an attribute to show? Predefined attributes are left out: those of a window are shown as facts of the
 * window, and those of a duplicated communicator are copies without meaning. */
static bool is_wanted(uint64_t key, enum rd_ompi_list_form form)
{
	return form == RD_OMPI_ALL_ATTRIBUTES || (uint32_t)key >= N_PREDEFINED;
}

struct mdl_list rd_ompi_attributes(struct rd_ompi *o, uint64_t hash_addr, enum rd_ompi_list_form form)
{
	struct mdl_list unknown = { .known = false };
	struct rd_ompi_hash h;
	uint64_t key, addr, n = 0;

	if (!rows_of(o) || rd_ompi_hash_first(o, hash_addr, &h))
		return unknown;
	enum acc_rc rc;
	while (!(rc = rd_ompi_hash_next(&h, &key, &addr)))
		n += is_wanted(key, form);
	if (rc != ACC_NONE)
		return unknown;
	struct mdl_list ret = rd_ompi_elements(hash_addr, n < SHOWN_MAX ? n : SHOWN_MAX, form);
	ret.total = n;
	return ret;
}

/* Number of the keyval with this key: its address. */
static uint64_t keyval_of(struct rd_ompi *o, int64_t key)
{
	struct rd_ompi_hash h;
	uint64_t found, addr;

	if (rd_ompi_hash_first(o, rd_ompi_keyval_table(o), &h))
		return 0;
	while (!rd_ompi_hash_next(&h, &found, &addr))
		if ((int64_t)(int32_t)(uint32_t)found == key)
			return addr;
	return 0;
}

/* In the order in which they were set. */
enum acc_rc rd_ompi_attribute(void *state, const struct mdl_list *list, uint64_t i, struct mdl_handle_attribute *ret)
{
	struct rd_ompi *o = state;
	struct one all[SHOWN_MAX];
	struct rd_ompi_hash h;
	uint64_t key, addr, n = 0;
	enum acc_rc rc = rd_ompi_hash_first(o, list->addr, &h);

	while (!rc && n < SHOWN_MAX && (rc = rd_ompi_hash_next(&h, &key, &addr)) == ACC_OK) {
		struct one a;

		if (!is_wanted(key, (enum rd_ompi_list_form)list->form))
			continue;
		rc = load_attribute(o, addr, &a);
		if (rc)
			return rc;
		uint64_t at = n++;
		for (; at && all[at - 1].sequence > a.sequence; at--)
			all[at] = all[at - 1];
		all[at] = a;
	}
	if (rc && rc != ACC_NONE)
		return rc;
	if (i >= n)
		return ACC_ECORRUPT;
	*ret = (struct mdl_handle_attribute){ .keyval = keyval_of(o, all[i].key),
					      .key = all[i].key,
					      .value = all[i].value,
					      .integer = all[i].set_from != SET_FROM_C };
	return ACC_OK;
}

struct mdl_num rd_ompi_attribute_value(struct rd_ompi *o, uint64_t hash_addr, int64_t key)
{
	struct rd_ompi_hash h;
	uint64_t found, addr;
	struct one a;
	enum acc_rc rc = rd_ompi_hash_first(o, hash_addr, &h);

	while (!rc && (rc = rd_ompi_hash_next(&h, &found, &addr)) == ACC_OK)
		if ((int64_t)(int32_t)(uint32_t)found == key) {
			rc = load_attribute(o, addr, &a);
			if (!rc)
				return mdl_known((int64_t)a.value);
		}
	return rc == ACC_NONE ? mdl_none() : mdl_unavailable("its attribute cannot be read");
}

/* ---- keyvals --------------------------------------------------------------------------------------------------- */

static bool has_keyvals(struct rd_ompi *o, uint64_t addr)
{
	struct rd_ompi_hash h;
	uint64_t key, value;

	return !rd_ompi_hash_first(o, addr, &h) && !rd_ompi_hash_next(&h, &key, &value) &&
	       !rd_ompi_check(o, value, C_ompi_attribute_keyval_t);
}

/* @return @p addr if it is the address of the table of keyvals, else 0 */
static uint64_t table_at(struct rd_ompi *o, uint64_t addr, uint64_t hash_class)
{
	uint64_t class_addr;

	return acc_plausible(o->sp, addr, o->sp->sizes.pointer_bytes) &&
			       !acc_read_ptr(o->sp, addr + o->layout->fields[F_opal_object_t_obj_class].offset,
					     &class_addr) &&
			       class_addr == hash_class && has_keyvals(o, addr)
		       ? addr
		       : 0;
}

static uint64_t look_through(struct rd_ompi *o, const unsigned char *page, uint64_t hash_class)
{
	unsigned width = o->sp->sizes.pointer_bytes;
	uint64_t super = acc_layout_bytes(o->layout, T_opal_object_t), inner;

	for (unsigned i = 0; i < PAGE; i += width) {
		uint64_t word = acc_decode_u(o->sp, page + i, width);

		if (word < WINDOW || !acc_plausible(o->sp, word, width))
			continue;
		uint64_t found = table_at(o, word, hash_class);
		/* since 5.0 it is the first member of an attr_subsys_t */
		if (!found && super && !acc_read_ptr(o->sp, word + super, &inner))
			found = table_at(o, inner, hash_class);
		if (found)
			return found;
	}
	return 0;
}

uint64_t rd_ompi_keyval_table(struct rd_ompi *o)
{
	unsigned char page[PAGE];
	uint64_t anchor, hash_class;

	if (o->keyval_table_asked)
		return o->keyval_table_addr;
	o->keyval_table_asked = true;
	if (!rd_ompi_has(o, F_ompi_attribute_keyval_t_key))
		return 0;
	acc_space_begin(o->sp);
	if (!o->keyval_table_addr || !has_keyvals(o, o->keyval_table_addr)) {
		o->keyval_table_addr = 0;
		/* a variable that only the library itself uses, so that it is not copied into the executable */
		if (acc_symbol(o->sp, "ompi_comm_f_to_c_table", &anchor) ||
		    acc_symbol(o->sp, "opal_hash_table_t_class", &hash_class))
			hash_class = 0;
		uint64_t start = hash_class ? anchor & ~(uint64_t)(PAGE - 1) : 0;
		for (uint64_t at = start; hash_class && !o->keyval_table_addr && at - start < WINDOW; at += PAGE) {
			if (acc_read(o->sp, at, PAGE, page))
				break;
			o->keyval_table_addr = look_through(o, page, hash_class);
		}
		for (uint64_t at = start; hash_class && !o->keyval_table_addr && at > PAGE && start - at < WINDOW;) {
			at -= PAGE;
			if (acc_read(o->sp, at, PAGE, page))
				break;
			o->keyval_table_addr = look_through(o, page, hash_class);
		}
	}
	acc_space_end(o->sp);
	return o->keyval_table_addr;
}

enum acc_rc rd_ompi_keyval_facts(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *h)
{
	enum { FORTRAN = 0x2 /* attr_flag */ };
	static const unsigned char kinds[] = { MDL_N_HANDLE_KINDS, MDL_COMM, MDL_DATATYPE, MDL_WIN, MDL_SESSION };
	struct mdl_handle_keyval *k = &h->keyval;
	uint64_t copy, destroy, state;
	struct acc_obj obj;

	if (rd_ompi_quiet_load(o, T_ompi_attribute_keyval_t, at->addr, &obj))
		return obj.rc;
	uint64_t type = acc_get_u(&obj, F_ompi_attribute_keyval_t_attr_type);
	uint64_t flags = acc_get_u(&obj, F_ompi_attribute_keyval_t_attr_flag);
	k->key = mdl_known(acc_get_i(&obj, F_ompi_attribute_keyval_t_key));
	uint64_t copy_addr = acc_get_addr(&obj, F_ompi_attribute_keyval_t_copy_attr_fn),
		 destroy_addr = acc_get_addr(&obj, F_ompi_attribute_keyval_t_delete_attr_fn),
		 state_addr = acc_get_addr(&obj, F_ompi_attribute_keyval_t_extra_state);
	if (obj.rc)
		return obj.rc;
	if (acc_read_ptr(o->sp, copy_addr, &copy) || acc_read_ptr(o->sp, destroy_addr, &destroy) ||
	    acc_read_ptr(o->sp, state_addr, &state))
		return ACC_EREAD;
	k->object_kind = type >= 1 && type < sizeof(kinds) ? mdl_known(kinds[type]) : mdl_none();
	k->copy_function = copy ? mdl_known((int64_t)copy) : mdl_none();
	k->delete_function = destroy ? mdl_known((int64_t)destroy) : mdl_none();
	k->extra_state = at->predefined ? mdl_none() : mdl_known((int64_t)state);
	h->language = at->predefined ? MDL_LANGUAGE_UNKNOWN : flags & FORTRAN ? MDL_LANGUAGE_FORTRAN : MDL_LANGUAGE_C;
	if (at->predefined && at->handle < N_PREDEFINED)
		snprintf(h->name, sizeof(h->name), "%s", predefined_names[at->handle]);
	return ACC_OK;
}
