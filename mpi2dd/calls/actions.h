/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file actions.h
 * What the rows of functions/functions.def use in BEFORE and AFTER: functions of the parts of this library, and macros
 * for what several rows of a family do.
 */
#ifndef M2D_ACTIONS_H
#define M2D_ACTIONS_H

#include "../mpit/mirror.h"
#include "../mpit/stall.h"
#include "../tables/events.h"
#include "../tables/link.h"
#include "../tables/world.h"
#include "../tracker/attribute.h"
#include "../tracker/collectives.h"
#include "../tracker/comm.h"
#include "../tracker/datatype.h"
#include "../tracker/errhandler.h"
#include "../tracker/file.h"
#include "../tracker/group.h"
#include "../tracker/info.h"
#include "../tracker/message.h"
#include "../tracker/objects.h"
#include "../tracker/op.h"
#include "../tracker/predefined.h"
#include "../tracker/requests.h"
#include "../tracker/session.h"
#include "../tracker/start.h"
#include "../tracker/threads.h"
#include "../tracker/win.h"

#define NOTHING (void)0

/** Blocking collectives are counted by class. */
#define COLL_BEGIN(class, arguments)                                                                                   \
	arguments;                                                                                                     \
	uint64_t *counted = trk_coll_begin(t, frame->comm, TRK_##class)
#define COLL_END trk_coll_end(counted)

/** The receive of a message that a probe has matched. */
#define ARGS_MRECV(buf, count, datatype, message)                                                                      \
	trk_set_data(frame, buf, count, TRK_BITS(datatype));                                                           \
	frame->object = message ? TRK_BITS(*message) : 0;                                                              \
	frame->object_kind = TRK_MESSAGE;                                                                              \
	SET_HAS(TRK_HAS_OBJECT | TRK_HAS_BUFFER | TRK_HAS_COUNT | TRK_HAS_DATATYPE);                                   \
	FREES(TRK_MESSAGE, message)

/** Communicators. */
#define NEW_COMM(parent, newcomm, how)            NEW_COMM_INFO(parent, newcomm, how, m2d_constants.info_null)
#define NEW_COMM_INFO(parent, newcomm, how, info) ON_SUCCESS(trk_comm_made(parent, *(newcomm), how, 0, info))
#define NEW_COMM_GROUP(parent, newcomm, group, info)                                                                   \
	ON_SUCCESS(trk_comm_made(parent, *(newcomm), TRK_COMM_GROUP, TRK_BITS(group), info))
#define REORDERED(reorder) ((reorder) ? TRK_COMM_PART : TRK_COMM_FIRST)

/** Datatypes: `contents` are the arguments, in the order of MPI_Type_get_contents(). */
#define NEW_TYPE(combiner, n, types, contents)                                                                         \
	do {                                                                                                           \
		if (rc != MPI_SUCCESS)                                                                                 \
			break;                                                                                         \
		struct trk_contents c;                                                                                 \
		trk_contents_begin(&c, MPI_COMBINER_##combiner);                                                       \
		contents trk_datatype_made(&c, n, types, *newtype);                                                    \
	} while (0)
#define I(number)    trk_integer(&c, number);
#define A(number)    trk_address(&c, number);
#define IS(n, array) trk_integers(&c, n, array);
#define AS(n, array) trk_addresses(&c, n, array);

#define NEW_INFO(info, parent)    ON_SUCCESS(trk_info_made(parent, *(info)))
#define NEW_WIN(base, size, unit) ON_SUCCESS(trk_win_made(base, size, unit, info, comm, *win))

/** Error handlers. */
#define NEW_HANDLER(kind, function)                                                                                    \
	ON_SUCCESS(trk_errhandler_made(kind, (const void *)(uintptr_t)(function), trk_language(frame),                 \
				       TRK_BITS(*errhandler)))
/** Before MPIX_..._create_x: a binding calls it for the program, which called @p function. */
#define CALLED_FOR(function)                                                                                           \
	do {                                                                                                           \
		if (trk_language(frame) != 1)                                                                          \
			frame->call = M2D_CALL_##function;                                                             \
	} while (0)
#define NEW_HANDLER_X(kind, function)                                                                                  \
	NEW_HANDLER(kind, trk_user_function(frame, (const void *)(uintptr_t)(function), extra_state))
#define GOT_HANDLER(kind)         ON_SUCCESS(trk_errhandler_returned(kind, TRK_BITS(*errhandler)))
#define SET_HANDLER(kind, object) ON_SUCCESS(trk_errhandler_attached(kind, TRK_BITS(object), TRK_BITS(errhandler)))

/** Keyvals and attributes. */
#define NEW_KEYVAL(kind, keyval, copy, delete)                                                                         \
	ON_SUCCESS(trk_keyval_made(kind, *(keyval), (const void *)(uintptr_t)(copy),                                   \
				   (const void *)(uintptr_t)(delete), (uintptr_t)extra_state, trk_language(frame)))
#define FREED_KEYVAL ON_SUCCESS(trk_keyval_freed(freed_key, freed_id))
#define SET_ATTRIBUTE(kind, object, keyval, value)                                                                     \
	ON_SUCCESS(trk_attribute_set(kind, TRK_BITS(object), keyval, (uintptr_t)(value), 1))
#define DELETE_ATTRIBUTE(kind, object, keyval) ON_SUCCESS(trk_attribute_deleted(kind, TRK_BITS(object), keyval))

#endif /* M2D_ACTIONS_H */
