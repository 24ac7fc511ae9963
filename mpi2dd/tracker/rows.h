/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file rows.h
 * What the rows of mpi2dd/calls use.
 */
#ifndef TRK_ROWS_H
#define TRK_ROWS_H

#include "../mpit/mirror.h"
#include "../mpit/stall.h"
#include "../tables/events.h"
#include "../tables/link.h"
#include "../tables/world.h"
#include "attribute.h"
#include "collectives.h"
#include "comm.h"
#include "datatype.h"
#include "errhandler.h"
#include "file.h"
#include "group.h"
#include "info.h"
#include "message.h"
#include "objects.h"
#include "op.h"
#include "predefined.h"
#include "requests.h"
#include "session.h"
#include "start.h"
#include "threads.h"
#include "win.h"

#endif /* TRK_ROWS_H */
