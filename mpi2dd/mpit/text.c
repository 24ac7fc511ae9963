/* SPDX-License-Identifier: BSD-3-Clause */
/* Strings returned to the program, with MPI_T's conventions. */
#include "mpit.h"

#include <stdlib.h>
#include <string.h>

void mpit_text(const char *text, char *buf, int *len)
{
	if (!len)
		return;
	int n = (int)strlen(text ? text : "");
	if (buf && *len > 0) {
		int fits = n < *len ? n : *len - 1;
		memcpy(buf, text ? text : "", (size_t)fits);
		buf[fits] = '\0';
	}
	*len = n + 1;
}

char *mpit_copy_string(const char *text)
{
	return strdup(text);
}
