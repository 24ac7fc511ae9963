/* SPDX-License-Identifier: BSD-3-Clause */
/* host/elf_file.c, host/symbols.c, host/debugfile.c; and cores made by hand for the other word size and byte order. */
#include "../../host/debugfile.h"
#include "../../host/host.h"
#include "../../host/symbols.h"
#include "../support/host_child.h"
#include "../support/suite.h"

#include <check.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int host_elf_test_global = 7;
static volatile int host_elf_test_local = 8;
_Thread_local int host_elf_test_tls = 9;

/* ---- our own executable -------------------------------------------------------------------------- */

START_TEST(test_own_file)
{
	struct host_elf *e = NULL;
	struct host_build_id id;

	ck_assert_int_eq(host_elf_open("/proc/self/exe", &e), HOST_ELF_OK);
	ck_assert_uint_eq(e->word_bytes, sizeof(void *));
	ck_assert_uint_gt(e->n_phdrs, 3);
	ck_assert_uint_eq(host_elf_first_vaddr(e) & 4095, 0);
	ck_assert_ptr_nonnull(host_elf_section(e, ".text"));
	ck_assert_ptr_null(host_elf_section(e, ".nosuch"));
	host_elf_build_id(e, &id);
	ck_assert(host_build_id_equal(&id, &id));

	struct host_symbols *full = host_symbols_create(e, HOST_SYMBOLS_FULL, 0);
	struct host_symbol_info a, b, f;
	ck_assert(host_symbols_by_name(full, "host_elf_test_global", HOST_SCOPE_GLOBAL, &a));
	ck_assert_uint_eq(a.bytes, sizeof(int));
	ck_assert(!host_symbols_by_name(full, "host_elf_test_global", HOST_SCOPE_LOCAL, &b));
	ck_assert(host_symbols_by_name(full, "host_elf_test_local", HOST_SCOPE_LOCAL, &b));
	/* Their distance is the same in the file and here. */
	ck_assert_int_eq((int64_t)(b.value - a.value),
			 (char *)(uintptr_t)&host_elf_test_local - (char *)&host_elf_test_global);
	ck_assert(!host_symbols_by_name(full, "host_elf_test_tls", HOST_SCOPE_GLOBAL, &b));
	ck_assert(!host_symbols_by_name(full, "printf", HOST_SCOPE_GLOBAL, &b)); /* undefined here */
	ck_assert(!host_symbols_by_name(full, "", HOST_SCOPE_LOCAL, &b));
	ck_assert(host_symbols_by_name(full, "main", HOST_SCOPE_GLOBAL, &f));
	ck_assert(host_symbols_function(full, f.value + 1, &b));
	ck_assert_uint_eq(b.name_bytes, 4);
	ck_assert_mem_eq(b.name, "main", 4);
	ck_assert(!host_symbols_function(full, 1, &b));
	ck_assert(!host_symbols_function(full, UINT64_MAX, &b));
	host_symbols_destroy(full);
	host_symbols_destroy(NULL);
	host_elf_close(e);
	host_elf_close(NULL);
}
END_TEST

/* .dynsym through .gnu.hash: what dlsym finds is found at the same place. */
START_TEST(test_dynamic)
{
	static const char *const names[] = {
		"printf", "malloc", "environ", "stdout", "qsort", "getenv", "memfd_create"
	};
	struct host_elf *e = NULL;
	Dl_info libc;

	ck_assert_int_ne(dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &libc), 0);
	ck_assert_int_eq(host_elf_open(libc.dli_fname, &e), HOST_ELF_OK);
	struct host_symbols *s = host_symbols_create(e, HOST_SYMBOLS_DYNAMIC, 0);
	ck_assert_ptr_nonnull(s);
	void *lib = dlopen(libc.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
	ck_assert_ptr_nonnull(lib);
	uint64_t bias = (uintptr_t)libc.dli_fbase - host_elf_first_vaddr(e);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct host_symbol_info info;
		Dl_info there;
		void *p = dlsym(lib, names[i]);
		ck_assert_msg(host_symbols_by_name(s, names[i], HOST_SCOPE_GLOBAL, &info), "%s", names[i]);
		if (dladdr(p, &there) && there.dli_fbase == libc.dli_fbase) /* not a sanitizer's or a copy */
			ck_assert_msg(info.value + bias == (uintptr_t)p, "%s", names[i]);
	}
	struct host_symbol_info info;
	ck_assert(!host_symbols_by_name(s, "no_such_function", HOST_SCOPE_GLOBAL, &info));
	ck_assert(!host_symbols_by_name(s, "printf", HOST_SCOPE_LOCAL, &info));
	dlclose(lib);
	host_symbols_destroy(s);
	host_elf_close(e);
}
END_TEST

/* As read from memory: no section headers. The dynamic section alone must do. */
START_TEST(test_dynamic_without_sections)
{
	size_t n;
	struct host_elf *e = NULL;
	Dl_info libc;

	ck_assert_int_ne(dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &libc), 0);
	unsigned char *bytes = host_child_file(libc.dli_fname, &n);
	if (bytes[EI_CLASS] != ELFCLASS64) {
		free(bytes);
		return;
	}
	((Elf64_Ehdr *)bytes)->e_shoff = 0;
	((Elf64_Ehdr *)bytes)->e_shnum = 0;
	((Elf64_Ehdr *)bytes)->e_shstrndx = 0;
	ck_assert_int_eq(host_elf_from_bytes(bytes, n, &e), HOST_ELF_OK);
	ck_assert_uint_eq(e->n_shdrs, 0);
	struct host_symbols *s = host_symbols_create(e, HOST_SYMBOLS_DYNAMIC, 0);
	struct host_symbol_info info, around;
	ck_assert(host_symbols_by_name(s, "qsort", HOST_SCOPE_GLOBAL, &info));
	ck_assert(host_symbols_function(s, info.value, &around));
	ck_assert_uint_eq(around.value, info.value);
	ck_assert_ptr_null(host_symbols_create(e, HOST_SYMBOLS_FULL, 0));
	host_symbols_destroy(s);
	host_elf_close(e);
}
END_TEST

/* Every byte of the headers and tables may lie. _i: seed */
START_TEST(test_damaged_file)
{
	size_t n;
	unsigned char *bytes = host_child_file("/proc/self/exe", &n);
	unsigned seed = (unsigned)_i;

	for (int round = 0; round < 20; round++) {
		unsigned char *copy = malloc(n);
		struct host_elf *e = NULL;
		size_t len = rand_r(&seed) % 4 ? n : (size_t)rand_r(&seed) % n;
		memcpy(copy, bytes, n);
		for (int k = rand_r(&seed) % 40; k >= 0; k--) {
			size_t where = rand_r(&seed) % 2 ? (size_t)rand_r(&seed) % 4096
							 : n - 1 - (size_t)rand_r(&seed) % 4096;
			copy[where] = (unsigned char)rand_r(&seed);
		}
		if (host_elf_from_bytes(copy, len, &e))
			continue;
		struct host_build_id id;
		struct host_symbol_info info;
		host_elf_build_id(e, &id);
		host_elf_section(e, ".text");
		for (enum host_symbols_kind kind = HOST_SYMBOLS_DYNAMIC; kind <= HOST_SYMBOLS_FULL; kind++) {
			struct host_symbols *s = host_symbols_create(e, kind, 0x1000);
			host_symbols_by_name(s, "main", HOST_SCOPE_GLOBAL, &info);
			host_symbols_by_name(s, "host_elf_test_local", HOST_SCOPE_LOCAL, &info);
			host_symbols_function(s, 0x2000, &info);
			host_symbols_destroy(s);
		}
		host_elf_close(e);
	}
	free(bytes);
}
END_TEST

START_TEST(test_no_elf)
{
	struct host_elf *e = NULL;

	ck_assert_int_eq(host_elf_open("/nonexistent/file", &e), HOST_ELF_ENOENT);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(host_elf_open("/", &e), HOST_ELF_ENOENT);
	ck_assert_int_eq(host_elf_open("/dev/null", &e), HOST_ELF_ENOTELF);
	ck_assert_int_eq(host_elf_open("/etc/passwd", &e), HOST_ELF_ENOTELF);
	ck_assert_int_eq(host_elf_from_bytes(calloc(1, 64), 64, &e), HOST_ELF_ENOTELF);
	ck_assert_ptr_null(e);
	ck_assert_str_eq(host_machine_name(EM_X86_64), "x86-64");
	ck_assert_str_eq(host_machine_name(0xfffe), "an unknown machine");
}
END_TEST

START_TEST(test_notes)
{
	/* name "GNU", descriptor of 5 bytes, padded; then one that is cut off */
	static const uint8_t bytes[] = { 4, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0,   1,   2,   3, 4, 5,
					 0, 0, 0, 4, 0, 0, 0, 9, 0, 0, 0, 3, 0,   0,   0,   'G', 'N', 'U', 0, 1, 2 };
	struct host_note note;
	struct host_build_id id = { .n = 0 };
	size_t pos = 0;

	ck_assert(host_note_next(bytes, sizeof(bytes), false, 4, &pos, &note));
	ck_assert_uint_eq(note.type, 3);
	ck_assert_uint_eq(note.desc_bytes, 5);
	ck_assert_uint_eq(note.desc[4], 5);
	ck_assert_uint_eq(pos, 24);
	ck_assert(!host_note_next(bytes, sizeof(bytes), false, 4, &pos, &note));
	ck_assert(host_build_id_from_notes(bytes, sizeof(bytes), false, 4, &id));
	ck_assert_uint_eq(id.n, 5);
	static const uint8_t huge[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0 };
	pos = 0;
	ck_assert(!host_note_next(huge, sizeof(huge), false, 4, &pos, &note));
	ck_assert_uint_eq(host_decode_u("\x01\x02\x03", 3, false), 0x030201);
	ck_assert_uint_eq(host_decode_u("\x01\x02\x03", 3, true), 0x010203);
	ck_assert_uint_eq(host_debuglink_crc((const uint8_t *)"123456789", 9), 0xcbf43926);
}
END_TEST

/*
 * Separate debug files: strip our own executable and look for its
 * debug information. _i: 0 next to it, 1 in .debug/, 2 wrong checksum
 */
START_TEST(test_debuglink)
{
	char command[2048], *dir = host_child_path("debuglink"), *path = NULL;
	struct host_elf *e = NULL, *debug = NULL;

	snprintf(command, sizeof(command),
		 "set -e; rm -rf '%s'; mkdir -p '%s/.debug'; cd '%s'; cp /proc/%d/exe prog; "
		 "objcopy --only-keep-debug prog prog.debug; strip --remove-section=.note.gnu.build-id prog; "
		 "objcopy --add-gnu-debuglink=prog.debug prog; %s",
		 dir, dir, dir, (int)getpid(),
		 _i == 1   ? "mv prog.debug .debug/"
		 : _i == 2 ? "echo >>prog.debug"
			   : ":");
	ck_assert_int_eq(system(command), 0);
	snprintf(command, sizeof(command), "%s/prog", dir);
	ck_assert_int_eq(host_elf_open(command, &e), HOST_ELF_OK);
	ck_assert_ptr_null(host_symbols_create(e, HOST_SYMBOLS_FULL, 0));
	bool found = host_debugfile_find(e, command, "/nonexistent/prog", &path, &debug);
	ck_assert(found == (_i != 2));
	if (found) {
		struct host_symbols *s = host_symbols_create(debug, HOST_SYMBOLS_FULL, 0);
		struct host_symbol_info info;
		ck_assert(host_symbols_by_name(s, "host_elf_test_local", HOST_SCOPE_LOCAL, &info));
		ck_assert(strstr(path, _i == 1 ? "/.debug/prog.debug" : "debuglink/prog.debug") != NULL);
		host_symbols_destroy(s);
	}
	host_elf_close(debug);
	host_elf_close(e);
	free(path);
	free(dir);
}
END_TEST

/* ---- cores of other machines, by hand ------------------------------------------------------------ */

static size_t put(uint8_t *to, uint64_t v, unsigned w, bool big)
{
	for (unsigned i = 0; i < w; i++)
		to[big ? w - 1 - i : i] = (uint8_t)(v >> (8 * i));
	return w;
}

/* A core with one piece of memory at 0x10000: 16 bytes that are there, 16 that are not. @return its size */
static size_t make_core(uint8_t *d, unsigned w, bool big, unsigned machine)
{
	size_t eh = w == 8 ? 64 : 52, ph = w == 8 ? 56 : 32, data = eh + 2 * ph, n_note, at = 0;
	uint8_t note[512] = { 0 };

	/* NT_PRSTATUS with thread 4711 */
	n_note = put(note, 5, 4, big);
	n_note += put(note + n_note, 336, 4, big);
	n_note += put(note + n_note, NT_PRSTATUS, 4, big);
	memcpy(note + n_note, "CORE", 5);
	n_note += 8;
	put(note + n_note + (w == 8 ? 32 : 24), 4711, 4, big);
	n_note += 336;

	memset(d, 0, data);
	memcpy(d, ELFMAG, SELFMAG);
	d[EI_CLASS] = w == 8 ? ELFCLASS64 : ELFCLASS32;
	d[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
	d[EI_VERSION] = 1;
	put(d + 16, ET_CORE, 2, big);
	put(d + 18, machine, 2, big);
	put(d + 20, 1, 4, big);
	put(d + (w == 8 ? 32 : 28), eh, w, big);
	put(d + (w == 8 ? 54 : 42), ph, 2, big);
	put(d + (w == 8 ? 56 : 44), 2, 2, big);
	for (int i = 0; i < 2; i++) {
		uint8_t *p = d + eh + (size_t)i * ph;
		uint64_t offset = i ? data : data + 16, vaddr = i ? 0x10000 : 0, filesz = i ? 16 : n_note,
			 memsz = i ? 32 : 0;
		put(p, i ? PT_LOAD : PT_NOTE, 4, big);
		at = w == 8 ? 8 : 4;
		at += put(p + at, offset, w, big);
		at += put(p + at, vaddr, w, big);
		at += put(p + at, 0, w, big);
		at += put(p + at, filesz, w, big);
		put(p + at, memsz, w, big);
	}
	for (int i = 0; i < 16; i++)
		d[data + (size_t)i] = (uint8_t)(i + 1);
	memcpy(d + data + 16, note, n_note);
	return data + 16 + n_note;
}

START_TEST(test_foreign_core)
{
	static const struct {
		unsigned w, machine;
		bool big, unwound;
	} kinds[] = { { 4, EM_386, false, true },
		      { 4, EM_PPC, true, false },
		      { 8, EM_S390, true, false },
		      { 8, EM_AARCH64, false, true } };
	uint8_t d[2048], got[32];
	unsigned w = kinds[_i].w;
	struct host_target *t;
	struct host_error err;
	size_t n = make_core(d, w, kinds[_i].big, kinds[_i].machine), n_threads;
	char *path = host_child_write("foreign", d, n);

	ck_assert_msg(host_open_core(path, NULL, NULL, &t, &err) == HOST_OK, "%s", err.text);
	ck_assert_uint_eq(host_word_bytes(t), w);
	ck_assert(host_big_endian(t) == kinds[_i].big);
	ck_assert_int_eq(host_pid(t), 4711);
	ck_assert_str_eq(host_executable(t), "");
	ck_assert(host_read(t, 0x10000, 16, got));
	ck_assert_uint_eq(got[15], 16);
	ck_assert(!host_read(t, 0x10000, 17, got));
	ck_assert(!host_read(t, 0x10010, 1, got));
	ck_assert(!host_read(t, 0xffff, 2, got));
	/* Registers of zeros lead to no function. Of a machine without an unwinder the call is unknown,
	 * with a warning. */
	size_t n_unknown;
	const struct mpidbg_thread *th = host_threads(t, &n_threads);
	const int64_t *unknown = host_unknown_threads(t, &n_unknown);
	ck_assert_uint_eq(n_threads, kinds[_i].unwound);
	ck_assert_uint_eq(n_unknown, !kinds[_i].unwound);
	ck_assert_int_eq(kinds[_i].unwound ? th[0].id : unknown[0], 4711);
	if (kinds[_i].unwound) {
		ck_assert_ptr_null(th[0].function);
		ck_assert_uint_eq(th[0].n_backtrace, 0);
	}
	bool said = false;
	for (size_t i = 0; host_warning(t, i); i++)
		said |= strstr(host_warning(t, i), "stacks cannot be unwound") != NULL;
	ck_assert(said == !kinds[_i].unwound);
	ck_assert_ptr_null(host_getenv(t, "PATH"));
	host_close(t);

	/* And cut off at every length. */
	for (size_t cut = 0; cut < n; cut++) {
		ck_assert_int_eq(truncate(path, (off_t)(n - 1 - cut)), 0);
		if (host_open_core(path, NULL, NULL, &t, &err))
			ck_assert_ptr_null(t);
		else
			host_threads(t, &n_threads);
		host_close(t);
	}
	unlink(path);
	free(path);
}
END_TEST

START_TEST(test_damaged_core)
{
	uint8_t d[2048], got[32];
	unsigned seed = (unsigned)_i;
	size_t n = make_core(d, _i & 1 ? 8 : 4, _i & 2, EM_X86_64), n_threads;

	for (int round = 0; round < 50; round++) {
		uint8_t copy[2048];
		struct host_target *t;
		struct host_error err;
		memcpy(copy, d, n);
		for (int k = rand_r(&seed) % 8; k >= 0; k--)
			copy[16 + (size_t)rand_r(&seed) % (n - 16)] = rand_r(&seed) % 3 ? (uint8_t)rand_r(&seed) : 0xff;
		char *path = host_child_write("damaged", copy, n);
		if (host_open_core(path, "/proc/self/exe", NULL, &t, &err) == HOST_OK) {
			host_read(t, 0x10000, 32, got);
			host_threads(t, &n_threads);
			host_getenv(t, "PATH");
		}
		host_close(t);
		free(path);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("host_elf");
	TCase *tc = tcase_create("elf");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_own_file);
	tcase_add_test(tc, test_dynamic);
	tcase_add_test(tc, test_dynamic_without_sections);
	tcase_add_loop_test(tc, test_damaged_file, 0, 20);
	tcase_add_test(tc, test_no_elf);
	tcase_add_test(tc, test_notes);
	if (system("command -v objcopy >/dev/null && command -v strip >/dev/null") == 0)
		tcase_add_loop_test(tc, test_debuglink, 0, 3);
	tcase_add_loop_test(tc, test_foreign_core, 0, 4);
	tcase_add_loop_test(tc, test_damaged_core, 0, 20);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
