/* SPDX-License-Identifier: BSD-3-Clause */
#include "integer.h"

#include "handle_value.h"
#include "query.h"

#include "../render/fact.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static const struct {
	int kind;
	const char *key, *type, *datatype, *words, *fortran;
} kinds[] = {
	{ MPIDBG_AINT, "aint", "MPI_Aint", "MPI_AINT", "address integer", "MPI_ADDRESS_KIND" },
	{ MPIDBG_OFFSET, "offset", "MPI_Offset", "MPI_OFFSET", "offset", "MPI_OFFSET_KIND" },
};

static size_t row(int kind)
{
	return kind == MPIDBG_OFFSET;
}

int mpidbg_integer_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(name, kinds[i].key) || !strcmp(name, kinds[i].type) || !strcmp(name, kinds[i].words))
			return kinds[i].kind;
	return -1;
}

/* ---- width ------------------------------------------------------------------------------------------ */

static int64_t of_registry(struct _mqs_process_info *p, int kind)
{
	struct mdl_handle h;
	struct acc_note note = p->space.note;
	int64_t bytes = 0;

	if (p->track && !rd_track_find_name(p->track, MDL_DATATYPE, kinds[row(kind)].datatype, &h) && h.predefined &&
	    h.datatype.size.known == MDL_KNOWN)
		bytes = h.datatype.size.value;
	p->space.note = note;
	return bytes;
}

static int64_t of_types(struct _mqs_process_info *p, int kind)
{
	const mqs_image_callbacks *callbacks = p->image ? mqs_state_image_callbacks(p->image) : NULL;
	mqs_type *type;

	if (!callbacks || !callbacks->mqs_find_type_fp || !callbacks->mqs_sizeof_fp)
		return 0;
	type = callbacks->mqs_find_type_fp(p->image->image, (char *)kinds[row(kind)].type, mqs_lang_c);
	return type ? callbacks->mqs_sizeof_fp(type) : 0;
}

enum acc_rc mpidbg_integer_bytes(struct _mqs_process_info *p, int kind, unsigned *ret)
{
	int64_t bytes = of_registry(p, kind);
	uint64_t addr;

	if (bytes != 4 && bytes != 8)
		bytes = of_types(p, kind);
	/* in Open MPI's mpi.h, MPI_Aint is ptrdiff_t */
	if (bytes != 4 && bytes != 8 && kind == MPIDBG_AINT && !acc_symbol(&p->space, "ompi_mpi_state", &addr))
		bytes = p->space.sizes.pointer_bytes;
	if (bytes != 4 && bytes != 8)
		return mqs_state_fail(p, ACC_NONE,
				      "nothing says how wide this type is: start the program with mpi2dd-run, or "
				      "compile it with -g");
	*ret = (unsigned)bytes;
	return ACC_OK;
}

static enum acc_rc read_at(struct _mqs_process_info *p, uint64_t addr, unsigned bytes, int64_t *ret)
{
	uint64_t value;

	if (acc_read_u(&p->space, addr, bytes, &value)) {
		acc_note(&p->space.note, ACC_EREAD, "0x%" PRIx64 ": %s", addr, acc_rc_text(ACC_EREAD));
		return mqs_state_fail(p, ACC_EREAD, "integer");
	}
	*ret = bytes == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
	return ACC_OK;
}

/* ---- written ------------------------------------------------------------------------------------------ */

enum acc_rc mpidbg_write_integer(struct mpidbg_description *d, int kind)
{
	const char *text = d->options.value;
	bool at = text[0] == '@';
	struct out *o = &d->o;
	uint64_t number;
	int64_t value;
	unsigned bytes;

	if (!mpidbg_number(text + at, &number))
		return mqs_state_fail(d->p, ACC_EINVAL,
				      "it is named by its value, or by @0x... of the variable that holds it");
	enum acc_rc rc = mpidbg_integer_bytes(d->p, kind, &bytes);
	if (rc)
		return rc;
	value = (int64_t)number;
	if (at)
		rc = read_at(d->p, number, bytes, &value);
	if (rc)
		return rc;
	if (bytes == 4 && (value < INT32_MIN || value > (int64_t)UINT32_MAX))
		return mqs_state_fail(d->p, ACC_EINVAL, "the value does not fit: this type has 4 bytes");
	if (o->json) {
		out_json_object(o, "handle");
	} else {
		out_line(o, 1);
		out_text(o, "%s %" PRId64, kinds[row(kind)].words, value);
	}
	out_fact_word(o, "kind", kinds[row(kind)].key);
	if (at)
		out_fact_addr(o, "address", mdl_known((int64_t)number));
	out_fact_num(o, "value", mdl_known(value));
	out_fact_addr(o, "hexadecimal", mdl_known(bytes == 4 ? (int64_t)(uint32_t)value : value));
	out_fact_num(o, "bytes", mdl_known(bytes));
	out_fact_bool(o, "signed", true);
	out_fact_word(o, "c_type", kinds[row(kind)].type);
	if (!o->json) {
		out_fact_label(o, "fortran_type");
		out_text(o, "integer(kind=%s), which is %u bytes", kinds[row(kind)].fortran, bytes);
	} else
		out_json_string(o, "fortran_kind", kinds[row(kind)].fortran);
	if (o->json)
		out_json_object_end(o);
	else
		out_line_end(o);
	return ACC_OK;
}

/* ---- queried ------------------------------------------------------------------------------------------ */

int mpidbg_integer_query(mqs_process *process, int kind, mqs_taddr_t addr, struct mpidbg_integer_info_t **ret)
{
	struct _mqs_process_info *p;
	unsigned bytes;
	int64_t value;

	if (!ret || (kind != MPIDBG_AINT && kind != MPIDBG_OFFSET))
		return MPIDBG_ERR_OUT_OF_RANGE;
	int code = mpidbg_query_begin(process, false, &p);
	if (code)
		return code;
	enum acc_rc rc = mpidbg_integer_bytes(p, kind, &bytes);
	if (rc == ACC_NONE) {
		mpidbg_query_end(p, rc, "width");
		return MPIDBG_ERR_NOT_SUPPORTED;
	}
	if (!rc)
		rc = read_at(p, addr, bytes, &value);
	struct mpidbg_integer_info_t *info = mpidbg_query_array(&rc, 1, sizeof(*info));
	if (info) {
		*info = (struct mpidbg_integer_info_t){ addr, value, (int)bytes, 1, (int)bytes };
		*ret = info;
	}
	return mpidbg_query_end(p, rc, kinds[row(kind)].words);
}
