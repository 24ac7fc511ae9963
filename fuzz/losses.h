/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file losses.h
 * What a reader finds in a process, by number, to compare damaged memory with the undamaged: memory that answers with
 * fewer communicators, operations or objects and without a problem hides something.
 */
#ifndef FUZZ_LOSSES_H
#define FUZZ_LOSSES_H

#include "../readers/reader.h"
#include "../readers/tracked/tracked.h"

struct fuzz_seen {
	uint64_t n_comms, n_ops[MDL_N_CLASSES], n_objects[MDL_N_HANDLE_KINDS];
	bool partial; /**< something could not be read, or contradicts itself */
};

/** Walk everything, with internal, complete and inactive operations. */
void fuzz_see(struct rd_process *p, struct fuzz_seen *ret);

/** Communicators and operations alone. */
void fuzz_see_queues(struct rd_process *p, struct fuzz_seen *ret);

/** The objects alone: of a registry, or of an MPI's memory. @p ret is all zero before. */
void fuzz_see_objects(struct rd_track *t, struct fuzz_seen *ret);

/** Has @p now less than @p whole, without a problem? @return what: "communicators", "sends" ...; NULL: no */
const char *fuzz_lost(const struct fuzz_seen *whole, const struct fuzz_seen *now);

enum { FUZZ_SINGLE_MAX = 1 << 16, FUZZ_TAGS_MAX = 1 << 10 };

/**
 * Addresses of words that memory has once, and that decide what an operation is: the kind of a request, and whether it
 * is complete, in use or persistent; and what tells that an allocation is an open file. A change is a different
 * operation or allocation, which nothing contradicts.
 *
 * @param[out] ret sorted; room for FUZZ_SINGLE_MAX
 * @return how many
 */
size_t fuzz_single(struct rd_process *p, uint64_t *ret);

/** Is @p addr in the word of one of these? */
bool fuzz_is_single(const uint64_t *single, size_t n, uint64_t addr);

/**
 * Words that memory has once, but that only some changes make a different operation, which nothing contradicts: tag
 * words of MPICH's requests over UCX.
 */
struct fuzz_tags {
	struct {
		uint64_t addr;
		int32_t context; /**< of the communicator that the request names; -1: none */
	} words[FUZZ_TAGS_MAX];
	size_t n;
	bool contexts[UINT16_MAX + 1]; /**< of the communicators that exist */
};

/** Of a process that uses MPICH; otherwise none. */
void fuzz_find_tags(struct rd_process *p, struct fuzz_tags *ret);

/**
 * Is one of the tag words at @p addr, which with @p value names a communicator that exists, or its collectives, and
 * none other than that of its request?
 */
bool fuzz_is_tag(const struct fuzz_tags *tags, uint64_t addr, uint64_t value);

#endif /* FUZZ_LOSSES_H */
