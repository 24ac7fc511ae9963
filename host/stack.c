/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads with their stacks: copied while the target is stopped, unwound on the copy on demand. */
#include "called.h"
#include "core.h"
#include "demangle.h"
#include "live.h"
#include "mpi_name.h"
#include "source_files.h"
#include "stopped.h"

#include "../access/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	STACK_COPY_BYTES = 256 << 10,
	RED_ZONE_BYTES = 128, /* below the stack pointer, used by leaf functions on x86-64 */
	THREADS_MAX = 1 << 16
};

/* A thread at the time of the stop. */
struct copy {
	pid_t tid;
	struct host_regs regs;
	bool running; /* it did not stop: regs come from /proc/PID/task/TID/syscall */
	uint64_t lo;  /* address of the first of bytes; bytes is NULL for a core, which is itself the copy */
	uint8_t *bytes;
	size_t n;
	struct host_frame *frames; /* set by host_threads() */
	size_t n_frames;
	uint64_t return_addr; /* of the MPI function, likewise; 0: it is in none, or unknown */
};

struct host_stacks {
	struct copy *copies;
	size_t n_copies;
	bool copied;
	struct host_unwinder *unwinder;
	unsigned generation; /* generation of the modules that the unwinder has loaded */
	struct mpidbg_thread *threads;
	size_t n_threads;
	int64_t *unknown; /* ids of the threads that did not stop and about which nothing is known */
	size_t n_unknown;
	struct host_source_file sources[HOST_SOURCES_MAX];
	size_t n_sources;
	bool made;
};

static struct host_stacks *stacks_of(struct host_target *t)
{
	if (!t->stacks)
		t->stacks = calloc(1, sizeof(*t->stacks));
	return t->stacks;
}

static struct host_unwinder *unwinder_of(struct host_target *t, struct host_stacks *s)
{
	if (s->unwinder && s->generation != t->generation) {
		host_unwinder_destroy(s->unwinder);
		s->unwinder = NULL;
	}
	if (!s->unwinder)
		s->unwinder = host_unwinder_create(t);
	s->generation = t->generation;
	return s->unwinder;
}

void host_stacks_prepare(struct host_target *t)
{
	struct host_stacks *s = stacks_of(t);

	if (s)
		host_unwinder_prepare(unwinder_of(t, s));
}

static void forget_thread(struct mpidbg_thread *th)
{
	for (size_t k = 0; k < th->n_backtrace; k++)
		free((char *)th->backtrace[k]);
	free((void *)th->backtrace);
	free((void *)th->registers);
	free((char *)th->function);
	*th = (struct mpidbg_thread){ 0 };
}

void host_stacks_forget(struct host_target *t)
{
	struct host_stacks *s = t->stacks;

	if (!s)
		return;
	for (size_t i = 0; i < s->n_copies; i++) {
		free(s->copies[i].bytes);
		free(s->copies[i].frames);
	}
	for (size_t i = 0; i < s->n_threads; i++)
		forget_thread(&s->threads[i]);
	free(s->copies);
	free(s->threads);
	free(s->unknown);
	s->copies = NULL;
	s->threads = NULL;
	s->unknown = NULL;
	for (size_t i = 0; i < s->n_sources; i++)
		free((char *)s->sources[i].path);
	s->n_copies = s->n_threads = s->n_unknown = s->n_sources = 0;
	s->copied = s->made = false;
}

void host_stacks_deinit(struct host_target *t)
{
	if (!t->stacks)
		return;
	host_stacks_forget(t);
	host_unwinder_destroy(t->stacks->unwinder);
	free(t->stacks);
	t->stacks = NULL;
}

/* ---- copying ------------------------------------------------------------------------------------- */

/* Copy the stack from the stack pointer to the end of its mapping, up to a limit. */
static void copy_stack(struct host_target *t, struct copy *c)
{
	uint64_t sp;

	if (!host_regs_sp(t, &c->regs, &sp) || sp < RED_ZONE_BYTES)
		return;
	const struct host_map *map = host_maps_find(&t->maps, sp);
	uint64_t lo = (sp - RED_ZONE_BYTES) & ~UINT64_C(7), hi = sp + STACK_COPY_BYTES;
	if (!map)
		return;
	if (lo < map->lo)
		lo = map->lo;
	if (hi > map->hi)
		hi = map->hi;
	c->bytes = malloc(hi - lo);
	if (!c->bytes)
		return;
	c->lo = lo;
	c->n = host_live_read(t->live, lo, hi - lo, c->bytes);
}

void host_stacks_copy(struct host_target *t)
{
	struct host_stacks *s = stacks_of(t);
	pid_t tid;
	size_t n = 0;

	if (!s || s->copied || (t->live && !host_live_is_stopped(t->live)))
		return;
	s->copied = true;
	if (!host_can_unwind(t))
		host_warn(t, "stacks cannot be unwound: the process is of %s", host_machine_name(t->machine));
	while (n < THREADS_MAX && (t->core ? host_core_thread(t->core, n, &tid) : host_live_thread(t->live, n, &tid)))
		n++;
	s->copies = calloc(n ? n : 1, sizeof(*s->copies));
	if (!s->copies)
		return;
	s->n_copies = n;
	for (size_t i = 0; i < n; i++) {
		struct copy *c = &s->copies[i];
		if (t->core) {
			host_core_thread(t->core, i, &c->tid);
			host_core_regs(t->core, i, &c->regs);
			continue;
		}
		host_live_thread(t->live, i, &c->tid);
		c->running = !host_live_regs(t->live, i, &c->regs);
		copy_stack(t, c);
		/* if the thread has left that system call meanwhile, registers and stack do not match */
		struct host_regs again;
		if (c->running && (host_live_regs(t->live, i, &again) || again.n != c->regs.n ||
				   memcmp(again.bytes, c->regs.bytes, again.n) != 0))
			c->regs.n = 0;
	}
}

/* ---- unwinding ----------------------------------------------------------------------------------- */

struct source {
	struct host_target *t;
	const struct copy *c;
};

static bool read_copy(void *ctx, uint64_t addr, size_t n, void *ret)
{
	const struct source *from = ctx;
	const struct copy *c = from->c;

	if (c->bytes && addr >= c->lo && addr - c->lo < c->n && n <= c->n - (addr - c->lo)) {
		memcpy(ret, c->bytes + (addr - c->lo), n);
		return true;
	}
	/* if the target runs again, other memory may have changed */
	if (from->t->live && !host_live_is_stopped(from->t->live))
		return false;
	return host_read(from->t, addr, n, ret);
}

/* Limit of inlined functions at one address; outer ones are omitted. */
enum { SOURCES_MAX = 32 };

/* The lines of a backtrace. */
struct lines {
	char **v;
	size_t n;
};

static bool add_line(struct lines *l, char *text)
{
	if (!ACC_GROW(l->v, l->n)) {
		free(text);
		return false;
	}
	l->v[l->n++] = text;
	return true;
}

/* Keep the path of a source file that a line names. */
static void keep_source(struct host_stacks *s, const struct host_module *m, const struct host_source *source)
{
	bool relative = source->path[0] != '/' && source->folder;
	char path[PATH_MAX];
	struct stat st;

	if (snprintf(path, sizeof(path), "%s%s%s", relative ? source->folder : "", relative ? "/" : "", source->path) >=
	    (int)sizeof(path))
		return;
	for (size_t i = 0; i < s->n_sources; i++)
		if (strcmp(s->sources[i].path, path) == 0)
			return;
	char *copy = s->n_sources < HOST_SOURCES_MAX ? strdup(path) : NULL;
	if (!copy)
		return;
	bool known = !m->from_memory && stat(m->file ? m->file : m->path, &st) == 0;
	s->sources[s->n_sources++] = (struct host_source_file){ copy, known ? (int64_t)st.st_mtime : -1,
								host_is_system_source(path) };
}

/* Write a line for a frame, preceded by one for each function inlined there. @return false: out of memory */
static bool describe_frame(struct host_target *t, struct host_unwinder *u, const struct host_frame *f,
			   struct lines *ret)
{
	struct host_module *m = host_module_of(t, f->pc);
	struct host_source sources[SOURCES_MAX];
	char name[1024], *text = NULL;
	bool named = m && host_module_function(m, f->pc, name, sizeof(name));
	size_t n_sources = named && host_module_is_application(m)
				   ? host_unwinder_sources(u, f->pc, sources, SOURCES_MAX)
				   : 0;
	int n = 0;

	if (named)
		host_demangle(name, sizeof(name));
	for (size_t i = 0; i < n_sources; i++) {
		const char *function = sources[i].function[0] ? sources[i].function : name;
		const char *line = sources[i].line;
		n = asprintf(&text, "%s%s%s", function, *line ? " at " : "", line);
		if (n < 0 || !add_line(ret, text))
			return false;
		if (sources[i].path)
			keep_source(t->stacks, m, &sources[i]);
	}
	if (n_sources)
		return true;
	if (named)
		n = asprintf(&text, "%s", name);
	else if (m && host_module_is_application(m))
		n = asprintf(&text, "?? in %s+0x%llx", basename(m->path), (unsigned long long)(f->pc - m->bias));
	else if (m)
		n = asprintf(&text, "?? in %s", basename(m->path));
	else
		n = asprintf(&text, "?? at 0x%llx", (unsigned long long)f->pc);
	return n >= 0 && add_line(ret, text);
}

/* The innermost function at an address that does not belong to a header of MPI's C++ bindings or the system. @return
 * its line; NULL: not known */
static const char *source_of(struct host_unwinder *u, uint64_t pc, struct host_source sources[SOURCES_MAX],
			     const char **function)
{
	size_t n = host_unwinder_sources(u, pc, sources, SOURCES_MAX), i = 0;

	while (i + 1 < n && sources[i].library)
		i++;
	if (!n || !sources[i].line[0])
		return NULL;
	if (sources[i].function[0])
		*function = sources[i].function;
	return sources[i].line;
}

bool host_place(struct host_target *t, uint64_t return_addr, char *ret, size_t size)
{
	uint64_t pc = return_addr - 1, offset; /* inside the call instruction */
	struct host_stacks *s = stacks_of(t);
	struct host_module *m = return_addr ? host_module_of(t, pc) : NULL;
	struct host_source sources[SOURCES_MAX];
	char name[1024], declared[256];
	const char *function = name, *line = NULL;

	if (!m)
		return false;
	bool named = host_module_function_offset(m, pc, name, sizeof(name), &offset);
	if (named)
		host_demangle(name, sizeof(name));
	/* no call instruction ends at the first byte of a function, so the function itself is meant */
	if (s && host_module_is_application(m) && named && !offset &&
	    host_unwinder_function_line(unwinder_of(t, s), pc, declared, sizeof(declared)))
		line = declared;
	else if (s && host_module_is_application(m))
		line = source_of(unwinder_of(t, s), pc, sources, &function);
	named |= function != name;
	if (line)
		snprintf(ret, size, "%s%s%s", named ? function : "", named ? " at " : "", line);
	else if (named)
		snprintf(ret, size, "%s+0x%llx", name, (unsigned long long)offset + 1);
	else
		snprintf(ret, size, "%s+0x%llx", basename(m->path), (unsigned long long)(return_addr - m->lo));
	return true;
}

/*
 * Does this frame belong to the MPI library? Such frames may be between two MPI functions: MPI_File_write_all, the I/O
 * component, MPI_Waitall.
 */
static bool is_mpi_library(const struct host_module *m)
{
	static const char *const prefixes[] = { "libmpi",      "libpmpi", "libompi", "libopen-",
						"libopen_mpi", "mca_",    "libmca_" };

	if (!m || m->executable)
		return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(basename(m->path), prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* Otherwise the MPI library is part of the executable. */
static bool has_mpi_library(const struct host_target *t)
{
	for (size_t i = 0; i < t->n_modules; i++)
		if (is_mpi_library(t->modules[i]))
			return true;
	return false;
}

/*
 * Find the MPI function that the user's code called: go outwards from the innermost MPI function, through MPI functions
 * and the library's own code. A callback in user code ends the search: the call that it made is the one that waits. A
 * function of this name outside the library is a wrapper of a tool or of the program itself, and is in MPI only if the
 * library has been called from it.
 */
static size_t find_mpi_frame(struct host_target *t, const struct host_frame *frames, size_t n, char *name, size_t size)
{
	size_t found = n, n_within = 0;
	bool apart = has_mpi_library(t);

	for (size_t i = 0; i < n; i++) {
		struct host_module *m = host_module_of(t, frames[i].pc);
		char function[256];
		n_within += is_mpi_library(m);
		if (m && (n_within || !apart) && host_module_function(m, frames[i].pc, function, sizeof(function)) &&
		    host_mpi_name(function, name, size))
			found = i;
		else if (found < n && !is_mpi_library(m))
			break;
	}
	return found;
}

/*
 * The same if no frame has the name of an MPI function: find the library's frame whose caller has called one. Between
 * two frames of the library there may be another library that calls it back.
 */
static size_t find_called_frame(struct host_target *t, const struct host_frame *frames, size_t n, char *name,
				size_t size)
{
	char function[256];

	for (size_t i = 0; i + 1 < n; i++)
		if (is_mpi_library(host_module_of(t, frames[i].pc)) &&
		    !is_mpi_library(host_module_of(t, frames[i + 1].pc)) &&
		    host_called_function(t, frames[i + 1].pc + 1, function, sizeof(function)) &&
		    host_mpi_name(function, name, size))
			return i;
	return n;
}

/*
 * How often a value is given that is in use: more often than former calls leave the address of a request on the stack.
 */
enum { IN_USE_MAX = 32, IN_USE_WEIGHT = 16 };

/*
 * Values that the MPI function, or one that it has called, has computed and still has in a register that functions
 * preserve: those that differ from the caller's.
 */
static size_t values_in_use(const struct host_frame *frames, size_t n, const struct host_frame *caller,
			    uint64_t ret[IN_USE_MAX])
{
	size_t n_ret = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t r = 0; r < HOST_SAVED_MAX; r++) {
			uint64_t value = frames[i].saved[r];
			size_t k = 0;
			while (k < n_ret && ret[k] != value)
				k++;
			if (value && value != caller->saved[r] && k == n_ret && n_ret < IN_USE_MAX)
				ret[n_ret++] = value;
		}
	return n_ret;
}

/* The registers as words of the target, and the values in use. */
static const uint64_t *register_words(const struct host_target *t, const struct host_regs *regs, const uint64_t *in_use,
				      size_t n_in_use, size_t *n_ret)
{
	size_t n = regs->n / t->word_bytes, n_all = n + n_in_use * IN_USE_WEIGHT;
	uint64_t *words = n ? malloc(n_all * sizeof(*words)) : NULL;

	*n_ret = words ? n_all : 0;
	for (size_t i = 0; words && i < n; i++)
		words[i] = host_decode_u(regs->bytes + i * t->word_bytes, t->word_bytes, t->big_endian);
	for (size_t i = n; words && i < n_all; i++)
		words[i] = in_use[(i - n) / IN_USE_WEIGHT];
	return words;
}

static void keep_frames(struct copy *c, const struct host_frame *frames, size_t n)
{
	c->frames = malloc((n + 1) * sizeof(*frames));
	c->n_frames = c->frames ? n : 0;
	if (c->frames)
		memcpy(c->frames, frames, n * sizeof(*frames));
}

static void make_thread(struct host_target *t, struct host_stacks *s, struct copy *c, struct mpidbg_thread *ret)
{
	struct host_frame frames[HOST_FRAMES_MAX];
	struct source from = { t, c };
	struct host_unwinder *u = unwinder_of(t, s);
	size_t n = host_unwind(u, &c->regs, read_copy, &from, frames, HOST_FRAMES_MAX);
	char name[256];

	*ret = (struct mpidbg_thread){ .id = c->tid };
	if (n == 0)
		return;
	keep_frames(c, frames, n);
	size_t k = find_mpi_frame(t, frames, n, name, sizeof(name));
	if (k == n)
		k = find_called_frame(t, frames, n, name, sizeof(name));
	if (k < n) {
		c->return_addr = k + 1 < n ? frames[k + 1].pc + 1 : 0;
		ret->function = strdup(name);
		ret->stack_lo = frames[0].sp;
		/* a frame ends where its caller's begins; for the last one, at the end of the copy */
		ret->stack_hi = k + 1 < n ? frames[k + 1].sp : c->bytes ? c->lo + c->n : frames[k].sp + 4096;
		if (ret->stack_hi <= ret->stack_lo)
			ret->stack_lo = ret->stack_hi = 0;
		uint64_t in_use[IN_USE_MAX];
		size_t n_in_use = k + 1 < n ? values_in_use(frames, k + 1, &frames[k + 1], in_use) : 0;
		if (!c->running)
			ret->registers = register_words(t, &c->regs, in_use, n_in_use, &ret->n_registers);
	}
	struct lines lines = { 0 };
	for (size_t i = 0; i < n && describe_frame(t, u, &frames[i], &lines); i++)
		;
	ret->n_backtrace = lines.n;
	ret->backtrace = (const char *const *)lines.v;
}

const struct mpidbg_thread *host_threads(struct host_target *t, size_t *n_ret)
{
	struct host_stacks *s = stacks_of(t);

	*n_ret = 0;
	if (!s)
		return NULL;
	host_stacks_copy(t);
	if (!s->made && s->copied) {
		s->made = true;
		s->threads = calloc(s->n_copies ? s->n_copies : 1, sizeof(*s->threads));
		s->unknown = calloc(s->n_copies ? s->n_copies : 1, sizeof(*s->unknown));
		for (size_t i = 0; s->threads && s->unknown && i < s->n_copies; i++) {
			struct mpidbg_thread *th = &s->threads[s->n_threads];
			make_thread(t, s, &s->copies[i], th);
			/* with only a few registers, the stack may seem to
			 * end early; of other machines nothing is known */
			if ((s->copies[i].running || !host_can_unwind(t)) && !th->function) {
				s->unknown[s->n_unknown++] = th->id;
				forget_thread(th);
			} else {
				s->n_threads++;
			}
		}
	}
	*n_ret = s->n_threads;
	return s->threads;
}

const struct host_source_file *host_source_files(const struct host_target *t, size_t *n_ret)
{
	*n_ret = t->stacks ? t->stacks->n_sources : 0;
	return t->stacks ? t->stacks->sources : NULL;
}

const int64_t *host_unknown_threads(struct host_target *t, size_t *n_ret)
{
	*n_ret = t->stacks ? t->stacks->n_unknown : 0;
	return t->stacks ? t->stacks->unknown : NULL;
}

bool host_stopped_thread(struct host_target *t, size_t i, struct host_stopped *ret)
{
	const struct host_stacks *s = t->stacks;

	if (!s || !s->made || i >= s->n_copies)
		return false;
	const struct copy *c = &s->copies[i];
	*ret = (struct host_stopped){
		.tid = c->tid, .call = -1, .frames = c->frames, .n_frames = c->n_frames, .return_addr = c->return_addr
	};
	host_regs_call(t, &c->regs, &ret->call, ret->args);
	return true;
}
