/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intercepts the Fortran routines that create requests, under their Fortran names. A binding calls the C function, so
 * the C function's caller is the binding, and it has left the stack when a debugger asks where the request was created.
 * Therefore this library defines the routine itself: it stores the return address of the call and jumps to the binding
 * with every argument in place. The C function that the binding calls picks up the address (trk_enter_slow_path()) and
 * checks that it belongs to this call.
 *
 * For x86-64. On other processors these names remain the binding's
 * own, and the callsite of a request is inside the binding.
 */
#include "calls.h"

#include "../tracker/threads.h"
#include "registers.h"

#include <dlfcn.h>
#include <errno.h>

#if defined(__x86_64__) && defined(__LP64__)

/*
 * The names that a program may use for a routine: those of mpif.h and the module mpi, and those of the module mpi_f08.
 */
#if defined(OPEN_MPI)
#define F08(name)  "mpi_" #name "_f08_"
#define F08P(name) "pmpi_" #name "_f08_"
#else
#define F08(name)  "mpi_" #name "_f08ts_"
#define F08P(name) "pmpir_" #name "_f08ts_"
#endif
/* Since 6.0 the routines of mpi_f08 with a choice buffer have another name. */
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 6
#define F08TS(one, name, call) one("mpi_" #name "_f08ts_", call) one("pmpi_" #name "_f08ts_", call)
#else
#define F08TS(one, name, call)
#endif
#define NAMES(one, name, call)                                                                                         \
	one("mpi_" #name "_", call) one("pmpi_" #name "_", call) one(F08(name), call) one(F08P(name), call)            \
		F08TS(one, name, call)

/* The column of forms. */
#define FORTRAN_EVERY(...) __VA_ARGS__
#if M2D_MPI4
#define FORTRAN_MPI4(...) __VA_ARGS__
#else
#define FORTRAN_MPI4(...)
#endif

static const char *const symbols[] = {
#define ONE(symbol, call)            symbol,
#define FORTRAN(name, called, forms) FORTRAN_##forms(NAMES(ONE, name, called))
#define RECORD(...)
#include "../../functions/functions.def"
#undef ONE
};
enum { N_ROUTINES = sizeof(symbols) / sizeof(symbols[0]) };

/* The C function that each routine calls; used by the assembly below. */
extern const unsigned m2d_routine_calls[N_ROUTINES] __attribute__((visibility("hidden")));
const unsigned m2d_routine_calls[N_ROUTINES] = {
#define ONE(symbol, call)            M2D_CALL_##call,
#define FORTRAN(name, called, forms) FORTRAN_##forms(NAMES(ONE, name, called))
#define RECORD(...)
#include "../../functions/functions.def"
#undef ONE
};

/*
 * The assembly below writes these fields of struct m2d_thread.
 * Setting program_bytes to 0 makes the next call take the slow path.
 */
_Static_assert(offsetof(struct m2d_thread, program_bytes) == 16 && offsetof(struct m2d_thread, binding_caller) == 24 &&
		       offsetof(struct m2d_thread, binding_frame) == 32 &&
		       offsetof(struct m2d_thread, binding_call) == 40,
	       "offsets of the code below");

/*
 * Label 77 is the path of the first call, 78 the slot. All
 * arguments are addresses or lengths: vector registers hold none.
 */
#define ENTRY(symbol, call)                                                                                            \
	"	.pushsection .text\n"                                                                                        \
	"	.balign 16\n"                                                                                                \
	"	.globl " symbol "\n"                                                                                   \
	"	.type " symbol ", %function\n" symbol ":\n"                                                            \
	"	.cfi_startproc\n"                                                                                            \
	"	movq m2d_thread@gottpoff(%rip), %rax\n"                                                                      \
	"	movq (%rsp), %r11\n"                                                                                         \
	"	movq %r11, %fs:24(%rax)\n"                                                                                   \
	"	movq %rsp, %fs:32(%rax)\n"                                                                                   \
	"	movl m2d_routine_calls + 4 * m2d_routine(%rip), %r11d\n"                                                     \
	"	movl %r11d, %fs:40(%rax)\n"                                                                                  \
	"	movq $0, %fs:16(%rax)\n"                                                                                     \
	"	jmp *78f(%rip)\n"                                                                                            \
	"77:	pushq $m2d_routine\n"                                                                                     \
	"	.cfi_adjust_cfa_offset 8\n"                                                                                  \
	"	jmp m2d_routine_lazy\n"                                                                                      \
	"	.cfi_endproc\n"                                                                                              \
	"	.size " symbol ", . - " symbol "\n"                                                                    \
	"	.popsection\n"                                                                                               \
	"	.pushsection m2d_routine_table, \"aw\"\n"                                                                    \
	"78:	.quad 77b\n"                                                                                              \
	"	.popsection\n"                                                                                               \
	"	.set m2d_routine, m2d_routine + 1\n"

__asm__(".text\n"
	"	.type m2d_routine_lazy, @function\n"
	"m2d_routine_lazy:\n"
	"	.cfi_startproc\n"
	"	.cfi_def_cfa_offset 16\n" M2D_SAVE_REGISTERS "	movl 48(%rsp), %edi\n"
	"	movq 56(%rsp), %rsi\n"
	"	call m2d_routine_next\n"
	"	movq %rax, %r11\n" M2D_RESTORE_REGISTERS M2D_JUMP_TO_TARGET "	.cfi_endproc\n"
	"	.size m2d_routine_lazy, . - m2d_routine_lazy\n"
	"	.pushsection m2d_routine_table, \"aw\"\n"
	"	.balign 8\n"
	"	.globl m2d_routine_slots\n"
	"	.hidden m2d_routine_slots\n"
	"	.type m2d_routine_slots, @object\n"
	"m2d_routine_slots:\n"
	"	.popsection\n"
	"	.set m2d_routine, 0\n"
#define FORTRAN(name, called, forms) FORTRAN_##forms(NAMES(ENTRY, name, called))
#define RECORD(...)
#include "../../functions/functions.def"
);
extern void *m2d_routine_slots[N_ROUTINES] __attribute__((visibility("hidden")));

/* Called if no library defines the routine: does nothing. */
static void absent(void)
{
}

static void *find_routine(const char *symbol, const void *caller)
{
	void *next = dlsym(RTLD_NEXT, symbol);
	Dl_info info;

	/* if the library is not in the program's symbol scope, search the caller's */
	if (!next && dladdr(caller, &info) && info.dli_fname) {
		void *object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
		next = object ? dlsym(object, symbol) : NULL;
	}
	return next;
}

/* The next definition of a routine that is called for the first time. Never NULL. */
void *m2d_routine_next(unsigned number, const void *caller) __attribute__((used, visibility("hidden")));

void *m2d_routine_next(unsigned number, const void *caller)
{
	int saved = errno;
	void *next = find_routine(symbols[number], caller);

	errno = saved;
	if (!next)
		return (void *)(uintptr_t)absent;
	__atomic_store_n(&m2d_routine_slots[number], next, __ATOMIC_RELEASE);
	return next;
}

#endif
