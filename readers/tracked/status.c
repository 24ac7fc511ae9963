/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Status, whose layout differs between MPIs:
 *
 *  Open MPI 1.7 to 5.0   int MPI_SOURCE, MPI_TAG, MPI_ERROR, _cancelled; size_t _ucount
 *  MPICH 3.0 to 4.x      int count_lo, count_hi_and_cancelled, MPI_SOURCE, MPI_TAG, MPI_ERROR
 *  the ABI of MPI 5.0    int MPI_SOURCE, MPI_TAG, MPI_ERROR, internal[5]
 */
#include "registry.h"

#include <inttypes.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum acc_rc rd_track_status(struct acc_space *sp, enum rd_track_mpi mpi, uint64_t addr, struct mdl_status *ret)
{
	unsigned char b[24];
	unsigned first = mpi == RD_TRACK_MPICH ? 8 : 0;
	size_t n = mpi == RD_TRACK_MPICH ? 20 : mpi == RD_TRACK_OPENMPI ? 16u + sp->sizes.size_bytes : 12;
	enum acc_rc rc = acc_plausible(sp, addr, 4) && n <= sizeof(b) ? acc_read(sp, addr, n, b) : ACC_EREAD;

	if (rc)
		return acc_note(&sp->note, rc, "MPI_Status at 0x%" PRIx64 ": %s", addr, acc_rc_text(rc));
	int64_t source = acc_decode_i(sp, b + first, 4), tag = acc_decode_i(sp, b + first + 4, 4);
	struct mdl_status s = {
		.addr = addr,
		.source = rd_track_rank_of(mpi, source),
		.tag = rd_track_tag_of(mpi, tag),
		.host_source = (int32_t)source,
		.host_tag = (int32_t)tag,
		.error = mdl_known(acc_decode_i(sp, b + first + 8, 4)),
		.cancelled = mdl_unavailable("this MPI's status is not known here"),
		.bytes = mdl_unavailable("this MPI's status is not known here"),
	};
	if (mpi == RD_TRACK_OPENMPI) {
		s.cancelled = mdl_known(acc_decode_u(sp, b + 12, 4) != 0);
		s.bytes = mdl_known((int64_t)acc_decode_u(sp, b + 16, sp->sizes.size_bytes));
	} else if (mpi == RD_TRACK_MPICH) {
		uint64_t lo = acc_decode_u(sp, b, 4), hi = acc_decode_u(sp, b + 4, 4);

		s.cancelled = mdl_known((int64_t)(hi & 1));
		s.bytes = mdl_known((int64_t)((hi >> 1) << 32 | lo));
	}
	*ret = s;
	return ACC_OK;
}
