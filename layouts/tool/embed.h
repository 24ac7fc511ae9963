/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file embed.h
 * Layout packs as C source.
 */
#ifndef LAYOUTS_EMBED_H
#define LAYOUTS_EMBED_H

#include "../../access/pack.h"

#include <stdio.h>

/** Begin the file. */
void pk_embed_begin(FILE *out);

/** Write pack number i: its text, and the tables that parsing
 * it gave, so that the plugin neither reads nor parses files. */
void pk_embed(FILE *out, unsigned i, const char *text, const struct acc_pack *pack);

/** Write acc_pack_builtins[] of n packs. */
void pk_embed_end(FILE *out, const char *const *files, unsigned n);

#endif /* LAYOUTS_EMBED_H */
