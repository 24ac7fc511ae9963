/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool all_in(const char *s, size_t n, int (*is)(int))
{
	for (size_t i = 0; i < n; i++)
		if (!is((unsigned char)s[i]) && !isdigit((unsigned char)s[i]) && s[i] != '_')
			return false;
	return n > 0;
}

/* Length of a suffix that a Fortran compiler or binding has appended: "recv_f08_" -> 4. 0: none. */
static size_t fortran_stem(const char *s)
{
	static const char *const tails[] = { "_f08ts_", "_f08_", "_f_", "__", "_" };
	size_t n = strlen(s);

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		size_t t = strlen(tails[i]);
		if (n > t && strcmp(s + n - t, tails[i]) == 0)
			return n - t;
	}
	return 0;
}

bool host_mpi_name(const char *name, char *ret, size_t size)
{
	const char *s = name;
	bool is_lower = false;

	/* Open MPI 4.1: MPI_Finalize tail-calls this function and leaves no frame */
	if (strcmp(name, "ompi_mpi_finalize") == 0) {
		if (ret && size)
			snprintf(ret, size, "MPI_Finalize");
		return true;
	}
	if (*s == 'P' || *s == 'p')
		s++;
	if (strncmp(s, "mpi_", 4) == 0 && s[-(s > name)] != 'P')
		is_lower = true;
	else if (strncmp(s, "MPI_", 4) != 0 || (s > name && *name == 'p'))
		return false;
	s += 4;
	size_t n = is_lower ? fortran_stem(s) : strlen(s);
	if (n == 0 || !isalpha((unsigned char)*s))
		return false;
	bool is_fortran = is_lower ? all_in(s, n, islower) : n > 1 && all_in(s, n, isupper);
	if (!is_fortran && (is_lower || !isupper((unsigned char)*s)))
		return false;
	if (!ret || size == 0)
		return true;
	snprintf(ret, size, "MPI_%.*s", (int)(n < 200 ? n : 200), s);
	if (is_fortran)
		for (char *p = ret + 4; ret[0] && p < ret + strlen(ret); p++)
			*p = (char)(p == ret + 4 ? toupper((unsigned char)*p) : tolower((unsigned char)*p));
	return true;
}
