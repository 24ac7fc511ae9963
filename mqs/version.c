/* SPDX-License-Identifier: BSD-3-Clause */
#include "export.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

char *mqs_version_string(void)
{
	return (char *)"mpidbg " MPIDBG_VERSION ": message queues of MPI processes";
}

int mqs_version_compatibility(void)
{
	return MQS_INTERFACE_COMPATIBILITY;
}

int mqs_dll_taddr_width(void)
{
	return sizeof(mqs_taddr_t);
}
