// SPDX-License-Identifier: BSD-3-Clause
// As places.cc, with the bindings inlined into the program, as they are in optimized ones.
#pragma GCC optimize("O2")
#define PLACES_INLINED
#include "places.cc"
