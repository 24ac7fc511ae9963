/* SPDX-License-Identifier: BSD-3-Clause */
#include "errors.h"

#include "../mpit/emit.h"

#include <mpi.h>
#include <string.h>

/* The names of error classes; their numbers are those of the MPI library for which this file is compiled. */
static const char *name_of(int class)
{
	static const struct {
		int class;
		const char *name;
	} names[] = {
#define NAME(class) { class, #class }
		NAME(MPI_ERR_BUFFER),    NAME(MPI_ERR_COUNT),    NAME(MPI_ERR_TYPE),     NAME(MPI_ERR_TAG),
		NAME(MPI_ERR_COMM),      NAME(MPI_ERR_RANK),     NAME(MPI_ERR_REQUEST),  NAME(MPI_ERR_ROOT),
		NAME(MPI_ERR_GROUP),     NAME(MPI_ERR_OP),       NAME(MPI_ERR_TOPOLOGY), NAME(MPI_ERR_DIMS),
		NAME(MPI_ERR_ARG),       NAME(MPI_ERR_TRUNCATE), NAME(MPI_ERR_OTHER),    NAME(MPI_ERR_INTERN),
		NAME(MPI_ERR_IN_STATUS), NAME(MPI_ERR_PENDING),  NAME(MPI_ERR_NO_MEM),   NAME(MPI_ERR_PORT),
		NAME(MPI_ERR_SPAWN),     NAME(MPI_ERR_WIN),      NAME(MPI_ERR_RMA_SYNC), NAME(MPI_ERR_RMA_RANGE),
		NAME(MPI_ERR_DISP),      NAME(MPI_ERR_SIZE),     NAME(MPI_ERR_LOCKTYPE), NAME(MPI_ERR_INFO),
#undef NAME
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].class == class)
			return names[i].name;
	return "an error";
}

/* MPI_Comm_c2f and MPI_Comm_toint return an index, no code. */
static bool returns_index(const char *name)
{
	const char *last = strrchr(name, '_');

	return last && (strcmp(last, "_c2f") == 0 || strcmp(last, "_toint") == 0);
}

void m2d_note_error(struct m2d_thread *t, unsigned call, const char *name, int code, const void *caller)
{
	struct trk_thread *s = t->slot;
	bool of_file = name[0] == 'F' && name[1] == 'i' && name[2] == 'l' && name[3] == 'e' && name[4] == '_';

	if (returns_index(name))
		return;
	mpit_emit_error((int)call, code);
	if (!s || of_file)
		return;
	TRK_PUT(s->error, 0);
	trk_order();
	s->error_name = (uintptr_t)name_of(m2d_calls_error_class(code));
	s->error_caller = (uintptr_t)caller;
	s->error_at = trk_now();
	trk_order();
	TRK_PUT(s->error, call + 1);
}
