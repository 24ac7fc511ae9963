/* SPDX-License-Identifier: BSD-3-Clause */
/* DWARF: types are looked up in an ELF file, through typedefs, anonymous members and cyclic references. */
#include "fuzz.h"

#include "../host/types.h"

#include <unistd.h>

static const char *const names[] = { "node",         "node_t", "outer",  "list_t",      "int",
				     "unsigned int", "char",   "enum_t", "opal_list_t", "no such type" };
static const char *const members[] = { "next", "value", "inner", "deep", "bits", "name", "no_such_member" };

int fuzz_types(const uint8_t *data, size_t n)
{
	int fd = fuzz_file(data, n);
	struct host_error err = { 0 };
	struct host_types *types = host_types_create();
	FUZZ_MUST(types);

	if (host_types_add(types, fuzz_path(fd), &err) == HOST_OK) {
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			const struct host_type *type = host_types_find(types, names[i]);
			FUZZ_MUST(host_types_find(types, names[i]) == type);
			if (!type)
				continue;
			FUZZ_MUST(host_type_bytes(type) >= -1);
			FUZZ_MUST(host_type_file(type));
			for (size_t j = 0; j < sizeof(members) / sizeof(members[0]); j++) {
				struct host_member m;
				host_type_member(type, members[j], &m);
			}
		}
	}
	host_types_destroy(types);
	close(fd);
	return 0;
}
