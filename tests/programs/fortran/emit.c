/* SPDX-License-Identifier: BSD-3-Clause */
/* What emit_kinds.F90 calls to print what its objects are. Arguments are Fortran's; strings end with a NUL. */
#include "../answers.h"

static const char *const words[] = { "comm", "group", "datatype", "errhandler", "file",
				     "info", "op",    "request",  "win",        "message" };

static uint64_t handle_of(int kind, MPI_Fint index)
{
	switch (kind) {
	case 0:
		return BITS(MPI_Comm_f2c(index));
	case 1:
		return BITS(MPI_Group_f2c(index));
	case 2:
		return BITS(MPI_Type_f2c(index));
	case 4:
		return BITS(MPI_File_f2c(index));
	case 5:
		return BITS(MPI_Info_f2c(index));
	case 7:
		return BITS(MPI_Request_f2c(index));
	case 8:
		return BITS(MPI_Win_f2c(index));
	case 9:
		return BITS(MPI_Message_f2c(index));
	default:
		TRUST(!"a kind that is known here");
		return 0;
	}
}

void emit_rank_(const MPI_Fint *rank)
{
	emit_on = *rank == 0;
}

/** An object with an index: its name, or the function that made it; the other one is a blank. */
void emit_object_(const MPI_Fint *kind, const MPI_Fint *index, const char *name, const char *made_by)
{
	uint64_t handle = handle_of(*kind, *index);

	emit("{'args': 'print %s fortran:%d', 'is': {'handle': '0x%" PRIx64 "', '%s': '%s', 'fortran': %d}}",
	     words[*kind], (int)*index, handle, *name != ' ' ? "name" : "made_by", *name != ' ' ? name : made_by,
	     (int)*index);
}

/**
 * What this function has made was made in this line, not in the binding. (Of some calls, such as one with an info,
 * gfortran's own line tables say the program's first line.)
 */
void emit_place_(const char *kind, const char *made_by, const MPI_Fint *line)
{
	if (!getenv("MPI2DD_TRACK_WHERE"))
		return;
	emit("{'args': 'handles %s --leaks', 'words': ' by %s in MAIN__ at emit_kinds.F90:%d'}", kind, made_by,
	     (int)*line);
}

/** A request is where the program called, also when nothing asks for places. */
void emit_request_(const MPI_Fint *index, const MPI_Fint *line, const MPI_Fint *queued)
{
	emit("{'args': 'print request fortran:%d', 'is': {'caller_place': 'MAIN__ at emit_kinds.F90:%d'}}", (int)*index,
	     (int)*line);
	if (*queued)
		emit("{'args': 'queues', 'words': ' in MAIN__ at emit_kinds.F90:%d'}", (int)*line);
}

/** A status in a variable of the program. */
void emit_status_(const void *status, const MPI_Fint *source, const MPI_Fint *tag, const MPI_Fint *bytes)
{
	emit("{'args': 'print status 0x%" PRIx64 "', 'is': {'source': %d, 'tag': %d, 'bytes': %d}}",
	     (uint64_t)(uintptr_t)status, (int)*source, (int)*tag, (int)*bytes);
}

void emit_end_(void)
{
	emit("{'args': 'print comm fortran:987654', 'exit': 1, 'words': 'no communicator is fortran:987654'}");
	emit_ready();
}
