/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file export.h
 * Both interfaces, with their functions visible outside of the DLL. Everything else is built hidden.
 */
#ifndef MQS_EXPORT_H
#define MQS_EXPORT_H

#define MQS_EXPORT    extern __attribute__((visibility("default")))
#define MPIDBG_EXPORT extern __attribute__((visibility("default")))

#include "../include/mpidbg.h"
#include "../include/mqs.h"

#endif /* MQS_EXPORT_H */
