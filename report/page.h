/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file page.h
 * A report: one self-contained HTML file without scripts, network access or fonts. It can be read on a light and on a
 * dark screen and on paper.
 */
#ifndef RP_PAGE_H
#define RP_PAGE_H

#include "source.h"

#include <stdio.h>

/**
 * Write the page.
 *
 * @param[out] no_picture why the wait-for graph is a list and no picture, static; NULL: it is one, or there is
 *         nothing to draw
 * @return false: no memory, the page is incomplete
 */
bool rp_page(FILE *out, const struct rp_source *s, const char **no_picture);

#endif /* RP_PAGE_H */
