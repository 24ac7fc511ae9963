/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file file.h
 * Files: path, mode, view, hints, open split collectives. See objects.h.
 */
#ifndef TRK_FILE_H
#define TRK_FILE_H

#include "objects.h"

#pragma GCC visibility push(hidden)

void trk_file_opened(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File file);
void trk_file_view(MPI_File file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
		   const char *representation, MPI_Info info);
/** MPI_File_get_view has returned handles of the view's types. */
void trk_file_view_returned(MPI_File file, MPI_Datatype etype, MPI_Datatype filetype);

void trk_file_info(MPI_File file, MPI_Info info);
void trk_file_atomicity(MPI_File file, int atomic);

/** A split collective has begun. @param call its number; TRK_NO_CALL: it has ended. */
void trk_file_split(MPI_File file, uint32_t call);

#pragma GCC visibility pop

#endif /* TRK_FILE_H */
