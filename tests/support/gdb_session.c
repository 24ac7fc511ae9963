/* SPDX-License-Identifier: BSD-3-Clause */
#include "gdb_session.h"

#include "gdb_run.h"
#include "job.h"

#include <check.h>
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 24, NAMES_MAX = 256, TEXT_MAX = 1 << 18, ARGV_MAX = 400, LINE_BYTES = 2 * PATH_MAX };

/* ---- words -------------------------------------------------------------------------------------------- */

static struct word {
	char name[32], value[PATH_MAX];
} words[WORDS_MAX];
static int n_words;

void gdb_words_clear(void)
{
	n_words = 0;
}

void gdb_word(const char *name, const char *format, ...)
{
	va_list args;
	struct word *w = &words[n_words];

	for (int i = 0; i < n_words; i++)
		if (!strcmp(words[i].name, name))
			w = &words[i];
	ck_assert_int_lt(n_words, WORDS_MAX);
	n_words += w == &words[n_words];
	snprintf(w->name, sizeof(w->name), "%s", name);
	va_start(args, format);
	vsnprintf(w->value, sizeof(w->value), format, args);
	va_end(args);
}

static const char *value_of(const char *name, size_t n)
{
	static char build[PATH_MAX];

	if (n == 5 && !strncmp(name, "BUILD", 5)) {
		ck_assert_ptr_nonnull(realpath(getenv("MPIDBG_BUILD"), build));
		return build;
	}
	for (int i = 0; i < n_words; i++)
		if (strlen(words[i].name) == n && !strncmp(words[i].name, name, n))
			return words[i].value;
	ck_abort_msg("no word @%.*s@", (int)n, name);
	return "";
}

static char *with_words(const char *text)
{
	char *ret = malloc(LINE_BYTES);
	size_t n = 0;

	ck_assert_ptr_nonnull(ret);
	while (*text) {
		size_t name = *text == '@' ? strspn(text + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") : 0;

		ck_assert_uint_lt(n, LINE_BYTES - 1);
		if (!name || text[name + 1] != '@') {
			ret[n++] = *text++;
			continue;
		}
		n += (size_t)snprintf(ret + n, LINE_BYTES - n, "%s", value_of(text + 1, name));
		text += name + 2;
	}
	ret[n] = '\0';
	return ret;
}

/* ---- the transcript ------------------------------------------------------------------------------------- */

/* The distinct values found, in order of appearance. */
struct names {
	char text[NAMES_MAX][40];
	int n;
};

static int number_of(struct names *names, const char *text, size_t n)
{
	ck_assert_uint_lt(n, sizeof(names->text[0]));
	for (int i = 0; i < names->n; i++)
		if (strlen(names->text[i]) == n && !strncmp(names->text[i], text, n))
			return i;
	ck_assert_int_lt(names->n, NAMES_MAX);
	snprintf(names->text[names->n], sizeof(names->text[0]), "%.*s", (int)n, text);
	return names->n++;
}

static bool is_noise(const char *line)
{
	static const char *const begins[] = { "[New ",          "[Thread ",       "Using host lib",   "warning:",
					      "[Switching to",  "[Attaching",     "[Detaching",       "[Current thread",
					      "Core was gener", "Reading ",       "Remote debugging", "__GI_",
					      "Program termin", "[Inferior ",     "Attached; pid",    "Listening on",
					      "Attaching to",   "Starting pro",   "Process ",         "Temporary break",
					      "This GDB supp",  "Function \"MPI", "mpi2dd-run: the",  "Debuginfod",
					      "[Debuginfod",    "Detaching from" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(line, begins[i], strlen(begins[i])))
			return true;
	/* where the process was when GDB attached: somewhere in the MPI library */
	if (!strncmp(line, "0x", 2))
		return true;
	size_t n = strcspn(line, "\n"), number = strspn(line, "0123456789");
	/* the source line of a function that exists only as a breakpoint location */
	if (number && !strncmp(line + number, "\t\t__asm__", 9))
		return true;
	return memmem(line, n, "No such file or directory.", 26) || memmem(line, n, "../sysdeps", 10);
}

struct transcript {
	struct names addresses, pids, comms;
	char host[256];
	size_t n;
	char text[TEXT_MAX];
};

static void put(struct transcript *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct transcript *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	t->n += (size_t)vsnprintf(t->text + t->n, TEXT_MAX - t->n, format, args);
	va_end(args);
	ck_assert_uint_lt(t->n, TEXT_MAX);
}

/* Does @p at come directly after @p word? */
static bool follows(const char *start, const char *at, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(at - start) >= n && !strncmp(at - n, word, n);
}

static bool is_pid(const char *start, const char *at, const char *number, size_t n)
{
	static const char *const before[] = { "process ",    "pid ",     "thread ", "LWP ", "attach ",
					      "attach-all ", "Process ", "job ",    "PID " };

	for (int i = 0; i < n_words; i++)
		if (strlen(words[i].value) == n && n > 1 && !strncmp(words[i].value, number, n))
			return true;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		if (n > 1 && follows(start, at, before[i]))
			return true;
	return false;
}

/* Replace a value at @p at that differs between runs. @return its length in bytes; 0: none begins here */
static size_t rename_one(struct transcript *t, const char *start, const char *at)
{
	bool word_start = at == start || !(isalnum((unsigned char)at[-1]) || strchr("_.-", at[-1]));
	size_t n = strncmp(at, "0x", 2) ? 0 : 2 + strspn(at + 2, "0123456789abcdef");

	/* quotes in Python's list of choices: omitted since 3.12 */
	const char *choices = *at == '\'' ? strstr(start, "(choose from ") : NULL;
	if (choices && choices < at)
		return 1;
	if (!word_start)
		return 0;
	if (n >= 9) {
		put(t, "0x%x", 0x1001 + number_of(&t->addresses, at, n));
		return n;
	}
	n = strspn(at, "0123456789");
	if (n && is_pid(start, at, at, n)) {
		put(t, "%d", 4711 + number_of(&t->pids, at, n));
		return n;
	}
	/* "Breakpoint 2.1": the numbers of its locations vary */
	if (n && at[n] == '.' && (follows(start, at, "reakpoint ") || follows(start, at, "Breakpoint "))) {
		put(t, "%.*s", (int)n, at);
		return n + 1 + strspn(at + n + 1, "0123456789");
	}
	/* the number depends on how many threads the MPI library has started before the in-target library's */
	if (n && follows(start, at, "Thread ") && !strncmp(at + n, " \"mpi2dd-", 9)) {
		put(t, "2");
		return n;
	}
	if (n && follows(start, at, "for ") && at[n] == '.') {
		put(t, "12.3");
		return n + 1 + strspn(at + n + 1, "0123456789");
	}
	if (n && follows(start, at, ", ") && !strncmp(at + n, " s ago, at ", 11)) {
		put(t, "12");
		return n;
	}
	if (n && (follows(start, at, "Open MPI ") || follows(start, at, "MPICH "))) {
		put(t, "4"); /* as in docs/gdb.md */
		return strcspn(at, ",) \n");
	}
	/* GDB's message when not even the loader has symbols */
	static const char no_table[] = "No symbol table is loaded.  Use the \"file\" command.";
	if (follows(start, at, ": ") && !strncmp(at, no_table, sizeof(no_table) - 1)) {
		put(t, "No symbol \"nonsense\" in current context.");
		return sizeof(no_table) - 1;
	}
	/* since 6.0 Open MPI has another request for sends */
	static const char any_send[] = "any send that was complete immediately";
	if (follows(start, at, "it represents ") && !strncmp(at, any_send, sizeof(any_send) - 1)) {
		put(t, "any request that was complete immediately");
		return sizeof(any_send) - 1;
	}
	/* the program's communicators in MPICH: numbers of its table, which other releases fill in another order */
	static const char comms[] = "-20803747";
	if (!strncmp(at, comms, sizeof(comms) - 1)) {
		n = 1 + strspn(at + 1, "0123456789");
		put(t, "%d", (int)0x84000000 + number_of(&t->comms, at, n));
		return n;
	}
	/* since 6.0 this variable of Open MPI can be set */
	static const char *const yield = "    mpi_yield_when_idle ";
	if (!strncmp(start, yield, strlen(yield)) && follows(start, at, "bool, ") && !strncmp(at, "local, ", 7)) {
		put(t, "readonly, ");
		return 7;
	}
	/* names that Open MPI gives: shorter since 5.0, and for windows by another component */
	if (follows(start, at, "\"") && !strncmp(at, "MPI COMM ", 9)) {
		put(t, "MPI COMMUNICATOR ");
		return 9;
	}
	if (follows(start, at, "\"") && !strncmp(at, "rdma window ", 12)) {
		put(t, "pt2pt window ");
		return 12;
	}
	/* the counts include the printers of GDB itself and of loaded libraries */
	int of = 0, end = 0;
	if (n && at == start && sscanf(at + n, " of %d printers enabled%n", &of, &end) >= 1 && end) {
		put(t, "%d of 207 printers enabled", 207 - of + atoi(at)); /* as in docs/gdb.md */
		return n + (size_t)end;
	}
	n = strlen(t->host);
	int world = 0;
	if (!strncmp(at, t->host, n) && sscanf(at + n, "-%*[0-9]-%*[0-9]-%*[0-9]%n", &world) >= 0 && world) {
		put(t, "node1-1");
		return n + (size_t)world;
	}
	if (!strncmp(at, t->host, n) && !isalnum((unsigned char)at[n]) && follows(start, at, "host ")) {
		put(t, "node1");
		return n;
	}
	/* a path: only its last component is kept */
	n = *at == '/' ? strcspn(at, " ,:)\"'>\n") : 0;
	if (n > 1 && memchr(at + 1, '/', n - 1)) {
		const char *last = memrchr(at, '/', n - 1);
		if (!strncmp(last, "/core.", 6) && isdigit((unsigned char)last[6])) {
			put(t, "core.%d", 4711 + number_of(&t->pids, last + 6, n - (size_t)(last + 6 - at)));
			return n;
		}
		put(t, "%.*s", (int)(n - (size_t)(last + 1 - at)), last + 1);
		return n;
	}
	return 0;
}

/*
 * A frame of the in-target library: the arguments that GDB shows depend on the compiler, and line numbers change.
 * @return where "(...) at FOLDER" or "() at FOLDER", in @p ret, replaces the rest of the line; NULL: no such frame.
 */
static const char *library_place(const char *line, const char *end, char ret[64])
{
	const char *file = memmem(line, (size_t)(end - line), ") at mpi2dd/", 12);
	const char *open = file ? memmem(line, (size_t)(file - line), " (", 2) : NULL;

	if (!open)
		return NULL;
	const char *folder = file + strlen(") at "), *last = memrchr(folder, '/', (size_t)(end - folder));
	bool none = file == open + strlen(" (");
	/* a wrapper is in the row of its function, which the wrappers' file includes */
	static const char rows[] = "/../../functions";
	size_t tail = strlen(rows);
	if ((size_t)(last - folder) > tail && !strncmp(last - tail, rows, tail))
		last -= tail;
	snprintf(ret, 64, "(%s) at %.*s", none ? "" : "...", (int)(last - folder), folder);
	return open + 1;
}

static void transcribe(struct transcript *t, const char *from)
{
	bool hidden = true;

	for (int i = 0; i < n_words; i++)
		if (!strncmp(words[i].name, "PID", 3))
			number_of(&t->pids, words[i].value, strlen(words[i].value));
	for (const char *end; *from; from = end + (*end == '\n')) {
		end = from + strcspn(from, "\n");
		if (!strncmp(from, "(hidden)", 8) || !strncmp(from, "(gdb) ", 6))
			hidden = *(from + 1) == 'h';
		if (hidden || is_noise(from) || from == end)
			continue;
		char place[64];
		const char *at = from, *ours = library_place(from, end, place);
		if (*at == '#' && isdigit((unsigned char)at[1])) {
			put(t, "#N ");
			at += 1 + strspn(at + 1, "0123456789");
			at += strspn(at, " ");
			/* where in the library a call waits varies, and so does whether GDB shows that address */
			if (!strncmp(at, "0x", 2) && strstr(at, " in ") && strstr(at, " in ") < end)
				at = strstr(at, " in ") + 4;
			/* a function without a name, before GDB 12 */
			if (!strncmp(at, " () at ", 7))
				at++;
			if (!strncmp(at, "() at ", 6))
				put(t, "??? ");
			/* the loader's first instruction, which has a name where it has symbols */
			if (!strncmp(at, "_start () at ", 13)) {
				put(t, "??? () at ");
				at += 13;
			}
		}
		/* padding after a name of Open MPI's, whose width differs (rename_one()) */
		const char *named = memmem(from, (size_t)(end - from), "\"MPI COMM ", 10);
		while (at < end) {
			if (named && at > named && at[0] == ' ' && at[-1] == ' ' && at[-2] == ' ') {
				at++;
				continue;
			}
			if (at == ours) {
				put(t, "%s", place);
				break;
			}
			size_t n = rename_one(t, from, at);
			if (!n)
				put(t, "%c", *at);
			at += n ? n : 1;
		}
		put(t, "\n");
	}
}

/* ---- a session ------------------------------------------------------------------------------------------ */

static char *formatted(const char *format, const char *text)
{
	char *ret;

	ck_assert_int_gt(asprintf(&ret, format, text), 0);
	return ret;
}

/* The argument with which GDB's echo prints this text. */
static char *escaped(const char *text)
{
	char *ret = malloc(2 * strlen(text) + 1), *to = ret;

	ck_assert_ptr_nonnull(ret);
	for (; *text; text++) {
		if (*text == '\\')
			*to++ = '\\';
		*to++ = *text;
	}
	*to = '\0';
	return ret;
}

static int read_script(const char *name, char *argv[], int n)
{
	char path[PATH_MAX], line[LINE_BYTES];
	static char ex[] = "-ex";

	snprintf(path, sizeof(path), "tests/gdb/%s.gdb", name);
	FILE *f = fopen(path, "re");
	ck_assert_msg(f != NULL, "%s: cannot be opened", path);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!line[0] || line[0] == '#')
			continue;
		if (line[0] == '+') {
			n = read_script(line + 1, argv, n);
			continue;
		}
		ck_assert_int_lt(n, ARGV_MAX - 6);
		char *command = with_words(line + (line[0] == '-')), *shown = escaped(command);
		argv[n++] = ex;
		argv[n++] = formatted(line[0] == '-' ? "echo (hidden) %s\\n" : "echo (gdb) %s\\n", shown);
		argv[n++] = ex;
		argv[n++] = command;
		free(shown);
	}
	fclose(f);
	return n;
}

static char *launcher;

void gdb_session_launcher(const char *command)
{
	free(launcher);
	launcher = command ? with_words(command) : NULL;
}

void gdb_session(const char *name, const char *expected, ...)
{
	char *line = formatted("exec %s \"$@\" 2>&1 </dev/null", launcher ? launcher : "");
	const char *const first[] = { "sh",  "-c",
				      line,  "sh",
				      "gdb", "-nx",
				      "-q",  "-batch",
				      "-ex", "set pagination off",
				      "-ex", "set confirm off",
				      "-ex", "set width 0",
				      "-ex", "set style enabled off",
				      "-ex", "set breakpoint pending on",
				      "-ex", "source gdb-scripts/mpidbg.py" };
	static struct transcript t;
	char *argv[ARGV_MAX], library[PATH_MAX];
	struct mpidbg_run run;
	va_list args;
	int n = 0;

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		argv[n++] = strdup(first[i]);
	n = read_script(name, argv, n);
	va_start(args, expected);
	for (const char *a; (a = va_arg(args, const char *));) {
		ck_assert_int_lt(n, ARGV_MAX - 1);
		argv[n++] = with_words(a);
	}
	va_end(args);
	argv[n] = NULL;
	snprintf(library, sizeof(library), "%s/libmpidbg.so", value_of("BUILD", 5));
	setenv("MPIDBG_LIBRARY", library, 1);
	mpidbg_run_program(&run, argv);
	memset(&t, 0, sizeof(t));
	gethostname(t.host, sizeof(t.host) - 1);
	ck_assert_msg(run.exit_code >= 0, "%s: no end in time:\n%s", name, run.out);
	ck_assert_msg(!strstr(run.out, "Traceback") && !strstr(run.out, "Python Exception"), "%s", run.out);
	transcribe(&t, run.out);
	ck_assert_msg(t.n > 0, "%s: nothing is shown:\n%s", name, run.out);
	gdb_expect(t.text, expected);
	mpidbg_run_free(&run);
}
