/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi2dd_layout.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

const struct rd_mpi2dd_row rd_mpi2dd_rows[RD_MPI2DD_N_FIELDS] = {
#define RD_MPI2DD(type, field, at64, bytes64, at32, bytes32)                                                           \
	[RD_##type##_##field] = { #field, RD_MPI2DD_##type, { at64, bytes64 }, { at32, bytes32 } },
#include "mpi2dd_fields.def"
#undef RD_MPI2DD
};

uint32_t rd_mpi2dd_bytes(const struct acc_space *sp, enum rd_mpi2dd_struct type)
{
	/* the last field of each structure; the structures are packed, so they end with it */
	static const enum rd_mpi2dd_field last[RD_MPI2DD_N_STRUCTS] = {
		[RD_MPI2DD_INFO] = RD_INFO_padding,
		[RD_MPI2DD_PROCDESC] = RD_PROCDESC_rank,
		[RD_MPI2DD_SPAWNDESC] = RD_SPAWNDESC_sequence,
		[RD_MPI2DD_DIRECTORYENTRY] = RD_DIRECTORYENTRY_pid,
		[RD_MPI2DD_EXTENSION] = RD_EXTENSION_reserved,
	};
	struct rd_mpi2dd_place place = rd_mpi2dd_place(sp, last[type]);

	return place.at + place.bytes;
}

uint64_t rd_mpi2dd_u(const struct acc_space *sp, const unsigned char *object, enum rd_mpi2dd_field field)
{
	struct rd_mpi2dd_place place = rd_mpi2dd_place(sp, field);

	return acc_decode_u(sp, object + place.at, place.bytes);
}

int64_t rd_mpi2dd_i(const struct acc_space *sp, const unsigned char *object, enum rd_mpi2dd_field field)
{
	struct rd_mpi2dd_place place = rd_mpi2dd_place(sp, field);

	return acc_decode_i(sp, object + place.at, place.bytes);
}
