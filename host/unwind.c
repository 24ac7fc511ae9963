/* SPDX-License-Identifier: BSD-3-Clause */
#include "unwind.h"

#include "demangle.h"
#include "elf_file.h"
#include "shared_file.h"
#include "source_files.h"
#include "units.h"

#include <elf.h>
#include <elfutils/libdwfl.h>
#include <elfutils/version.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DWARF_REGS_MAX = 33, SIGNALS_MAX = 8 };

/*
 * Machines whose stacks are unwound: the positions of the stack pointer and the program
 * counter in places, how many DWARF registers libdwfl is told, and the position of each
 * in the register set, the struct user_regs_struct of <sys/user.h> for that machine. Its
 * size tells the sets apart; in a core one more word may follow it. The program counter of aarch64 has no DWARF number
 * here.
 */
static const struct unwind_machine {
	unsigned elf_machine, word_bytes, sp, pc, n_dwarf;
	size_t regs_bytes, regs_bytes_max;
	uint8_t places[DWARF_REGS_MAX];
	uint8_t saved[HOST_SAVED_MAX]; /* DWARF numbers of the registers that functions preserve; then 0 */
} machines[] = {
	{ EM_X86_64,
	  8,
	  7,
	  16,
	  17,
	  27 * 8,
	  SIZE_MAX,
	  { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16 },
	  { 3, 6, 12, 13, 14, 15 } },
	{ EM_386, 4, 4, 8, 9, 17 * 4, 18 * 4, { 6, 1, 2, 0, 15, 5, 3, 4, 12 }, { 3, 5, 6, 7 } },
	{ EM_AARCH64,
	  8,
	  31,
	  32,
	  32,
	  34 * 8,
	  35 * 8,
	  { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
	    17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 },
	  { 19, 20, 21, 22, 23, 24, 25, 26, 27, 28 } },
};

#if !_ELFUTILS_PREREQ(0, 188)
enum { READS_KEPT = 64 };
#endif

struct host_unwinder {
	struct host_target *t;
	const struct unwind_machine *machine;
	Dwfl *dwfl;
	struct host_units units;
	bool attached;
	/* the thread being unwound */
	const struct host_regs *regs;
	host_unwind_read_ft read;
	void *ctx;
	struct host_frame *frames;
	size_t n, max;
	bool interrupted; /* the last frame is that to which a handler returns, which has interrupted other_regs */
	struct host_regs other_regs;
#if !_ELFUTILS_PREREQ(0, 188)
	struct {
		uint64_t addr, word;
	} reads[READS_KEPT]; /* the last reads since the previous frame */
	size_t n_reads;
#endif
};

static uint64_t reg(const struct unwind_machine *m, const struct host_regs *regs, unsigned dwarf)
{
	return host_decode_u(regs->bytes + m->places[dwarf] * m->word_bytes, m->word_bytes, false);
}

/* NULL: not supported */
static const struct unwind_machine *machine_of(const struct host_target *t)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (t->machine == machines[i].elf_machine && t->word_bytes == machines[i].word_bytes && !t->big_endian)
			return &machines[i];
	return NULL;
}

bool host_can_unwind(const struct host_target *t)
{
	return machine_of(t) != NULL;
}

/* The machine, if the set has all registers that are needed; else NULL. */
static const struct unwind_machine *machine_of_regs(const struct host_target *t, const struct host_regs *regs)
{
	const struct unwind_machine *m = machine_of(t);

	return m && regs->n >= m->regs_bytes && regs->n <= m->regs_bytes_max ? m : NULL;
}

bool host_regs_sp(const struct host_target *t, const struct host_regs *regs, uint64_t *ret)
{
	const struct unwind_machine *m = machine_of_regs(t, regs);

	if (!m)
		return false;
	*ret = reg(m, regs, m->sp);
	return true;
}

/* ---- callbacks of libdwfl ------------------------------------------------------------------------------ */

static int image_fd(const struct host_elf *e);

/* Called when libdwfl needs the file of a module, at the first lookup in it; most modules appear on no stack. */
static int find_elf(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
	(void)mod, (void)name, (void)base;
	struct host_module *m = *userdata;

	if (!m)
		return -1;
	*elf = m->shared && m->file ? host_shared_file_libelf(m->shared, m->file) : NULL;
	if (*elf) {
		*file = strdup(m->file);
		return -1;
	}
	int fd = m->from_memory ? image_fd(m->elf) : open(m->file, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		*file = strdup(m->file ? m->file : m->path);
	return fd;
}

/* Use our own search: libdwfl's would query debug servers on the network. */
static int find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base, const char *file,
			  const char *debuglink, GElf_Word crc, char **ret)
{
	(void)mod, (void)name, (void)base, (void)debuglink, (void)crc;
	struct host_module *m = *userdata;
	const char *path = m && file ? host_module_debug_file(m) : NULL;

	if (!path)
		return -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		*ret = strdup(path);
	return fd;
}

static const Dwfl_Callbacks file_callbacks = { .find_elf = find_elf,
					       .find_debuginfo = find_debuginfo,
					       .section_address = dwfl_offline_section_address };

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	struct host_unwinder *u = arg;

	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = u;
	return 1;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl, (void)tid;
	*thread_arg = arg;
	return true;
}

/*
 * On aarch64 a function may sign its return address in the bits that no address
 * of a process has (pointer authentication). libdwfl is not told which bits
 * these are: a word that is otherwise an address of code is taken for one.
 */
static uint64_t unsigned_address(const struct host_unwinder *u, uint64_t word)
{
	enum { ADDRESS_BITS = 48 };
	uint64_t addr = word & ((UINT64_C(1) << ADDRESS_BITS) - 1);

	return u->machine->elf_machine == EM_AARCH64 && addr != word && host_module_of(u->t, addr) ? addr : word;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *ret, void *arg)
{
	struct host_unwinder *u = arg;
	uint8_t word[8];

	(void)dwfl;
	if (!u->read(u->ctx, addr, u->machine->word_bytes, word))
		return false;
	*ret = unsigned_address(u, host_decode_u(word, u->machine->word_bytes, false));
#if !_ELFUTILS_PREREQ(0, 188)
	u->reads[u->n_reads % READS_KEPT].addr = addr;
	u->reads[u->n_reads++ % READS_KEPT].word = *ret;
#endif
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct host_unwinder *u = arg;
	const struct unwind_machine *m = u->machine;
	Dwarf_Word words[DWARF_REGS_MAX];

	for (unsigned i = 0; i < m->n_dwarf; i++)
		words[i] = unsigned_address(u, reg(m, u->regs, i));
	if (m->pc >= m->n_dwarf)
		dwfl_thread_state_register_pc(thread, reg(m, u->regs, m->pc));
	return dwfl_thread_state_registers(thread, 0, m->n_dwarf, words);
}

static const Dwfl_Thread_Callbacks thread_callbacks = { .next_thread = next_thread,
							.get_thread = get_thread,
							.memory_read = memory_read,
							.set_initial_registers = set_registers };

/* ---- setting up ---------------------------------------------------------------------------------- */

/* A file that exists in memory only: the vdso, or a deleted library. */
static int image_fd(const struct host_elf *e)
{
	int fd = memfd_create("mpidbg-image", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < e->n) {
		ssize_t n = write(fd, e->bytes + done, e->n - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)n;
	}
	return fd;
}

static void report_module(Dwfl *dwfl, struct host_module *m)
{
	Dwfl_Module *mod = m->elf ? dwfl_report_module(dwfl, m->path, m->lo, m->hi) : NULL;
	void **userdata;

	if (!mod)
		return;
	dwfl_module_info(mod, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = m;
}

struct host_unwinder *host_unwinder_create(struct host_target *t)
{
	if (!host_can_unwind(t))
		return NULL;
	struct host_unwinder *u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->t = t;
	u->machine = machine_of(t);
	u->dwfl = dwfl_begin(&file_callbacks);
	if (!u->dwfl) {
		free(u);
		return NULL;
	}
	dwfl_report_begin(u->dwfl);
	for (size_t i = 0; i < t->n_modules; i++)
		report_module(u->dwfl, t->modules[i]);
	dwfl_report_end(u->dwfl, NULL, NULL);
	u->attached = dwfl_attach_state(u->dwfl, NULL, t->pid > 0 ? t->pid : 1, &thread_callbacks, u);
	return u;
}

void host_unwinder_destroy(struct host_unwinder *u)
{
	if (!u)
		return;
	host_units_deinit(&u->units);
	dwfl_end(u->dwfl);
	free(u);
}

void host_unwinder_prepare(struct host_unwinder *u)
{
	for (size_t i = 0; u && i < u->t->n_modules; i++) {
		Dwfl_Module *mod = dwfl_addrmodule(u->dwfl, u->t->modules[i]->lo);
		Dwarf_Addr bias;
		if (mod)
			dwfl_module_eh_cfi(mod, &bias);
	}
	/* the first lookup of a source line is expensive: it indexes the compilation units */
	struct host_source source;
	uint64_t main_addr;
	if (u && host_symbol(u->t, "main", &main_addr))
		host_unwinder_sources(u, main_addr, &source, 1);
}

/* ---- unwinding ----------------------------------------------------------------------------------- */

#if _ELFUTILS_PREREQ(0, 188)

static bool frame_sp(struct host_unwinder *u, Dwfl_Frame *state, Dwarf_Addr pc, Dwarf_Word *ret)
{
	(void)pc;
	return dwfl_frame_reg(state, u->machine->sp, ret) == 0;
}

static void frame_saved(struct host_unwinder *u, Dwfl_Frame *state, uint64_t ret[HOST_SAVED_MAX])
{
	for (size_t i = 0; i < HOST_SAVED_MAX && u->machine->saved[i]; i++) {
		Dwarf_Word value;
		ret[i] = dwfl_frame_reg(state, u->machine->saved[i], &value) == 0 ? value : 0;
	}
}

#else

static void frame_saved(struct host_unwinder *u, Dwfl_Frame *state, uint64_t ret[HOST_SAVED_MAX])
{
	(void)u, (void)state, (void)ret;
}

/* Is it the code to which a signal handler returns? Its "caller" was interrupted; no call pushed a return address. */
static bool is_signal_trampoline(struct host_unwinder *u, uint64_t pc)
{
	Dwfl_Module *mod = dwfl_addrmodule(u->dwfl, pc);
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = mod ? dwfl_module_eh_cfi(mod, &bias) : NULL;
	Dwarf_Frame *frame = NULL;
	bool is_signal = false;

	if (cfi && dwarf_cfi_addrframe(cfi, pc - bias, &frame) == 0)
		dwarf_frame_info(frame, NULL, NULL, &is_signal);
	free(frame);
	return is_signal;
}

/* A word that libdwfl has read since the previous frame. */
static bool word_at(const struct host_unwinder *u, uint64_t addr, Dwarf_Word *ret)
{
	for (size_t i = 0; i < u->n_reads && i < READS_KEPT; i++)
		if (u->reads[i].addr == addr) {
			*ret = u->reads[i].word;
			return true;
		}
	return false;
}

/*
 * Older releases have no dwfl_frame_reg(). What libdwfl read to find this frame is enough: the return address is the
 * last word that a call pushed, above the registers that the callee saved, so that the stack pointer after the return
 * is one word above its address. In the frame of a signal on x86-64, the word before the program counter is the stack
 * pointer (struct sigcontext, <asm/sigcontext.h>); on i386 it is seven words before.
 */
static bool frame_sp(struct host_unwinder *u, Dwfl_Frame *state, Dwarf_Addr pc, Dwarf_Word *ret)
{
	uint64_t at = 0;
	bool found = true;

	(void)state;
	if (u->n == 0) {
		*ret = reg(u->machine, u->regs, u->machine->sp);
	} else {
		for (size_t i = 0; i < u->n_reads && i < READS_KEPT; i++)
			if (u->reads[i].word == pc && u->reads[i].addr > at)
				at = u->reads[i].addr;
		if (u->machine->elf_machine == EM_AARCH64)
			found = false; /* the return address may be in a register, and its place says nothing */
		else if (is_signal_trampoline(u, u->frames[u->n - 1].pc))
			found = word_at(u, at - (u->machine->word_bytes == 8 ? 8 : 7 * 4), ret);
		else
			*ret = at + u->machine->word_bytes;
	}
	u->n_reads = 0;
	return found && (u->n == 0 || at != 0);
}

#endif

/* May there be code? Memory that no file is mapped at, of a process or in a core, may have been made by a compiler. */
static bool is_code(struct host_target *t, uint64_t pc)
{
	const struct host_map *map = host_maps_find(&t->maps, pc);
	char byte;

	return map ? map->prot & (HOST_MAP_EXEC | HOST_MAP_UNKNOWN) : host_read(t, pc, 1, &byte);
}

/*
 * The registers of what a signal has interrupted, on aarch64: the code of the kernel to which a handler returns has no
 * call frame information there. The stack pointer is at struct rt_sigframe (arch/arm64/kernel/signal.c): siginfo (128
 * bytes), ucontext with its sigcontext at 176, whose registers follow the address of a fault.
 */
static bool interrupted_regs(struct host_unwinder *u, const struct host_frame *f, struct host_regs *ret)
{
	enum { REGS_AT = 128 + 176 + 8, N_REGS = 34 };
	static const uint8_t code[8] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }; /* mov x8, #139; svc #0 */
	uint8_t found[sizeof(code)];

	/* as the address to which the handler returns, it is one byte further */
	if (u->machine->elf_machine != EM_AARCH64 || !host_read(u->t, f->pc + 1, sizeof(found), found) ||
	    memcmp(found, code, sizeof(code)) != 0)
		return false;
	memset(ret, 0, sizeof(*ret));
	for (unsigned i = 0; i < N_REGS; i++)
		if (!u->read(u->ctx, f->sp + REGS_AT + i * UINT64_C(8), 8, ret->bytes + i * (size_t)8))
			return false;
	ret->n = N_REGS * (size_t)8;
	return true;
}

static int take_frame(Dwfl_Frame *state, void *arg)
{
	struct host_unwinder *u = arg;
	Dwarf_Addr pc;
	Dwarf_Word sp;
	bool is_activation;
	uint64_t saved[HOST_SAVED_MAX] = { 0 };

	if (u->n == u->max || !dwfl_frame_pc(state, &pc, NULL) || pc == 0 || !frame_sp(u, state, pc, &sp))
		return DWARF_CB_ABORT;
	frame_saved(u, state, saved);
	/* last, because libdwfl finds the next frame for this, whose reads frame_sp() must not see */
	if (!dwfl_frame_pc(state, &pc, &is_activation))
		return DWARF_CB_ABORT;
	/* a frame that is not above the one it called: the stack is damaged */
	if (u->n && sp == u->frames[u->n - 1].sp && pc == u->frames[u->n - 1].pc)
		return DWARF_CB_ABORT;
	/* libdwfl guesses the caller of a function that has no call frame information */
	if (u->n && !is_code(u->t, pc - !is_activation))
		return DWARF_CB_ABORT;
	u->frames[u->n] = (struct host_frame){ .pc = is_activation ? pc : pc - 1, .sp = sp };
	memcpy(u->frames[u->n++].saved, saved, sizeof(saved));
	u->interrupted = !is_activation && interrupted_regs(u, &u->frames[u->n - 1], &u->other_regs);
	return u->interrupted ? DWARF_CB_ABORT : DWARF_CB_OK;
}

size_t host_unwind(struct host_unwinder *u, const struct host_regs *regs, host_unwind_read_ft read, void *ctx,
		   struct host_frame *ret, size_t max)
{
	if (!u || max == 0 || !machine_of_regs(u->t, regs))
		return 0;
	u->regs = regs;
	u->read = read;
	u->ctx = ctx;
	u->frames = ret;
	u->n = 0;
	u->max = max;
	for (unsigned i = 0; u->attached && i < SIGNALS_MAX && (i == 0 || u->interrupted); i++) {
		if (i > 0)
			u->regs = &u->other_regs; /* libdwfl reads them before it shows a frame */
		u->interrupted = false;
		dwfl_getthread_frames(u->dwfl, 1, take_frame, u);
	}
	if (u->n == 0)
		ret[u->n++] = (struct host_frame){ .pc = reg(u->machine, regs, u->machine->pc),
						   .sp = reg(u->machine, regs, u->machine->sp) };
	return u->n;
}

/* Format "/src/ring.c", 10 as "ring.c:10". */
static void write_line(const char *file, int number, char *ret, size_t size)
{
	const char *slash = strrchr(file, '/');

	snprintf(ret, size, "%s:%d", slash ? slash + 1 : file, number);
}

/* The headers of the C++ bindings, whose functions are inlined: openmpi/ompi/mpi/cxx/comm_inln.h, mpich/mpicxx.h; and
 * those of the system, such as the compiler's <functional>. */
static bool is_inlined_library(const char *file)
{
	return strstr(file, "/ompi/mpi/cxx/") || strstr(file, "/mpicxx.h") || host_is_system_source(file);
}

/*
 * libdwarf has functions with the same names; these are libdw's.
 * In the static command libdwarf's are local to an object.
 */
#ifdef MPIDBG_STATIC
#define libdw_formudata  dwarf_formudata
#define libdw_formstring dwarf_formstring
#define libdw_tag        dwarf_tag
#define libdw_lineno     dwarf_lineno
#define libdw_linesrc    dwarf_linesrc
#else
__asm__(".symver libdw_formudata, dwarf_formudata@ELFUTILS_0.122");
__asm__(".symver libdw_formstring, dwarf_formstring@ELFUTILS_0.122");
__asm__(".symver libdw_tag, dwarf_tag@ELFUTILS_0.122");
__asm__(".symver libdw_lineno, dwarf_lineno@ELFUTILS_0.122");
__asm__(".symver libdw_linesrc, dwarf_linesrc@ELFUTILS_0.122");
#endif
int libdw_formudata(Dwarf_Attribute *attr, Dwarf_Word *ret);
const char *libdw_formstring(Dwarf_Attribute *attr);
int libdw_tag(Dwarf_Die *die);
int libdw_lineno(Dwarf_Line *line, int *ret);
const char *libdw_linesrc(Dwarf_Line *line, Dwarf_Word *modified, Dwarf_Word *bytes);

/* DWARF 5, section 7.5: tags and attributes. */
enum {
	TAG_INLINED_SUBROUTINE = 0x1d,
	TAG_SUBPROGRAM = 0x2e,
	AT_NAME = 0x03,
	AT_COMP_DIR = 0x1b,
	AT_CALL_FILE = 0x58,
	AT_CALL_LINE = 0x59,
	AT_LINKAGE_NAME = 0x6e
};

static bool number_of(Dwarf_Die *die, unsigned attribute, Dwarf_Word *ret)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, attribute, &attr) && !libdw_formudata(&attr, ret);
}

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, attribute, &attr) ? libdw_formstring(&attr) : NULL;
}

/* @param file NULL: the line is not known */
static void write_source(struct host_source *ret, const char *folder, const char *file, int number)
{
	ret->line[0] = '\0';
	ret->path = file;
	ret->folder = folder;
	ret->library = file && is_inlined_library(file);
	if (file)
		write_line(file, number, ret->line, sizeof(ret->line));
}

/* The blocks around an address, from the innermost to the containing function. @return how many; free them */
static int scopes_at(Dwarf_Die *unit, uint64_t addr, Dwarf_Die **ret)
{
	Dwarf_Die *inner = NULL;
	int n = dwarf_getscopes(unit, addr, &inner);

	/* Behind an inlined function these are the blocks around its definition: ask for those around its call. */
	n = n > 0 ? dwarf_getscopes_die(&inner[0], ret) : 0;
	free(inner);
	return n;
}

size_t host_unwinder_sources(struct host_unwinder *u, uint64_t pc, struct host_source *ret, size_t max)
{
	Dwfl_Module *mod = u && max ? dwfl_addrmodule(u->dwfl, pc) : NULL;
	Dwarf_Addr bias;
	Dwarf_Die *unit = mod ? host_unit_at(&u->units, mod, pc, &bias) : NULL, *scopes = NULL;
	Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, pc - bias) : NULL;
	const char *file = line ? libdw_linesrc(line, NULL, NULL) : NULL;
	Dwarf_Files *files;
	size_t n_files, n = 0;
	int number = 0;

	if (!file || libdw_lineno(line, &number))
		return 0;
	const char *folder = text_of(unit, AT_COMP_DIR);
	int n_scopes = !dwarf_getsrcfiles(unit, &files, &n_files) ? scopes_at(unit, pc - bias, &scopes) : 0;
	for (int i = 0; i < n_scopes && n + 1 < max && libdw_tag(&scopes[i]) != TAG_SUBPROGRAM; i++) {
		Dwarf_Word called_file, called_line;
		const char *name;

		if (libdw_tag(&scopes[i]) != TAG_INLINED_SUBROUTINE)
			continue;
		name = text_of(&scopes[i], AT_LINKAGE_NAME);
		if (!name)
			name = text_of(&scopes[i], AT_NAME);
		snprintf(ret[n].function, sizeof(ret[n].function), "%s", name ? name : "??");
		host_demangle(ret[n].function, sizeof(ret[n].function));
		write_source(&ret[n++], folder, file, number);
		file = NULL;
		if (number_of(&scopes[i], AT_CALL_FILE, &called_file) &&
		    number_of(&scopes[i], AT_CALL_LINE, &called_line) && called_file < n_files) {
			file = dwarf_filesrc(files, called_file, NULL, NULL);
			number = (int)called_line;
		}
	}
	free(scopes);
	ret[n].function[0] = '\0';
	write_source(&ret[n++], folder, file, number);
	return n;
}

/* By functions of libdw whose names libdwarf does not also have: dwarf_tag() is the other one's here. */
bool host_unwinder_function_line(struct host_unwinder *u, uint64_t start_addr, char *ret, size_t size)
{
	Dwfl_Module *mod = u ? dwfl_addrmodule(u->dwfl, start_addr) : NULL;
	Dwarf_Addr bias, first;
	Dwarf_Die *unit = mod ? host_unit_at(&u->units, mod, start_addr, &bias) : NULL, *scopes = NULL;
	int n = unit ? dwarf_getscopes(unit, start_addr - bias, &scopes) : 0, number = 0;
	const char *file = NULL;

	/* From the outermost scope, the unit, which is declared
	 * nowhere: others may have been inlined at this one's start. */
	for (int i = n - 1; i >= 0 && !file; i--)
		if (!dwarf_entrypc(&scopes[i], &first) && first == start_addr - bias &&
		    !dwarf_decl_line(&scopes[i], &number))
			file = dwarf_decl_file(&scopes[i]);
	if (file)
		write_line(file, number, ret, size);
	free(scopes);
	return file != NULL;
}
