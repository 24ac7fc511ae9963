/* SPDX-License-Identifier: BSD-3-Clause */
#include "query.h"

#include "../access/limits.h"
#include "../mqs/callbacks.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

_Static_assert((int)MPIDBG_COMM == MDL_COMM && (int)MPIDBG_KEYVAL == MDL_KEYVAL &&
		       (int)MPIDBG_MESSAGE == MDL_A_MESSAGE && (int)MPIDBG_STATUS == MDL_N_HANDLE_KINDS,
	       "kinds have the same numbers");
_Static_assert((int)MPIDBG_COMBINER_VALUE_INDEX == MDL_VALUE_INDEX && (int)MPIDBG_COMBINER_STRUCT == MDL_STRUCT,
	       "and so have combiners");

/* Why there are no objects, if that is not the lack of the in-target library. */
static void note_state(struct _mqs_process_info *p, enum mdl_library_state state)
{
	if (state != MDL_BEFORE_INIT && state != MDL_FINALIZED)
		return;
	acc_note_clear(&p->note);
	mqs_state_fail(p, ACC_NONE,
		       state == MDL_FINALIZED ? "MPI is finalized: it has no objects any more"
					      : "MPI is not initialized yet: it has no objects");
}

int mpidbg_query_begin(mqs_process *process, bool need_track, struct _mqs_process_info **ret)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p)
		return MPIDBG_ERR_OUT_OF_RANGE;
	mqs_state_begin(p);

	enum acc_rc rc = mqs_state_objects(p);
	if (rc == ACC_NONE && p->reader)
		note_state(p, rd_library(p->reader)->state);
	if (rc && need_track)
		return rc == ACC_NONE ? MPIDBG_ERR_NOT_SUPPORTED : mpidbg_code(rc == ACC_EINVAL ? ACC_EREAD : rc);
	if (!p->space_made)
		return MPIDBG_ERR_UNAVAILABLE;
	if (!need_track)
		mqs_state_begin(p); /* a missing registry is not a failure here */
	acc_space_begin(&p->space);
	*ret = p;
	return MPIDBG_SUCCESS;
}

int mpidbg_query_end(struct _mqs_process_info *p, enum acc_rc rc, const char *what)
{
	acc_space_end(&p->space);
	if (rc && !p->note.rc)
		mqs_state_fail(p, rc, what);
	return mpidbg_code(rc);
}

void *mpidbg_query_array(enum acc_rc *rc, uint64_t n, size_t size)
{
	size_t bytes;

	if (!n || *rc)
		return NULL;
	void *p = __builtin_mul_overflow(n, size, &bytes) || bytes > ACC_ARENA_BYTES ? NULL
										     : mqs_callbacks_alloc(bytes);
	if (!p) {
		*rc = ACC_ENOMEM;
		return NULL;
	}
	return memset(p, 0, bytes);
}

int64_t mpidbg_known(struct mdl_num n, int64_t otherwise)
{
	return n.known == MDL_KNOWN ? n.value : otherwise;
}

int mpidbg_known_int(struct mdl_num n, int otherwise)
{
	return n.known == MDL_KNOWN && n.value >= INT_MIN && n.value <= INT_MAX ? (int)n.value : otherwise;
}

void mpidbg_copy_name(char ret[MPIDBG_MAX_OBJECT_NAME], const char *text)
{
	memset(ret, 0, MPIDBG_MAX_OBJECT_NAME);
	memcpy(ret, text, strnlen(text, MPIDBG_MAX_OBJECT_NAME - 1));
}

int mpidbg_fortran(const struct mdl_handle *h)
{
	return mpidbg_known_int(h->fortran, MPIDBG_ERR_UNAVAILABLE);
}

/* ---- single facts -------------------------------------------------------------------------------------- */

int64_t mpidbg_fill_num(struct mpidbg_fill *f, uint64_t bit, struct mdl_num n, int64_t otherwise)
{
	f->unknown |= n.known == MDL_UNAVAILABLE ? bit : 0;
	return mpidbg_known(n, otherwise);
}

int mpidbg_fill_int(struct mpidbg_fill *f, uint64_t bit, struct mdl_num n, int otherwise)
{
	bool fits = n.known != MDL_KNOWN || (n.value >= INT_MIN && n.value <= INT_MAX);

	f->unknown |= n.known == MDL_UNAVAILABLE || !fits ? bit : 0;
	return mpidbg_known_int(n, otherwise);
}

mqs_taddr_t mpidbg_fill_ref(struct mpidbg_fill *f, uint64_t bit, struct mdl_num n)
{
	return (mqs_taddr_t)mpidbg_fill_num(f, bit, n, 0);
}

mqs_taddr_t mpidbg_fill_referred(struct mpidbg_fill *f, uint64_t bit, enum mdl_handle_kind kind, struct mdl_num handle,
				 struct mdl_num id)
{
	struct mdl_handle h;

	if (id.known == MDL_KNOWN) {
		enum acc_rc rc = rd_track_find_id(f->t, kind, (uint64_t)id.value, &h);

		if (rc == ACC_NONE || (!rc && h.life != MDL_LIVE))
			return 0;
	}
	return mpidbg_fill_ref(f, bit, handle);
}

int64_t mpidbg_number_of(const struct mdl_handle *h)
{
	return (int64_t)(h->id || h->kind != MDL_REQUEST ? h->id : h->addr);
}

int64_t mpidbg_group_of_comm(int64_t comm, bool remote)
{
	if (comm <= 0 || comm >> MPIDBG_REMOTE_BIT)
		return 0;
	return comm | INT64_C(1) << MPIDBG_OF_COMM_BIT | (int64_t)remote << MPIDBG_REMOTE_BIT;
}

void mpidbg_fill_object(struct mpidbg_fill *f, const struct mdl_handle *h, struct mpidbg_object_t *ret)
{
	bool bare = rd_track_has_no_registry(f->t);

	ret->flags = (h->predefined ? MPIDBG_OBJECT_PREDEFINED : 0u) |
		     (h->life != MDL_LIVE ? MPIDBG_OBJECT_FREED_HANDLE : 0u) |
		     (h->life == MDL_EARLIER ? MPIDBG_OBJECT_EARLIER | MPIDBG_OBJECT_FREED_OBJECT : 0u) |
		     (h->unsettled ? MPIDBG_OBJECT_UNSETTLED : 0u);
	ret->has_fortran = h->fortran.known == MDL_KNOWN;
	ret->fortran_handle = mpidbg_fortran(h);
	ret->language = (int)h->language;
	ret->c_handle = h->handle;
	ret->number = mpidbg_number_of(h);
	ret->parent = mpidbg_fill_num(f, MPIDBG_UNKNOWN_PARENT, h->parent, 0);
	ret->references = mpidbg_fill_num(f, MPIDBG_UNKNOWN_REFERENCES, h->references, 0);
	if (bare && !h->null)
		f->unknown |= MPIDBG_UNKNOWN_REFERENCES;
	ret->generation = mpidbg_fill_num(f, MPIDBG_UNKNOWN_GENERATION, h->generation, -1);
	mpidbg_copy_name(ret->name, h->name);
	mpidbg_copy_name(ret->made_by, h->call);
	if (!h->predefined && !h->call[0])
		f->unknown |= MPIDBG_UNKNOWN_MADE_BY;
	if (!h->predefined && h->language == MDL_LANGUAGE_UNKNOWN && (h->kind == MDL_ERRHANDLER || h->kind == MDL_OP))
		f->unknown |= MPIDBG_UNKNOWN_LANGUAGE;
	if (bare && !h->predefined && h->life == MDL_LIVE)
		f->unknown |= MPIDBG_UNKNOWN_FREED;
	if (!ret->has_fortran && h->kind == MDL_REQUEST)
		f->unknown |= MPIDBG_UNKNOWN_FORTRAN;
}

/* ---- lists ------------------------------------------------------------------------------------------- */

/* Number of elements that exist and fit into an int. */
static uint64_t usable(struct mpidbg_fill *f, uint64_t bit, const struct mdl_list *list)
{
	bool bare = rd_track_has_no_registry(f->t);

	if (f->rc)
		return 0;
	if (!list->known) {
		f->unknown |= bare ? bit : 0;
		return 0;
	}
	f->unknown |= list->total > list->n ? bit : 0;
	if (list->n > INT_MAX) {
		f->rc = ACC_ELIMIT;
		return 0;
	}
	return list->n;
}

int64_t *mpidbg_fill_numbers(struct mpidbg_fill *f, uint64_t bit, const struct mdl_list *list, int *n)
{
	uint64_t count = usable(f, bit, list);
	int64_t *v = mpidbg_query_array(&f->rc, count, sizeof(*v));

	if (v && (f->rc = rd_track_numbers(f->t, list, 8, 0, count, v)) != ACC_OK) {
		mqs_callbacks_release(v);
		v = NULL;
	}
	*n = v ? (int)count : 0;
	return v;
}

enum { BLOCK = 256 };

/* Convert numbers of some width to ints or bytes, in blocks. */
static void *narrow(struct mpidbg_fill *f, uint64_t bit, const struct mdl_list *list, unsigned width, bool bytes,
		    int *n)
{
	uint64_t count = usable(f, bit, list);
	int64_t block[BLOCK];
	void *v = mpidbg_query_array(&f->rc, count, bytes ? sizeof(int8_t) : sizeof(int));

	for (uint64_t i = 0, k; v && i < count; i += k) {
		k = count - i < BLOCK ? count - i : BLOCK;
		f->rc = rd_track_numbers(f->t, list, width, i, k, block);
		if (f->rc) {
			mqs_callbacks_release(v);
			v = NULL;
			break;
		}
		for (uint64_t j = 0; j < k; j++) {
			if (bytes)
				((int8_t *)v)[i + j] = (int8_t)block[j];
			else
				((int *)v)[i + j] = (int)block[j];
		}
	}
	*n = v ? (int)count : 0;
	return v;
}

int *mpidbg_fill_ints(struct mpidbg_fill *f, uint64_t bit, const struct mdl_list *list, int *n)
{
	return narrow(f, bit, list, 4, false, n);
}

int8_t *mpidbg_fill_bytes(struct mpidbg_fill *f, uint64_t bit, const struct mdl_list *list, unsigned width, int *n)
{
	return narrow(f, bit, list, width, true, n);
}

static char *copy_text(enum acc_rc *rc, const char *text)
{
	size_t n = strlen(text) + 1;
	char *copy = mpidbg_query_array(rc, n, 1);

	return copy ? memcpy(copy, text, n) : NULL;
}

struct mpidbg_attribute_pair_t *mpidbg_fill_attributes(struct mpidbg_fill *f, uint64_t bit, const struct mdl_list *list,
						       int *n)
{
	uint64_t count = usable(f, bit, list);
	struct mpidbg_attribute_pair_t *v = mpidbg_query_array(&f->rc, count, sizeof(*v));

	*n = 0;
	for (uint64_t i = 0; v && i < count && !f->rc; i++) {
		struct mdl_handle_attribute a;
		struct mdl_handle keyval;
		char text[32];

		f->rc = rd_track_attribute(f->t, list, i, &a);
		if (f->rc)
			break;
		bool known = a.keyval && !rd_track_find_id(f->t, MDL_KEYVAL, a.keyval, &keyval);
		if (known && keyval.predefined && a.integer)
			snprintf(text, sizeof(text), "%" PRId64, (int64_t)a.value);
		else
			snprintf(text, sizeof(text), "0x%" PRIx64, a.value);
		v[i].keyval = (int)a.key;
		v[i].value = copy_text(&f->rc, text);
		if (known && keyval.name[0])
			v[i].keyval_name = copy_text(&f->rc, keyval.name);
		*n = (int)i + 1;
	}
	return v;
}

struct mpidbg_info_pair_t *mpidbg_fill_pairs(struct mpidbg_fill *f, uint64_t bit, const struct mdl_list *list, int *n)
{
	enum { TEXT = 1024, PAIRS_MAX = 65536 };
	char key[TEXT], value[TEXT];
	uint64_t count = usable(f, bit, list);
	size_t n_text = 0, at = 0;

	*n = 0;
	if (count > PAIRS_MAX)
		f->rc = ACC_ELIMIT;
	for (uint64_t i = 0; !f->rc && i < count; i++) {
		f->rc = rd_track_pair(f->t, list, i, key, sizeof(key), value, sizeof(value));
		if (!f->rc)
			n_text += strlen(key) + strlen(value) + 2;
	}
	if (f->rc || !count)
		return NULL;

	struct mpidbg_info_pair_t *v = mpidbg_query_array(&f->rc, 1, count * sizeof(*v) + n_text);
	if (!v)
		return NULL;
	char *text = (char *)(v + count);
	for (uint64_t i = 0; i < count; i++) {
		f->rc = rd_track_pair(f->t, list, i, key, sizeof(key), value, sizeof(value));
		size_t n_key = strlen(key) + 1, n_value = strlen(value) + 1;
		/* a running process may have changed it between the passes */
		if (f->rc || n_key + n_value > n_text - at) {
			f->rc = f->rc ? f->rc : ACC_ECORRUPT;
			break;
		}
		v[i].key = memcpy(text + at, key, n_key);
		v[i].value = memcpy(text + at + n_key, value, n_value);
		at += n_key + n_value;
	}
	if (f->rc) {
		mqs_callbacks_release(v);
		return NULL;
	}
	*n = (int)count;
	return v;
}
