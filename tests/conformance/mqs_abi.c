/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints mqs_abi.def, a line per row. check_mqs_abi.c compiles it twice, with the vendor's header and with ours in
 * front of it (-include), because both in one program collide.
 */
#include <stddef.h>
#include <stdio.h>

#define ABI_SIZE(type) printf("sizeof %s %zu\n", #type, sizeof(type));
#define ABI_FIELD(type, field)                                                                                         \
	printf("%s.%s at %zu, %zu bytes, %s\n", #type, #field, offsetof(type, field), sizeof(((type *)0)->field),      \
	       _Generic(((type *)0)->field, int                                                                        \
			: "int", long                                                                                  \
			: "long", unsigned long                                                                        \
			: "unsigned long", default                                                                     \
			: "other"));
#define ABI_VALUE(name) printf("%s %ld\n", #name, (long)(name));
#define ABI_CODE(type, ...)                                                                                            \
	printf("%s %s\n", #type, __builtin_types_compatible_p(type, __VA_ARGS__) ? "fits" : "differs");

int main(void)
{
#include "mqs_abi.def"
	return 0;
}
