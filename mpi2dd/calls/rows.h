/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file rows.h
 * Includes everything that the rows of the .def files use.
 */
#ifndef M2D_ROWS_H
#define M2D_ROWS_H

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

#endif /* M2D_ROWS_H */
