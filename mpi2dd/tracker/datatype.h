/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file datatype.h
 * Datatypes: the constructor, its arguments as passed, and the constituent types. See objects.h.
 *
 * The row of a constructor collects the arguments in the order of MPI_Type_get_contents:
 *
 *  struct trk_contents c; trk_contents_begin(&c, MPI_COMBINER_VECTOR);
 *  trk_integer(&c, count); trk_integer(&c, blocklength) ... trk_datatype_made(&c, 1, &oldtype, *newtype)
 */
#ifndef TRK_DATATYPE_H
#define TRK_DATATYPE_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/** One argument: an array of the program, or a number. */
struct trk_list {
	const void *at; /**< NULL: `number` is the argument */
	size_t n;
	unsigned bytes; /**< size of an element: int, MPI_Aint or MPI_Count */
	int64_t number;
};

enum { TRK_LISTS_MAX = 8 };

struct trk_contents {
	int combiner;
	unsigned n_integers, n_addresses;
	struct trk_list integers[TRK_LISTS_MAX], addresses[TRK_LISTS_MAX];
};

static inline void trk_contents_begin(struct trk_contents *c, int combiner)
{
	c->combiner = combiner;
	c->n_integers = c->n_addresses = 0;
}

static inline void trk_integer(struct trk_contents *c, int64_t number)
{
	c->integers[c->n_integers++] = (struct trk_list){ .n = 1, .number = number };
}

static inline void trk_address(struct trk_contents *c, int64_t number)
{
	c->addresses[c->n_addresses++] = (struct trk_list){ .n = 1, .number = number };
}

/** Append an array of int, MPI_Aint or MPI_Count. It is not copied until trk_datatype_made(). */
#define trk_integers(c, n, array)  ((c)->integers[(c)->n_integers++] = trk_list_of((n), (array), sizeof((array)[0])))
#define trk_addresses(c, n, array) ((c)->addresses[(c)->n_addresses++] = trk_list_of((n), (array), sizeof((array)[0])))

static inline struct trk_list trk_list_of(int64_t n, const void *array, size_t element_bytes)
{
	return (struct trk_list){ .at = array, .n = n > 0 ? (size_t)n : 0, .bytes = (unsigned)element_bytes };
}

/** A datatype with @p n constituents was created. */
void trk_datatype_made(const struct trk_contents *c, int64_t n, const MPI_Datatype types[], MPI_Datatype type);

/** MPI_Type_dup: the attributes are duplicated as well. */
void trk_datatype_duplicated(MPI_Datatype from, MPI_Datatype type);

/** MPI_Type_create_f90_real and similar: predefined types of the library; the same arguments give the same handle. */
void trk_datatype_f90(int combiner, int n, const int arguments[], MPI_Datatype type);

void trk_datatype_committed(MPI_Datatype type);

/**
 * MPI_Type_get_contents: the program has received handles of the constituents, or of copies of them.
 *
 * @param max number of elements of @p types; the call wrote as many as there are constituents
 */
void trk_datatypes_returned(MPI_Datatype container, int64_t max, const MPI_Datatype types[]);

/**
 * MPI_File_get_view: the program has received @p type, a handle of the datatype with number @p id, whose record is
 * pinned by @p pin.
 */
void trk_datatype_returned(uint32_t pin, uint64_t id, MPI_Datatype type);

/** Query the size and extent of a recorded datatype. */
void trk_datatype_query(uint64_t handle);

#pragma GCC visibility pop

#endif /* TRK_DATATYPE_H */
