/* SPDX-License-Identifier: BSD-3-Clause */
/* A file pins the communicator that it was opened with: its group is the file's group. */
#include "file.h"

#include "arena.h"
#include "datatype.h"
#include "info.h"

#include <string.h>

static void forget_file(void *record)
{
	const struct trk_file *r = record;

	trk_unpin(TRK_COMM, r->comm_pin);
	trk_unpin(TRK_DATATYPE, r->etype_pin);
	trk_unpin(TRK_DATATYPE, r->filetype_pin);
}

static const struct trk_hooks hooks = { .kind = TRK_FILE, .forget = forget_file };
TRK_HOOKS(hooks);

/* Set the types of the view, which the program may free. Between trk_change() and trk_changed(). */
static void set_types(struct trk_file *r, MPI_Datatype etype, MPI_Datatype filetype)
{
	struct trk_datatype *e = trk_find(TRK_DATATYPE, TRK_BITS(etype));
	struct trk_datatype *f = trk_find(TRK_DATATYPE, TRK_BITS(filetype));
	uint32_t old_etype = r->etype_pin, old_filetype = r->filetype_pin;

	r->etype = TRK_BITS(etype);
	r->etype_id = e ? e->id : 0;
	r->etype_pin = trk_pin(TRK_DATATYPE, e);
	r->filetype = TRK_BITS(filetype);
	r->filetype_id = f ? f->id : 0;
	r->filetype_pin = trk_pin(TRK_DATATYPE, f);
	trk_unpin(TRK_DATATYPE, old_etype);
	trk_unpin(TRK_DATATYPE, old_filetype);
}

static uint64_t query_errhandler(MPI_File file)
{
	MPI_Errhandler e;

	if (!m2d_pmpi.File_get_errhandler || m2d_pmpi.File_get_errhandler(file, &e) != MPI_SUCCESS)
		return 0;
	uint64_t ret = TRK_BITS(e);
	m2d_pmpi.Errhandler_free(&e);
	return ret;
}

void trk_file_opened(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File file)
{
	struct trk_info_facts hints;
	uint64_t errhandler = query_errhandler(file);

	trk_info_query(info, &hints);
	if (trk_lock()) {
		struct trk_comm *c = trk_find(TRK_COMM, TRK_BITS(comm));
		struct trk_file *r = trk_create(TRK_FILE, TRK_BITS(file), c ? c->id : 0);
		if (r) {
			r->path = trk_span_copy(path, strlen(path), 1);
			r->mode = mode;
			r->comm = TRK_BITS(comm);
			r->comm_id = c ? c->id : 0;
			r->comm_pin = trk_pin(TRK_COMM, c);
			r->info = info == m2d_constants.info_null ? 0 : TRK_BITS(info);
			r->info_id = trk_id_of(TRK_INFO, r->info);
			r->errhandler = errhandler;
			set_types(r, m2d_constants.byte, m2d_constants.byte);
			memcpy(r->representation, "native", sizeof("native"));
			r->split_call = TRK_NO_CALL;
			r->hints = trk_info_pairs(&hints);
#if defined(OPEN_MPI)
			trk_set_fortran(r, m2d_pmpi.File_c2f(file));
#endif
			trk_publish(TRK_FILE, r);
		}
		trk_unlock();
	}
	trk_note_created(TRK_BITS(file), TRK_BITS(comm));
	trk_info_release(&hints);
}

static void add_hints(struct trk_file *r, MPI_Info info, const struct trk_info_facts *hints)
{
	if (info == m2d_constants.info_null)
		return;
	r->info = TRK_BITS(info);
	r->info_id = trk_id_of(TRK_INFO, r->info);
	trk_info_add_hints(&r->hints, hints);
}

/* Free a datatype handle that the library has returned, unless the type is predefined. */
static void free_returned_type(MPI_Datatype type)
{
	int n, combiner = MPI_COMBINER_NAMED;

	if (m2d_pmpi.Type_get_envelope(type, &n, &n, &n, &combiner) == MPI_SUCCESS && combiner != MPI_COMBINER_NAMED)
		m2d_pmpi.Type_free(&type);
}

/* With MPI_DISPLACEMENT_CURRENT the view starts at the shared file pointer; query the library. -1: not known. */
static MPI_Offset query_displacement(MPI_File file)
{
	char representation[MPI_MAX_DATAREP_STRING + 1];
	MPI_Datatype type[2];
	MPI_Offset ret;

	if (!m2d_pmpi.File_get_view || !m2d_pmpi.Type_get_envelope || !m2d_pmpi.Type_free ||
	    m2d_pmpi.File_get_view(file, &ret, &type[0], &type[1], representation) != MPI_SUCCESS)
		return -1;
	for (int i = 0; i < 2; i++)
		free_returned_type(type[i]);
	return ret;
}

void trk_file_view(MPI_File file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
		   const char *representation, MPI_Info info)
{
	struct trk_info_facts hints;
	MPI_Offset current = displacement == MPI_DISPLACEMENT_CURRENT ? query_displacement(file) : 0;

	trk_info_query(info, &hints);
	if (trk_lock()) {
		struct trk_file *r = trk_find(TRK_FILE, TRK_BITS(file));
		if (r) {
			trk_change(r);
			r->displacement = displacement == MPI_DISPLACEMENT_CURRENT ? current : displacement;
			set_types(r, etype, filetype);
			memset(r->representation, 0, sizeof(r->representation));
			strncpy(r->representation, representation, sizeof(r->representation) - 1);
			add_hints(r, info, &hints);
			trk_changed(r);
		}
		trk_unlock();
	}
	trk_info_release(&hints);
}

void trk_file_view_returned(MPI_File file, MPI_Datatype etype, MPI_Datatype filetype)
{
	struct trk_file own = { 0 };

	if (trk_lock()) {
		const struct trk_file *r = trk_find(TRK_FILE, TRK_BITS(file));
		if (r)
			own = *r;
		trk_unlock();
	}
	trk_datatype_returned(own.etype_pin, own.etype_id, etype);
	trk_datatype_returned(own.filetype_pin, own.filetype_id, filetype);
}

void trk_file_info(MPI_File file, MPI_Info info)
{
	struct trk_info_facts hints;

	trk_info_query(info, &hints);
	if (trk_lock()) {
		struct trk_file *r = trk_find(TRK_FILE, TRK_BITS(file));
		if (r) {
			trk_change(r);
			add_hints(r, info, &hints);
			trk_changed(r);
		}
		trk_unlock();
	}
	trk_info_release(&hints);
}

void trk_file_atomicity(MPI_File file, int atomic)
{
	if (!trk_lock())
		return;
	struct trk_file *r = trk_find(TRK_FILE, TRK_BITS(file));
	if (r)
		r->atomic = atomic != 0;
	trk_unlock();
}

void trk_file_split(MPI_File file, uint32_t call)
{
	if (!trk_lock())
		return;
	struct trk_file *r = trk_find(TRK_FILE, TRK_BITS(file));
	if (r)
		r->split_call = call;
	trk_unlock();
}
