/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types from DWARF: the same declarations are compiled into this test and, by several compilers and in several forms,
 * into objects with debug information. What host/types says must be what the compiler says here.
 */
#include "../../host/dwarf_type.h"
#include "../../host/types.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_(...) #__VA_ARGS__
#define TEXT(...)  TEXT_(__VA_ARGS__)

#define SAMPLE                                                                                                         \
	typedef int number_t;                                                                                          \
	typedef const volatile number_t *number_pointer_t;                                                             \
	struct small {                                                                                                 \
		char c;                                                                                                \
		short s;                                                                                               \
	};                                                                                                             \
	typedef struct {                                                                                               \
		struct small first;                                                                                    \
		number_t second[3];                                                                                    \
	} tagless_t;                                                                                                   \
	union either {                                                                                                 \
		char chars[13];                                                                                        \
		double real;                                                                                           \
	};                                                                                                             \
	enum colour { red, green };                                                                                    \
	typedef struct big_s {                                                                                         \
		char tag;                                                                                              \
		struct {                                                                                               \
			int in_anonymous;                                                                              \
			union {                                                                                        \
				long deep;                                                                             \
				char deep_chars[4];                                                                    \
			};                                                                                             \
		};                                                                                                     \
		unsigned bit_one : 1;                                                                                  \
		unsigned bits : 13;                                                                                    \
		char after_bits;                                                                                       \
		union either named_union;                                                                              \
		tagless_t matrix[2][5];                                                                                \
		enum colour colour;                                                                                    \
		number_pointer_t pointer;                                                                              \
		void (*function)(void);                                                                                \
		struct never_defined *opaque;                                                                          \
		_Bool flag;                                                                                            \
		long double wide;                                                                                      \
		char flexible[];                                                                                       \
	} big_t;                                                                                                       \
	typedef big_t const big_alias_t;                                                                               \
	typedef struct never_defined never_t;                                                                          \
	struct self {                                                                                                  \
		struct self *next;                                                                                     \
		struct elsewhere *other;                                                                               \
	};

SAMPLE

struct elsewhere {
	int before, here;
};

static const char sample_text[] = TEXT(SAMPLE);
static const char
	use_text[] = "\nbig_t big; big_alias_t *alias; tagless_t tagless; union either either; struct self self;\n"
		     "enum colour col; never_t *never; struct small small; number_pointer_t np;\n";
static const char elsewhere_text
	[] = "struct elsewhere { int before, here; };\nstruct elsewhere elsewhere_object;\n"
	     "typedef struct declared_t declared_t; struct declared_t { char c[7]; }; declared_t declared_object;\n";

static char folder[SCRATCH_MAX];

static void make_folder(void)
{
	scratch_make(folder, "types");
	ck_assert_int_eq(chdir(folder), 0);
}

static void remove_folder(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	scratch_remove(folder);
}

static void write_text(const char *path, const char *text, const char *more)
{
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "%s%s", text, more);
	ck_assert_int_eq(fclose(f), 0);
}

/* @return false: this compiler is not here */
static bool compile(const char *compiler, const char *flags, const char *source, const char *object)
{
	char command[1024];
	snprintf(command, sizeof(command), "command -v %s >/dev/null", compiler);
	if (system(command))
		return false;
	snprintf(command, sizeof(command), "%s -w %s -o %s %s", compiler, flags, object, source);
	ck_assert_msg(system(command) == 0, "%s", command);
	return true;
}

static const struct host_type *must_find(struct host_types *types, const char *name)
{
	const struct host_type *type = host_types_find(types, name);
	ck_assert_msg(type != NULL, "no type %s", name);
	return type;
}

/* ---- facts from the compiler ------------------------------------------------------------------- */

#define SIZE(name, type)                                                                                               \
	{                                                                                                              \
#name, sizeof(type)                                                                                    \
	}
static const struct {
	const char *name;
	size_t bytes;
} sizes[] = {
	SIZE(number_t, number_t),
	SIZE(number_pointer_t, number_pointer_t),
	SIZE(small, struct small),
	SIZE(tagless_t, tagless_t),
	SIZE(either, union either),
	SIZE(colour, enum colour),
	SIZE(big_s, struct big_s),
	SIZE(big_t, big_t),
	SIZE(big_alias_t, big_alias_t),
	SIZE(self, struct self),
	SIZE(int, int),
	SIZE(char, char),
	SIZE(double, double),
};

#define MEMBER(type, member)                                                                                           \
	{                                                                                                              \
#type, #member, offsetof(type, member), sizeof(((type *)0)->member)                                    \
	}
static const struct {
	const char *type, *member;
	size_t offset, bytes;
} members[] = {
	MEMBER(big_t, tag),
	MEMBER(big_t, in_anonymous),
	MEMBER(big_t, deep),
	MEMBER(big_t, deep_chars),
	MEMBER(big_t, after_bits),
	MEMBER(big_t, named_union),
	MEMBER(big_t, matrix),
	MEMBER(big_t, colour),
	MEMBER(big_t, pointer),
	MEMBER(big_t, function),
	MEMBER(big_t, opaque),
	MEMBER(big_t, flag),
	MEMBER(big_t, wide),
	MEMBER(big_alias_t, wide),
	MEMBER(tagless_t, first),
	MEMBER(tagless_t, second),
	{ "big_s", "flexible", offsetof(big_t, flexible), 0 },
	{ "either", "chars", 0, 13 },
	{ "either", "real", 0, sizeof(double) },
	{ "self", "other", offsetof(struct self, other), sizeof(void *) },
};

/* The forms in which compilers write it; "clang" may be missing. */
static const struct {
	const char *compiler, *flags;
} forms[] = {
	{ "gcc", "-c -g -gdwarf-4" },
	{ "gcc", "-c -g -gdwarf-5" },
	{ "gcc", "-c -g -gdwarf-2 -gstrict-dwarf" },
	{ "gcc", "-c -g -gdwarf-3" },
	{ "gcc", "-shared -fPIC -g -gdwarf-4 -fdebug-types-section" },
	{ "gcc", "-shared -fPIC -g -gdwarf-5 -fdebug-types-section" },
	{ "gcc", "-c -g -gdwarf-5 -gz" },
	{ "gcc", "-shared -fPIC -g -gdwarf-4" },
	{ "gcc", "-shared -fPIC -g -gdwarf-5 -gz -O2" },
	{ "clang", "-c -g -gdwarf-4" },
	{ "clang", "-c -g -gdwarf-5" },
};

START_TEST(test_as_compiled)
{
	struct host_types *types = host_types_create();
	struct host_member m;
	write_text("sample.c", sample_text, use_text);
	if (strstr(forms[_i].flags, "-fdebug-types-section") && !host_dwarf_has_units()) {
		puts("this libdwarf finds no type units");
		host_types_destroy(types);
		return;
	}
	if (!compile(forms[_i].compiler, forms[_i].flags, "sample.c", "sample.o")) {
		host_types_destroy(types);
		return;
	}
	ck_assert_int_eq(host_types_add(types, "sample.o", NULL), HOST_OK);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		ck_assert_msg(host_type_bytes(must_find(types, sizes[i].name)) == (int64_t)sizes[i].bytes,
			      "%s: %lld, not %zu", sizes[i].name,
			      (long long)host_type_bytes(must_find(types, sizes[i].name)), sizes[i].bytes);
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		const struct host_type *type = must_find(types, members[i].type);
		ck_assert_msg(host_type_member(type, members[i].member, &m), "no member %s.%s", members[i].type,
			      members[i].member);
		ck_assert_msg(!m.bit_field && m.offset == members[i].offset && m.bytes == members[i].bytes,
			      "%s.%s: %llu bytes at %llu, not %zu at %zu", members[i].type, members[i].member,
			      (unsigned long long)m.bytes, (unsigned long long)m.offset, members[i].bytes,
			      members[i].offset);
	}
	ck_assert(host_type_member(must_find(types, "big_t"), "bit_one", &m) && m.bit_field);
	ck_assert(host_type_member(must_find(types, "big_t"), "bits", &m) && m.bit_field);
	host_types_destroy(types);
}
END_TEST

START_TEST(test_not_there)
{
	struct host_types *types = host_types_create();
	struct host_member m = { .offset = 77 };
	write_text("sample.c", sample_text, use_text);
	compile("gcc", "-c -g", "sample.c", "sample.o");
	ck_assert_int_eq(host_types_add(types, "sample.o", NULL), HOST_OK);
	static const char *const names[] = { "no_such_type", "never_defined", "never_t", "",       "in_anonymous",
					     "big",          "elsewhere",     "ig_t",    "big_t ", "struct small" };
	for (size_t twice = 0; twice < 2; twice++) /* the second answer is a remembered one */
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			ck_assert_msg(!host_types_find(types, names[i]), "found %s", names[i]);
	ck_assert(!host_type_member(must_find(types, "big_t"), "no_such_member", &m));
	ck_assert(!host_type_member(must_find(types, "big_t"), "", &m));
	ck_assert(!host_type_member(must_find(types, "big_t"), "first", &m)); /* of a named member: not its own */
	ck_assert(!host_type_member(must_find(types, "number_t"), "first", &m));
	ck_assert(!host_type_member(must_find(types, "colour"), "red", &m));
	ck_assert_uint_eq(m.offset, 77); /* untouched */
	host_types_destroy(types);
}
END_TEST

/* Declared in one file, defined in another one. */
START_TEST(test_two_files)
{
	struct host_types *types = host_types_create();
	struct host_member m;
	write_text("sample.c", sample_text, use_text);
	write_text("declared.c", "typedef struct declared_t declared_t; declared_t *pointer;\n", "");
	write_text("elsewhere.c", elsewhere_text, "");
	compile("gcc", "-c -g", "sample.c", "sample.o");
	compile("gcc", "-c -g", "declared.c", "declared.o");
	compile("gcc", "-c -g", "elsewhere.c", "elsewhere.o");
	ck_assert_int_eq(host_types_add(types, "sample.o", NULL), HOST_OK);
	ck_assert_int_eq(host_types_add(types, "declared.o", NULL), HOST_OK);
	ck_assert_int_eq(host_types_add(types, "elsewhere.o", NULL), HOST_OK);
	ck_assert_uint_eq(host_types_n_files(types), 3);
	ck_assert_int_eq(host_type_bytes(must_find(types, "elsewhere")), sizeof(struct elsewhere));
	ck_assert(host_type_member(must_find(types, "elsewhere"), "here", &m));
	ck_assert_uint_eq(m.offset, offsetof(struct elsewhere, here));
	ck_assert_str_eq(host_type_file(must_find(types, "elsewhere")), "elsewhere.o");
	ck_assert_int_eq(host_type_bytes(must_find(types, "declared_t")), 7);
	ck_assert_str_eq(host_type_file(must_find(types, "big_t")), "sample.o");
	host_types_destroy(types);
}
END_TEST

/* Words of four bytes. */
START_TEST(test_32_bit)
{
	struct host_types *types = host_types_create();
	struct host_member m;
	write_text("p.c", "struct p { void *a; int *b[3]; long c; }; struct p object;", "");
	compile("gcc", "-c -g -m32", "p.c", "p.o");
	ck_assert_int_eq(host_types_add(types, "p.o", NULL), HOST_OK);
	ck_assert_int_eq(host_type_bytes(must_find(types, "p")), 20);
	ck_assert(host_type_member(must_find(types, "p"), "b", &m));
	ck_assert_uint_eq(m.offset, 4);
	ck_assert_uint_eq(m.bytes, 12);
	host_types_destroy(types);
}
END_TEST

START_TEST(test_no_debug_information)
{
	struct host_types *types = host_types_create();
	struct host_error err;
	write_text("sample.c", sample_text, use_text);
	compile("gcc", "-c -g0", "sample.c", "plain.o");
	ck_assert_int_eq(host_types_add(types, "plain.o", &err), HOST_ABSENT);
	ck_assert_str_eq(err.text, "plain.o: has no debug information");
	ck_assert_int_eq(host_types_add(types, "sample.c", &err), HOST_UNREADABLE);
	ck_assert_str_eq(err.text, "sample.c: is not an ELF file");
	ck_assert_int_eq(host_types_add(types, "missing.o", &err), HOST_ABSENT);
	ck_assert_int_eq(host_types_add(types, "/dev/null", &err), HOST_UNREADABLE);
	ck_assert_int_eq(host_types_add(types, "/", &err), HOST_UNREADABLE);
	ck_assert_uint_eq(host_types_n_files(types), 0);
	ck_assert(!host_types_find(types, "big_t"));
	host_types_destroy(types);
}
END_TEST

/* ---- damage ---------------------------------------------------------------------------------------- */

static void ask_everything(const char *path)
{
	struct host_types *types = host_types_create();
	struct host_member m;
	if (!host_types_add(types, path, NULL)) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			const struct host_type *type = host_types_find(types, sizes[i].name);
			for (size_t j = 0; type && j < sizeof(members) / sizeof(*members); j++)
				host_type_member(type, members[j].member, &m);
		}
	}
	host_types_destroy(types);
}

enum { DAMAGED = 300 };

/* Bytes of the file changed at places that differ from run to run of the loop: no crash, no hang. */
START_TEST(test_damaged)
{
	static const char *const flags[] = { "-c -g -gdwarf-4", "-c -g -gdwarf-5",
					     "-shared -fPIC -g -gdwarf-4 -fdebug-types-section" };
	static unsigned char bytes[1 << 20];
	write_text("sample.c", sample_text, use_text);
	compile("gcc", flags[_i], "sample.c", "sample.o");
	FILE *f = fopen("sample.o", "r");
	size_t n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	ck_assert_uint_gt(n, 1000);
	ck_assert_uint_lt(n, sizeof(bytes));
	uint32_t random = 12345 + (uint32_t)_i;
	for (int round = 0; round < DAMAGED; round++) {
		unsigned char old[4];
		size_t at[4];
		for (size_t i = 0; i < 4; i++) {
			random = random * 1664525 + 1013904223;
			at[i] = 64 + (random >> 4) % (n - 64); /* the ELF header stays */
			old[i] = bytes[at[i]];
			bytes[at[i]] = (unsigned char)(random >> 24);
		}
		f = fopen("damaged.o", "w");
		fwrite(bytes, 1, round % 10 ? n : n - (random >> 8) % n, f);
		fclose(f);
		ask_everything("damaged.o");
		for (size_t i = 4; i-- > 0;)
			bytes[at[i]] = old[i];
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("types");
	TCase *tc = tcase_create("types");
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, make_folder, remove_folder);
	tcase_add_loop_test(tc, test_as_compiled, 0, sizeof(forms) / sizeof(*forms));
	tcase_add_test(tc, test_not_there);
	tcase_add_test(tc, test_two_files);
	tcase_add_test(tc, test_32_bit);
	tcase_add_test(tc, test_no_debug_information);
	tcase_add_loop_test(tc, test_damaged, 0, 3);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
