/* SPDX-License-Identifier: BSD-3-Clause */
#include "counts.h"

struct m2d_counts m2d_counts;
