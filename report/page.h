/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file page.h
 * A report: one self-contained HTML file without scripts, network access or fonts, with styles for light and dark
 * screens and for print.
 */
#ifndef RP_PAGE_H
#define RP_PAGE_H

#include "source.h"

#include <stdio.h>

/**
 * Write the page.
 *
 * @param[out] no_picture static text that says why the wait-for graph is a list instead of a picture; NULL: it is
 *         a picture, or there is nothing to draw
 * @return false: out of memory; the page is incomplete
 */
bool rp_page(FILE *out, const struct rp_source *s, const char **no_picture);

#endif /* RP_PAGE_H */
