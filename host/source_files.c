/* SPDX-License-Identifier: BSD-3-Clause */
#include "source_files.h"

#include <string.h>

bool host_is_system_source(const char *path)
{
	static const char *const folders[] = { "/usr/include/", "/usr/local/include/", "/usr/lib/" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return true;
	return strstr(path, "/include/c++/") || strstr(path, "/lib/gcc/");
}
