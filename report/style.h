/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file style.h
 * The style sheet of the page.
 */
#ifndef RP_STYLE_H
#define RP_STYLE_H

/** Content of a style element. */
extern const char rp_style[];

#endif /* RP_STYLE_H */
