/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of calls. Each row of the files of collectives is a collective; the few others are listed one by one. */
#include "kinds.h"

#include "calls.h"

#if M2D_LARGE_COUNTS
#define BOTH(name, kind) [M2D_CALL_##name] = (kind), [M2D_CALL_##name##_c] = (kind)
#else
#define BOTH(name, kind) [M2D_CALL_##name] = (kind)
#endif

enum { LATER = M2D_REQUEST, EACH_TIME = M2D_REQUEST | M2D_PERSISTENT };

const uint8_t m2d_kinds[M2D_N_CALLS] = {
	BOTH(Send, M2D_SENDS),
	BOTH(Bsend, M2D_SENDS),
	BOTH(Ssend, M2D_SENDS),
	BOTH(Rsend, M2D_SENDS),
	BOTH(Recv, M2D_RECEIVES),
	BOTH(Mrecv, M2D_RECEIVES),
	BOTH(Sendrecv, M2D_SENDS | M2D_RECEIVES),
	BOTH(Sendrecv_replace, M2D_SENDS | M2D_RECEIVES),
	BOTH(Isend, M2D_SENDS | LATER),
	BOTH(Ibsend, M2D_SENDS | LATER),
	BOTH(Issend, M2D_SENDS | LATER),
	BOTH(Irsend, M2D_SENDS | LATER),
	BOTH(Irecv, M2D_RECEIVES | LATER),
	BOTH(Imrecv, M2D_RECEIVES | LATER),
	BOTH(Send_init, M2D_SENDS | EACH_TIME),
	BOTH(Bsend_init, M2D_SENDS | EACH_TIME),
	BOTH(Ssend_init, M2D_SENDS | EACH_TIME),
	BOTH(Rsend_init, M2D_SENDS | EACH_TIME),
	BOTH(Recv_init, M2D_RECEIVES | EACH_TIME),
#if M2D_MPI4
	BOTH(Isendrecv, M2D_SENDS | M2D_RECEIVES | LATER),
	BOTH(Isendrecv_replace, M2D_SENDS | M2D_RECEIVES | LATER),
	[M2D_CALL_Psend_init] = M2D_SENDS | EACH_TIME | M2D_PARTITIONED,
	[M2D_CALL_Precv_init] = M2D_RECEIVES | EACH_TIME | M2D_PARTITIONED,
#endif
	[M2D_CALL_Start] = M2D_STARTS,
	[M2D_CALL_Startall] = M2D_STARTS,
	[M2D_CALL_Wait] = M2D_COMPLETES,
	[M2D_CALL_Waitall] = M2D_COMPLETES,
	[M2D_CALL_Waitany] = M2D_COMPLETES,
	[M2D_CALL_Waitsome] = M2D_COMPLETES,
	[M2D_CALL_Test] = M2D_COMPLETES,
	[M2D_CALL_Testall] = M2D_COMPLETES,
	[M2D_CALL_Testany] = M2D_COMPLETES,
	[M2D_CALL_Testsome] = M2D_COMPLETES,
	[M2D_CALL_Comm_dup] = M2D_COLLECTIVE,
	[M2D_CALL_Comm_dup_with_info] = M2D_COLLECTIVE,
	[M2D_CALL_Comm_idup] = M2D_COLLECTIVE | LATER,
	[M2D_CALL_Comm_create] = M2D_COLLECTIVE,
	[M2D_CALL_Comm_create_group] = M2D_COLLECTIVE,
	[M2D_CALL_Comm_split] = M2D_COLLECTIVE,
	[M2D_CALL_Comm_split_type] = M2D_COLLECTIVE,
	[M2D_CALL_Cart_create] = M2D_COLLECTIVE,
	[M2D_CALL_Cart_sub] = M2D_COLLECTIVE,
	[M2D_CALL_Graph_create] = M2D_COLLECTIVE,
	[M2D_CALL_Dist_graph_create] = M2D_COLLECTIVE,
	[M2D_CALL_Dist_graph_create_adjacent] = M2D_COLLECTIVE,
	[M2D_CALL_Intercomm_create] = M2D_COLLECTIVE,
	[M2D_CALL_Intercomm_merge] = M2D_COLLECTIVE,
#if M2D_MPI4
	[M2D_CALL_Comm_idup_with_info] = M2D_COLLECTIVE | LATER,
#endif
#define COLL(class, name, params, args, before, after) [M2D_CALL_##name] = M2D_COLLECTIVE,
#include "collective.def"
#include "neighbour.def"
#undef COLL
#define QUICK(name, params, args, before, after) [M2D_CALL_##name] = M2D_COLLECTIVE | LATER,
#include "nonblocking_collective.def"
#undef QUICK
#define QUICK(name, params, args, before, after)  [M2D_CALL_##name] = M2D_COLLECTIVE | EACH_TIME,
#define QUICKX(name, params, args, before, after) [M2D_CALL_X_##name] = M2D_COLLECTIVE | EACH_TIME,
#if M2D_MPI4
#include "persistent_collective.def"
#endif
#if M2D_MPIX_PERSISTENT
#include "persistent_mpix.def"
#endif
#undef QUICK
#undef QUICKX
};
