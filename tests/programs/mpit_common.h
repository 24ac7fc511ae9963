/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpit_common.h
 * What the programs share that try the rules of MPI_T in themselves. Each prints a line per rule, "pass NUMBER" or
 * "fail NUMBER: what", with the numbers of docs/mpi_t.md, and ends with 1 when a rule is broken.
 */
#ifndef MPIT_COMMON_H
#define MPIT_COMMON_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "mpit_weak.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int n_bad;

static inline void rule(const char *number, bool holds, const char *what)
{
	if (holds)
		printf("pass %s\n", number);
	else
		printf("fail %s: %s\n", number, what);
	fflush(stdout);
	n_bad += !holds;
}

/* ---- descriptions of variables, event types, categories ------------------------------------------------------- */

enum { SAID_ELEMENTS = 16 };

struct said {
	char name[1024], desc[8192];
	int verbosity, bind, scope, var_class, readonly, continuous, atomic;
	int n_elements;
	MPI_Datatype datatype, elements[SAID_ELEMENTS];
	MPI_Aint places[SAID_ELEMENTS];
	MPI_T_enum enumtype;
};

static inline int ask_cvar(int i, struct said *s)
{
	int name = sizeof s->name, desc = sizeof s->desc;

	memset(s, 0, sizeof *s);
	return MPI_T_cvar_get_info(i, s->name, &name, &s->verbosity, &s->datatype, &s->enumtype, s->desc, &desc,
				   &s->bind, &s->scope);
}

static inline int ask_pvar(int i, struct said *s)
{
	int name = sizeof s->name, desc = sizeof s->desc;

	memset(s, 0, sizeof *s);
	return MPI_T_pvar_get_info(i, s->name, &name, &s->verbosity, &s->var_class, &s->datatype, &s->enumtype, s->desc,
				   &desc, &s->bind, &s->readonly, &s->continuous, &s->atomic);
}

static inline int ask_event(int i, struct said *s)
{
	int name = sizeof s->name, desc = sizeof s->desc;

	memset(s, 0, sizeof *s);
	s->n_elements = SAID_ELEMENTS;
	return MPI_T_event_get_info(i, s->name, &name, &s->verbosity, s->elements, s->places, &s->n_elements,
				    &s->enumtype, NULL, s->desc, &desc, &s->bind);
}

static inline int ask_category(int i, struct said *s)
{
	int name = sizeof s->name, desc = sizeof s->desc;

	memset(s, 0, sizeof *s);
	return MPI_T_category_get_info(i, s->name, &name, s->desc, &desc, NULL, NULL, NULL);
}

/** Is it one of the library's own? */
static inline bool is_own(const struct said *s)
{
	return strncasecmp(s->name, "mpi2dd", 6) == 0;
}

static inline bool same(const struct said *a, const struct said *b)
{
	bool ret = strcmp(a->name, b->name) == 0 && strcmp(a->desc, b->desc) == 0 && a->verbosity == b->verbosity &&
		   a->bind == b->bind && a->scope == b->scope && a->datatype == b->datatype &&
		   a->enumtype == b->enumtype && a->var_class == b->var_class && a->readonly == b->readonly &&
		   a->continuous == b->continuous && a->atomic == b->atomic && a->n_elements == b->n_elements;

	for (int i = 0; i < a->n_elements && i < SAID_ELEMENTS; i++)
		ret = ret && a->elements[i] == b->elements[i] && a->places[i] == b->places[i];
	return ret;
}

/* ---- sets of names ---------------------------------------------------------------------------------------------- */

static inline int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/** Are they all different? Frees them. */
static inline bool unique(char **names, int n)
{
	bool ret = true;

	qsort(names, (size_t)n, sizeof *names, compare_names);
	for (int i = 1; i < n; i++)
		ret = ret && strcmp(names[i - 1], names[i]) != 0;
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return ret;
}

/* ---- datatypes -------------------------------------------------------------------------------------------------- */

/** Bytes of a type that MPI_T may return, also before MPI_Init; 0: not one of these. */
static inline size_t bytes_of(MPI_Datatype type)
{
	const struct {
		MPI_Datatype type;
		size_t bytes;
	} known[] = {
		{ MPI_INT, sizeof(int) },
		{ MPI_INT32_T, 4 },
		{ MPI_INT64_T, 8 },
		{ MPI_UNSIGNED, sizeof(int) },
		{ MPI_UNSIGNED_LONG, sizeof(long) },
		{ MPI_UNSIGNED_LONG_LONG, 8 },
		{ MPI_UINT32_T, 4 },
		{ MPI_UINT64_T, 8 },
		{ MPI_COUNT, sizeof(MPI_Count) },
		{ MPI_CHAR, 1 },
		{ MPI_DOUBLE, sizeof(double) },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (known[i].type == type)
			return known[i].bytes;
	return 0;
}

/** As bytes_of(), with the two that Open MPI has and the standard's table has not. */
static inline size_t bytes_of_host(MPI_Datatype type)
{
	if (type == MPI_C_BOOL)
		return 1;
	return type == MPI_LONG ? sizeof(long) : bytes_of(type);
}

static inline bool is_bind(int bind)
{
	static const int known[] = { MPI_T_BIND_NO_OBJECT,      MPI_T_BIND_MPI_COMM,    MPI_T_BIND_MPI_DATATYPE,
				     MPI_T_BIND_MPI_ERRHANDLER, MPI_T_BIND_MPI_FILE,    MPI_T_BIND_MPI_GROUP,
				     MPI_T_BIND_MPI_OP,         MPI_T_BIND_MPI_REQUEST, MPI_T_BIND_MPI_WIN,
				     MPI_T_BIND_MPI_MESSAGE,    MPI_T_BIND_MPI_INFO };

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (known[i] == bind)
			return true;
#if defined(MPI_T_BIND_MPI_SESSION)
	return bind == MPI_T_BIND_MPI_SESSION;
#else
	return false;
#endif
}

static inline bool is_verbosity(int verbosity)
{
	static const int known[] = { MPI_T_VERBOSITY_USER_BASIC,   MPI_T_VERBOSITY_USER_DETAIL,
				     MPI_T_VERBOSITY_USER_ALL,     MPI_T_VERBOSITY_TUNER_BASIC,
				     MPI_T_VERBOSITY_TUNER_DETAIL, MPI_T_VERBOSITY_TUNER_ALL,
				     MPI_T_VERBOSITY_MPIDEV_BASIC, MPI_T_VERBOSITY_MPIDEV_DETAIL,
				     MPI_T_VERBOSITY_MPIDEV_ALL };

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (known[i] == verbosity)
			return true;
	return false;
}

/* ---- when ------------------------------------------------------------------------------------------------------- */

/**
 * main(): run the rules before MPI_Init, during, after MPI_Finalize, or all three in this process one after the other,
 * as the argument says, each between MPI_T_init_thread and MPI_T_finalize.
 */
static inline int run_when(int argc, char **argv, void (*rules)(void))
{
	const char *when = argc > 1 ? argv[1] : "all";
	static const char *const times[] = { "before", "during", "after" };
	bool all = strcmp(when, "all") == 0;
	int provided;

	for (int i = 0; i < 3; i++) {
		if (i == 1)
			MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
		if (i == 2)
			MPI_Finalize();
		if (!all && strcmp(when, times[i]) != 0)
			continue;
		MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
		rules();
		MPI_T_finalize();
	}
	return n_bad != 0;
}

/** Is MPI up? */
static inline bool is_up(void)
{
	int initialized = 0, finalized = 1;

	MPI_Initialized(&initialized);
	MPI_Finalized(&finalized);
	return initialized && !finalized;
}

/** Has MPI_Init been called, whether or not MPI_Finalize has been since? */
static inline bool is_or_was_up(void)
{
	int initialized = 0;

	MPI_Initialized(&initialized);
	return initialized;
}

#endif /* MPIT_COMMON_H */
