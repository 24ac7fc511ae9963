/* SPDX-License-Identifier: BSD-3-Clause */
#include "identity.h"

struct m2d_world m2d_world = {
	.rank = -1, .id = "", .host = "", .executable = "", .meta_host = "", .meta_executable = ""
};
int m2d_everyone;
