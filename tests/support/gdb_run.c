/* SPDX-License-Identifier: BSD-3-Clause */
#include "gdb_run.h"

#include "scratch.h"

#include <check.h>
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGS_MAX = 16 };

void gdb_require(void)
{
	if (system("gdb -nx -batch -ex 'python import ctypes' >/dev/null 2>&1") == 0)
		return;
	puts("no gdb with Python");
	exit(77);
}

void gdb_require_version(int major)
{
	char command[128];

	gdb_require();
	snprintf(command, sizeof command, "gdb -nx -batch -ex 'python exit(int(gdb.VERSION.split(\".\")[0]) < %d)'",
		 major);
	if (system(command) == 0)
		return;
	printf("the texts compared are those of GDB %d and later, and this GDB is older\n", major);
	exit(77);
}

static void run(struct mpidbg_run *ret, const char *library, const char *commands, va_list args)
{
	char script[SCRATCH_MAX], named[PATH_MAX + 32];
	static char env[] = "env";
	char *argv[ARGS_MAX + 12] = { env, named };
	int n = 2;
	FILE *f = fdopen(scratch_file(script, "gdb"), "w");

	if (!f)
		ck_abort_msg("%s cannot be written", script);
	fprintf(f,
		"set pagination off\nset confirm off\nset width 0\nset style enabled off\n"
		"source gdb-scripts/mpidbg.py\n%s\n",
		commands);
	ck_assert_int_eq(fclose(f), 0);
	snprintf(named, sizeof named, "MPIDBG_LIBRARY=%s", library);
	static char gdb[] = "gdb", nx[] = "-nx", quiet[] = "-q", batch[] = "-batch", x[] = "-x";
	for (char **word = (char *[]){ gdb, nx, quiet, batch, x, NULL }; *word; word++)
		argv[n++] = *word;
	argv[n++] = script;
	for (char *a; (a = va_arg(args, char *));) {
		ck_assert_int_lt(n, (int)(sizeof argv / sizeof argv[0]) - 1);
		argv[n++] = a;
	}
	argv[n] = NULL;
	mpidbg_run_program(ret, argv);
	unlink(script);
}

void gdb_run(struct mpidbg_run *ret, const char *commands, ...)
{
	char library[PATH_MAX];
	va_list args;

	snprintf(library, sizeof library, "%s/libmpidbg.so", getenv("MPIDBG_BUILD"));
	va_start(args, commands);
	run(ret, library, commands, args);
	va_end(args);
}

void gdb_run_library(struct mpidbg_run *ret, const char *library, const char *commands, ...)
{
	va_list args;

	va_start(args, commands);
	run(ret, library, commands, args);
	va_end(args);
}

/* Lines of GDB that depend on the installed packages or on timing. */
static bool is_noise(const char *line)
{
	static const char *const begins[] = {
		"[New LWP",   "[Thread debugging", "Using host lib", "[New Thread", "warning:",
		"[Inferior ", "[Switching to",     "[Attaching",     "__GI_",       "0x",
		"Core was",   "[Current thread",   "[Detaching",     "#0  0x"
	};

	for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
		if (strncmp(line, begins[i], strlen(begins[i])) == 0)
			return true;
	return strstr(line, "No such file or directory.") != NULL;
}

static size_t put(char *to, size_t n, const char *word)
{
	memcpy(to + n, word, strlen(word));
	return n + strlen(word);
}

void gdb_normalise(char *text, long pid)
{
	static const char by_name[] = "followed by mpi subcommand name";
	char number[32], *from = text;
	size_t n = 0;

	snprintf(number, sizeof number, "%ld", pid);
	while (*from) {
		char *end = from + strcspn(from, "\n");
		bool noise = is_noise(from), quoted = !strncmp(from, "List of \"", 9); /* since GDB 18 */
		for (; from < end && !noise;) {
			size_t hex = strncmp(from, "0x", 2) == 0 ? 2 + strspn(from + 2, "0123456789abcdef") : 0;
			if (hex >= strlen("ADDRESS")) {
				n = put(text, n, "ADDRESS");
				from += hex;
			} else if (strncmp(from, number, strlen(number)) == 0 &&
				   !isdigit((unsigned char)from[strlen(number)]) && strlen(number) >= 3) {
				n = put(text, n, "PID");
				from += strlen(number);
			} else if (quoted && *from == '"') {
				from++;
			} else if (!strncmp(from, by_name, strlen(by_name))) { /* before GDB 18 */
				n = put(text, n, "followed by subcommand name");
				from += strlen(by_name);
			} else {
				text[n++] = *from++;
			}
		}
		from = end + (*end == '\n');
		if (!noise)
			text[n++] = '\n';
	}
	text[n] = '\0';
}

void gdb_expect(const char *text, const char *name)
{
	char path[256];
	static char expected[1 << 16];

	snprintf(path, sizeof path, "tests/gdb/%s.expected", name);
	bool update = getenv("GOLDEN_UPDATE") != NULL;
	FILE *f = fopen(path, update ? "we" : "re");
	ck_assert_msg(f != NULL, "%s: cannot be opened", path);
	if (update) {
		fputs(text, f);
		fclose(f);
		return;
	}
	size_t n = fread(expected, 1, sizeof expected - 1, f);
	fclose(f);
	expected[n] = '\0';
	size_t same = 0;
	while (text[same] && text[same] == expected[same])
		same++;
	while (same && text[same - 1] != '\n')
		same--;
	ck_assert_msg(strcmp(text, expected) == 0, "%s: from here on, expected\n%.1000s\nseen\n%.1000s", path,
		      expected + same, text + same);
}

char *gdb_part(const char *text, const char *from, const char *to)
{
	const char *start = NULL, *line = text;

	for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (!start && strncmp(line, from, strlen(from)) == 0)
			start = line;
		else if (start && to && strncmp(line, to, strlen(to)) == 0)
			break;
	}
	return start ? strndup(start, (size_t)(line - start)) : strdup("");
}

char *gdb_shell(const char *script)
{
	enum { TEXT_MAX = 1 << 14 };
	char dir[SCRATCH_MAX], *text = calloc(1, TEXT_MAX);

	ck_assert_ptr_nonnull(text);
	scratch_make(dir, "gdb");
	setenv("B", getenv("MPIDBG_BUILD"), 1);
	setenv("D", dir, 1);
	FILE *f = popen(script, "re");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_lt(fread(text, 1, TEXT_MAX, f), TEXT_MAX);
	pclose(f);
	scratch_remove(dir);
	return text;
}
