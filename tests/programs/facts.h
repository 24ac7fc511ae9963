/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file facts.h
 * For the facts_... programs: they make MPI objects, keep them, and rank 0 prints on standard output what they are, one
 * fact a line, from what it did itself and from what MPI answers. tests/support/facts.h compares it.
 *
 *   fact KIND 0xHANDLE KEY JSON     of the object that has this handle now
 *   past KIND 0xHANDLE KEY JSON     of one that had it, and was freed
 *   has KIND 0xHANDLE KEY JSON      the list has this element
 *   lacks KIND 0xHANDLE KEY         there is no such member
 *   bytes datatype 0xHANDLE [..]    displacement of every byte, in the order of its type map
 *   print KIND VALUE KEY JSON       of the answer to `print KIND VALUE`
 *   live KIND N                     so many objects are live that neither MPI nor the library has made for itself
 *   call KEY JSON                   of the call that rank 0 is in from now on
 *   ready PID
 */
#ifndef FACTS_H
#define FACTS_H

#include <mpi.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BITS(h)   (sizeof(h) == 4 ? (uint64_t)(uint32_t)(uintptr_t)(h) : (uint64_t)(uintptr_t)(h))
#define TRUST(ok) ((ok) ? (void)0 : (void)(fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #ok), exit(1)))

static int facts_rank, facts_size;

__attribute__((unused, format(printf, 1, 2))) static void emit(const char *format, ...)
{
	va_list args;

	if (facts_rank)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

#define FACT(kind, handle, key, ...) emit_fact("fact " kind, BITS(handle), key, __VA_ARGS__)
#define PAST(kind, bits, key, ...)   emit_fact("past " kind, bits, key, __VA_ARGS__)
#define HAS(kind, handle, key, ...)  emit_fact("has " kind, BITS(handle), key, __VA_ARGS__)
#define LACKS(kind, handle, key)     emit("lacks " kind " 0x%" PRIx64 " " key, BITS(handle))

__attribute__((unused, format(printf, 4, 5))) static void emit_fact(const char *head, uint64_t bits, const char *key,
								    const char *format, ...)
{
	va_list args;

	if (facts_rank)
		return;
	printf("%s 0x%" PRIx64 " %s ", head, bits, key);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/** [1,2,3] */
__attribute__((unused)) static void emit_ints(const char *head, uint64_t bits, const char *key, const int *v, int n)
{
	if (facts_rank)
		return;
	printf("%s 0x%" PRIx64 " %s [", head, bits, key);
	for (int i = 0; i < n; i++)
		printf("%s%d", i ? "," : "", v[i]);
	puts("]");
}

/** World ranks of a group, as MPI translates them. Frees the group. */
__attribute__((unused)) static void emit_members(const char *head, uint64_t bits, const char *key, MPI_Group group)
{
	MPI_Group world;
	int n, ranks[64], world_ranks[64];

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_size(group, &n);
	TRUST(n <= 64);
	for (int i = 0; i < n; i++)
		ranks[i] = i;
	if (n)
		MPI_Group_translate_ranks(group, n, ranks, world, world_ranks);
	emit_ints(head, bits, key, world_ranks, n);
	MPI_Group_free(&world);
	if (group != MPI_GROUP_EMPTY)
		MPI_Group_free(&group);
}

/** Every way to name it: hexadecimal, decimal, Fortran handle, the variable that holds it. */
#define PRINTS(kind, variable, fortran)                                                                                \
	do {                                                                                                           \
		uint64_t handle_bits = BITS(*(variable));                                                              \
		emit("print " kind " 0x%" PRIx64 " handle \"0x%" PRIx64 "\"", handle_bits, handle_bits);               \
		emit("print " kind " %" PRIu64 " handle \"0x%" PRIx64 "\"", handle_bits, handle_bits);                 \
		emit("print " kind " fortran:%d handle \"0x%" PRIx64 "\"", (int)(fortran), handle_bits);               \
		emit("print " kind " fortran:%d fortran %d", (int)(fortran), (int)(fortran));                          \
		emit("print " kind " @0x%" PRIx64 " handle \"0x%" PRIx64 "\"", (uint64_t)(uintptr_t)(variable),        \
		     handle_bits);                                                                                     \
	} while (0)

__attribute__((unused)) static void facts_init(int *argc, char ***argv)
{
#ifdef FACTS_THREADS /* a level of thread support */
	int provided;

	MPI_Init_thread(argc, argv, FACTS_THREADS, &provided);
	TRUST(provided >= FACTS_THREADS);
#else
	MPI_Init(argc, argv);
#endif
	MPI_Comm_rank(MPI_COMM_WORLD, &facts_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &facts_size);
}

/** The last thing before the call that does not return; the others wait for ever. */
__attribute__((unused)) static void emit_ready(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	emit("ready %d", (int)getpid());
	fflush(stdout);
	while (facts_rank)
		pause();
}

#endif /* FACTS_H */
