/* SPDX-License-Identifier: BSD-3-Clause */
#include "demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOL_MAX = 1000 };

typedef char *demangle(const char *mangled, char *buffer, size_t *size, int *status);

#ifdef MPIDBG_STATIC

/* linked from libsupc++.a */
extern demangle __cxa_demangle;

static demangle *library_function(void)
{
	return __cxa_demangle;
}

#else

static demangle *library_function(void)
{
	static demangle *found;
	static bool looked;

	if (looked)
		return found;
	looked = true;
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
	found = library ? (demangle *)dlsym(library, "__cxa_demangle") : NULL;
	return found;
}

#endif

/* "f(int, g(*)(char)) const" becomes "f": cut at its last outermost list in parentheses. */
static void cut_parameters(char *name)
{
	size_t depth = 0;

	/* skip what follows the list: const, volatile, &, [clone .cold] */
	char *end = strrchr(name, ')');
	if (!end)
		return;
	for (char *p = end; p >= name; p--) {
		depth += *p == ')';
		depth -= *p == '(';
		if (depth)
			continue;
		/* "(anonymous namespace)" is part of a name */
		if (p > name && strncmp(p, "(anonymous", 10))
			*p = '\0';
		return;
	}
}

void host_demangle(char *name, size_t size)
{
	int status;

	if (strncmp(name, "_Z", 2) || strlen(name) > SYMBOL_MAX || !library_function())
		return;
	char *text = library_function()(name, NULL, NULL, &status);
	if (!text)
		return;
	cut_parameters(text);
	snprintf(name, size, "%s", text);
	free(text);
}
