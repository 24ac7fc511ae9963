/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file packs.h
 * The compiled-in layout pack of a release, whatever other releases it covers and whatever its file name is.
 */
#ifndef TEST_PACKS_H
#define TEST_PACKS_H

#include "../../access/pack.h"
#include "../../access/pack_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The pack of Open MPI @p release on x86-64; NULL: there is none. */
static inline const struct acc_pack_builtin *pack_of_release(const char *release)
{
	static const char witness[] = "\nwitness one-of ompi_version_string ";
	char middle[32], last[32];

	snprintf(middle, sizeof(middle), " %s ", release);
	snprintf(last, sizeof(last), " %s\n", release);
	for (const struct acc_pack_builtin *b = acc_pack_builtins; b->file; b++) {
		const char *line = strstr(b->text, witness), *end = line ? strchr(line + 1, '\n') : NULL;
		const char *found = line ? strstr(line, middle) : NULL;

		if (!found)
			found = line ? strstr(line, last) : NULL;
		if (found && found < end && strstr(b->text, "\nsystem x86-64\n"))
			return b;
	}
	return NULL;
}

/** The version of the installed Open MPI according to its compiler wrapper: "5.0.7", "6.0.0rc2"; "": none. */
static inline const char *pack_installed_release(void)
{
	static char text[64];
	FILE *f = text[0] ? NULL : popen("mpicc.openmpi --showme:version 2>/dev/null", "r");

	if (f && fscanf(f, "%*[^0-9]%63[0-9.a-z]", text) != 1)
		text[0] = '\0';
	if (f)
		pclose(f);
	return text;
}

#endif /* TEST_PACKS_H */
