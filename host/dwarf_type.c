/* SPDX-License-Identifier: BSD-3-Clause */
#include "dwarf_type.h"

#include <stdlib.h>
#include <string.h>

enum {
	CHAIN_MAX = 64,      /* length of a chain of typedefs and qualifiers; dimensions of an array */
	NEST_MAX = 16,       /* nesting depth of anonymous structures */
	MEMBERS_MAX = 100000 /* examined for one name, including those of anonymous structures */
};

/* An opened entry. */
struct open_die {
	struct host_dwarf *file;
	Dwarf_Debug dbg;
	Dwarf_Die die;
};

static void drop_error(Dwarf_Debug dbg, Dwarf_Error error)
{
	if (error)
		dwarf_dealloc(dbg, error, DW_DLA_ERROR);
}

static void open_die_close(struct open_die *o)
{
	if (o->die)
		dwarf_dealloc(o->dbg, o->die, DW_DLA_DIE);
	o->die = NULL;
}

#define _cleanup_die_ __attribute__((cleanup(open_die_close)))

static bool open_die(const struct host_die *at, struct open_die *ret)
{
	Dwarf_Error error = NULL;
	Dwarf_Die die = NULL;
	Dwarf_Debug dbg = host_dwarf_debug(at->file);
	if (!dbg)
		return false;
	bool ok = dwarf_offdie_b(dbg, at->offset, at->is_info, &die, &error) == DW_DLV_OK;
	drop_error(dbg, error);
	if (ok)
		*ret = (struct open_die){ .file = at->file, .dbg = dbg, .die = die };
	return ok;
}

static bool where_is(const struct open_die *o, struct host_die *ret)
{
	Dwarf_Error error = NULL;
	Dwarf_Off offset;
	bool ok = dwarf_dieoffset(o->die, &offset, &error) == DW_DLV_OK;
	drop_error(o->dbg, error);
	if (ok)
		*ret = (struct host_die){ o->file, offset, dwarf_get_die_infotypes_flag(o->die) };
	return ok;
}

static Dwarf_Half tag_of(const struct open_die *o)
{
	Dwarf_Error error = NULL;
	Dwarf_Half tag = 0;
	if (dwarf_tag(o->die, &tag, &error) != DW_DLV_OK)
		tag = 0;
	drop_error(o->dbg, error);
	return tag;
}

/* The name, owned by libdwarf; or NULL. */
static const char *name_of(const struct open_die *o)
{
	Dwarf_Error error = NULL;
	char *name = NULL;
	if (dwarf_diename(o->die, &name, &error) != DW_DLV_OK)
		name = NULL;
	drop_error(o->dbg, error);
	return name;
}

static bool has(const struct open_die *o, Dwarf_Half attr)
{
	Dwarf_Error error = NULL;
	Dwarf_Bool yes = 0;
	if (dwarf_hasattr(o->die, attr, &yes, &error) != DW_DLV_OK)
		yes = 0;
	drop_error(o->dbg, error);
	return yes;
}

/* Decode DW_OP_plus_uconst N, with which DWARF 2 and 3 express the offset of a member. */
static bool plus_uconst(const unsigned char *op, uint64_t n, uint64_t *ret)
{
	uint64_t value = 0;
	unsigned shift = 0;
	if (n < 2 || op[0] != DW_OP_plus_uconst)
		return false;
	for (uint64_t i = 1; i < n && shift < 63; i++, shift += 7) {
		value |= (uint64_t)(op[i] & 0x7f) << shift;
		if (!(op[i] & 0x80)) {
			*ret = value;
			return i + 1 == n;
		}
	}
	return false;
}

static bool get_unsigned(const struct open_die *o, Dwarf_Half attr, uint64_t *ret)
{
	Dwarf_Error error = NULL;
	Dwarf_Attribute a;
	bool ok = false;
	if (dwarf_attr(o->die, attr, &a, &error) != DW_DLV_OK) {
		drop_error(o->dbg, error);
		return false;
	}
	Dwarf_Half form = 0;
	Dwarf_Unsigned u;
	Dwarf_Signed s;
	Dwarf_Ptr expression;
	Dwarf_Block *block;
	dwarf_whatform(a, &form, &error);
	switch (form) {
	case DW_FORM_exprloc:
		ok = dwarf_formexprloc(a, &u, &expression, &error) == DW_DLV_OK && plus_uconst(expression, u, ret);
		break;
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_block:
		if (dwarf_formblock(a, &block, &error) == DW_DLV_OK) {
			ok = plus_uconst(block->bl_data, block->bl_len, ret);
			dwarf_dealloc(o->dbg, block, DW_DLA_BLOCK);
		}
		break;
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		if (dwarf_formsdata(a, &s, &error) == DW_DLV_OK && s >= 0) {
			*ret = (uint64_t)s;
			ok = true;
		}
		break;
	default: /* a reference means that the size is known only at run time: dwarf_formudata() fails */
		if (dwarf_formudata(a, &u, &error) == DW_DLV_OK) {
			*ret = u;
			ok = true;
		}
	}
	dwarf_dealloc(o->dbg, a, DW_DLA_ATTR);
	drop_error(o->dbg, error);
	return ok;
}

/* Find the type of a type unit; see host_dwarf_has_units(). */
static bool to_signature(struct open_die *o, Dwarf_Sig8 *signature, Dwarf_Die *next, Dwarf_Bool *is_info,
			 Dwarf_Error *error)
{
#ifdef DW_DLE_MACRO_VERSION_ERROR /* this macro and the function appeared in the same release of libdwarf, after       \
				   * 20201201 (Debian 11) */
	return dwarf_find_die_given_sig8(o->dbg, signature, next, is_info, error) == DW_DLV_OK;
#else
	(void)o, (void)signature, (void)next, (void)is_info, (void)error;
	return false;
#endif
}

bool host_dwarf_has_units(void)
{
#ifdef DW_DLE_MACRO_VERSION_ERROR
	return true;
#else
	return false;
#endif
}

/* Replace an entry by the one that its DW_AT_type refers to. The old one is closed on success. */
static bool to_type(struct open_die *o)
{
	Dwarf_Error error = NULL;
	Dwarf_Attribute a;
	if (dwarf_attr(o->die, DW_AT_type, &a, &error) != DW_DLV_OK) {
		drop_error(o->dbg, error);
		return false;
	}
	Dwarf_Half form = 0;
	Dwarf_Off offset;
	Dwarf_Sig8 signature;
	Dwarf_Die next = NULL;
	Dwarf_Bool is_info = dwarf_get_die_infotypes_flag(o->die);
	bool ok = dwarf_whatform(a, &form, &error) == DW_DLV_OK;
	if (ok && form == DW_FORM_ref_sig8)
		ok = dwarf_formsig8(a, &signature, &error) == DW_DLV_OK &&
		     to_signature(o, &signature, &next, &is_info, &error);
	else if (ok && form != DW_FORM_GNU_ref_alt && form != DW_FORM_ref_sup4 && form != DW_FORM_ref_sup8)
		ok = dwarf_global_formref(a, &offset, &error) == DW_DLV_OK &&
		     dwarf_offdie_b(o->dbg, offset, form == DW_FORM_ref_addr || is_info, &next, &error) == DW_DLV_OK;
	else
		ok = false;
	dwarf_dealloc(o->dbg, a, DW_DLA_ATTR);
	drop_error(o->dbg, error);
	if (!ok)
		return false;
	open_die_close(o);
	o->die = next;
	return true;
}

static bool is_alias(Dwarf_Half tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

static bool is_aggregate(Dwarf_Half tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

/* Follow typedefs and qualifiers. */
static bool strip(struct open_die *o)
{
	for (unsigned n = 0; is_alias(tag_of(o)); n++)
		if (n == CHAIN_MAX || !to_type(o))
			return false;
	return true;
}

bool host_dwarf_resolve(const struct host_die *die, struct host_die *ret, char declared[HOST_TAG_BYTES])
{
	_cleanup_die_ struct open_die o = { 0 };
	struct host_die at;
	if (!open_die(die, &o) || !strip(&o) || !where_is(&o, &at))
		return false;
	declared[0] = '\0';
	if (has(&o, DW_AT_declaration)) {
		const char *name = name_of(&o);
		if (!name || strlen(name) >= HOST_TAG_BYTES)
			return false;
		memcpy(declared, name, strlen(name) + 1);
	}
	*ret = at;
	return true;
}

bool host_dwarf_is_named(const struct host_die *die, const char *name)
{
	_cleanup_die_ struct open_die o = { 0 };
	const char *s;
	/* the entry of "MPI::Comm" has only the last part; the caller has checked the namespace */
	for (const char *colons; (colons = strstr(name, "::"));)
		name = colons + 2;
	return open_die(die, &o) && (s = name_of(&o)) && !strcmp(s, name);
}

/* Number of elements of an array: the product of its dimensions. */
static bool array_elements(const struct open_die *array, uint64_t *ret)
{
	Dwarf_Error error = NULL;
	_cleanup_die_ struct open_die o = { .file = array->file, .dbg = array->dbg };
	bool is_info = dwarf_get_die_infotypes_flag(array->die);
	uint64_t product = 1;
	int rc = dwarf_child(array->die, &o.die, &error);
	for (unsigned n = 0; rc == DW_DLV_OK && n < CHAIN_MAX; n++) {
		if (tag_of(&o) == DW_TAG_subrange_type) {
			uint64_t count, upper;
			if (!get_unsigned(&o, DW_AT_count, &count)) {
				count = 0; /* no bounds: a flexible array member */
				if (get_unsigned(&o, DW_AT_upper_bound, &upper) && upper < UINT32_MAX)
					count = upper + 1;
			}
			if (__builtin_mul_overflow(product, count, &product))
				return false;
		}
		Dwarf_Die next = NULL;
		rc = dwarf_siblingof_b(o.dbg, o.die, is_info, &next, &error);
		open_die_close(&o);
		o.die = rc == DW_DLV_OK ? next : NULL;
	}
	drop_error(array->dbg, error);
	*ret = product;
	return rc == DW_DLV_NO_ENTRY;
}

/* Size of an entry; replaces the entry by the underlying type. */
static bool bytes_of(struct open_die *o, uint64_t *ret)
{
	uint64_t factor = 1;
	for (unsigned n = 0; n < CHAIN_MAX; n++) {
		if (!strip(o))
			return false;
		uint64_t bytes;
		Dwarf_Half tag = tag_of(o);
		if (get_unsigned(o, DW_AT_byte_size, &bytes))
			return !has(o, DW_AT_declaration) && !__builtin_mul_overflow(bytes, factor, ret);
		if (tag == DW_TAG_array_type) {
			uint64_t elements;
			if (!array_elements(o, &elements) || __builtin_mul_overflow(factor, elements, &factor) ||
			    !to_type(o))
				return false;
			continue;
		}
		if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type)
			return !__builtin_mul_overflow(host_dwarf_word_bytes(o->file), factor, ret);
		return false;
	}
	return false;
}

bool host_dwarf_bytes(const struct host_die *die, uint64_t *ret)
{
	_cleanup_die_ struct open_die o = { 0 };
	return open_die(die, &o) && bytes_of(&o, ret);
}

/* Offset of a member in its structure. */
static bool member_place(struct open_die *o, Dwarf_Half parent, struct host_member *ret)
{
	struct host_member m = { 0 };
	uint64_t bits;
	if (get_unsigned(o, DW_AT_data_bit_offset, &bits)) {
		m.offset = bits / 8;
		m.bit_field = true;
	} else if (!get_unsigned(o, DW_AT_data_member_location, &m.offset)) {
		if (has(o, DW_AT_data_member_location) || parent != DW_TAG_union_type)
			return false;
	}
	if (has(o, DW_AT_bit_size))
		m.bit_field = true;
	*ret = m;
	return true;
}

static bool find_member(const struct open_die *aggregate, const char *name, unsigned depth, unsigned *budget,
			struct host_member *ret)
{
	Dwarf_Error error = NULL;
	_cleanup_die_ struct open_die o = { .file = aggregate->file, .dbg = aggregate->dbg };
	bool is_info = dwarf_get_die_infotypes_flag(aggregate->die), found = false;
	Dwarf_Half parent = tag_of(aggregate);
	uint64_t last = 0;
	if (dwarf_child(aggregate->die, &o.die, &error) != DW_DLV_OK)
		o.die = NULL;
	while (o.die && !found && *budget) {
		--*budget;
		struct host_die at;
		if (!where_is(&o, &at) || at.offset <= last)
			break; /* siblings go forward */
		last = at.offset;
		struct host_member m;
		if (tag_of(&o) == DW_TAG_member && member_place(&o, parent, &m)) {
			const char *s = name_of(&o);
			_cleanup_die_ struct open_die type = { 0 };
			if (s && !strcmp(s, name)) {
				found = m.bit_field ||
					(open_die(&at, &type) && to_type(&type) && bytes_of(&type, &m.bytes));
				if (!found)
					break;
				*ret = m;
			} else if ((!s || !*s) && depth < NEST_MAX && !m.bit_field && open_die(&at, &type) &&
				   to_type(&type) && strip(&type) && is_aggregate(tag_of(&type))) {
				struct host_member inner;
				if (find_member(&type, name, depth + 1, budget, &inner) &&
				    !__builtin_add_overflow(inner.offset, m.offset, &inner.offset)) {
					*ret = inner;
					found = true;
				}
			}
		}
		Dwarf_Die next = NULL;
		int rc = dwarf_siblingof_b(o.dbg, o.die, is_info, &next, &error);
		open_die_close(&o);
		o.die = rc == DW_DLV_OK ? next : NULL;
	}
	drop_error(aggregate->dbg, error);
	return found;
}

bool host_dwarf_member(const struct host_die *die, const char *name, struct host_member *ret)
{
	_cleanup_die_ struct open_die o = { 0 };
	unsigned budget = MEMBERS_MAX;
	return *name && open_die(die, &o) && is_aggregate(tag_of(&o)) && find_member(&o, name, 0, &budget, ret);
}
