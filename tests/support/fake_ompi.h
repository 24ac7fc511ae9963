/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file fake_ompi.h
 * A simulated process of Open MPI: a fake with communicators, queues and requests of pml/ob1.
 *
 *     struct fake_ompi *m = fake_ompi_create(8, false, 4, 1);          rank 1 of 4, MPI initialised
 *     fake_ompi_post(m, m->world, 2, 99, 5);                           MPI_Irecv of 5 ints from 2, tag 99
 *     fake_ompi_message(m, m->world, 3, 7, 100, MDL_EAGER);            an unexpected message of 100 bytes
 *     struct rd_process *p = fake_ompi_open(m);                        by the debugger's types
 *     ...
 *     rd_close(p);
 *     fake_ompi_destroy(m);                                            fails the test when memory leaked
 *
 * Everything is at the offsets of the fake's layout, so a test changes or damages a field with fake_put_u().
 */
#ifndef FAKE_OMPI_H
#define FAKE_OMPI_H

#include "fake.h"

#include "../../readers/openmpi/schema.h"
#include "../../readers/reader.h"

enum {
	FAKE_OMPI_PROCS = 64, /**< processes that have an ompi_proc_t */
	FAKE_OMPI_CLASSES = 24,
	FAKE_OMPI_SLOTS = 4096, /**< slots of the table of communicators */
	FAKE_OMPI_ITEM_ALIGN = 128,
};

/** Jobs. */
#define FAKE_OMPI_JOB       UINT32_C(0x12340001)
#define FAKE_OMPI_OTHER_JOB UINT32_C(0x12340002)

/** A free list: its object, and the used part of its chunks. */
struct fake_ompi_list {
	uint64_t addr;
	unsigned type;
	uint64_t class_addr, stride;
	uint64_t next, left; /**< next unused item, and how many the last chunk has left */
	uint64_t n;
};

struct fake_ompi {
	struct fake *f;
	struct acc_space sp;
	int size, rank;
	bool since_50; /**< as Open MPI 5.0, else as 4.1 */
	struct {
		const char *name;
		uint64_t addr;
	} classes[FAKE_OMPI_CLASSES];
	unsigned n_classes;
	uint64_t procs[FAKE_OMPI_PROCS]; /**< ompi_proc_t of the ranks of the world */
	uint64_t table, slots;           /**< ompi_mpi_communicators and its array */
	uint64_t world, self, null;
	uint64_t dt_int, dt_user; /**< MPI_INT (4 bytes) and one without a name (24 bytes) */
	uint64_t windows, files;  /**< pointer arrays, empty at first */
	uint64_t ob1;
	struct fake_ompi_list sends, receives, frags, collectives;
	int next_context;
	uint32_t sequence; /**< of receives, over all communicators */
};

/** A process with MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL and empty queues. @p size at most FAKE_OMPI_PROCS. */
struct fake_ompi *fake_ompi_create(unsigned word_bytes, bool big_endian, int size, int rank);

/** The same in the form of Open MPI 5.0: c_index exists, c_name is a pointer, c_contextid is a structure. */
struct fake_ompi *fake_ompi_create_50(unsigned word_bytes, bool big_endian, int size, int rank);

/**
 * The same, laid out by @p pack, with the class sizes and the version text by which the pack is recognized. Types
 * are unknown, so that a reader needs a pack.
 *
 * @param version one of the pack's releases
 */
struct fake_ompi *fake_ompi_create_as(const struct acc_pack *pack, const char *version, int size, int rank);

/** Release. Takes NULL. */
void fake_ompi_destroy(struct fake_ompi *m);

/** Open it by types, or with one pack. Ends the test when that fails. */
struct rd_process *fake_ompi_open(struct fake_ompi *m);

/** The class object with this name, created on first use. */
uint64_t fake_ompi_class(struct fake_ompi *m, const char *name);

/** A new object of a type with its class. */
uint64_t fake_ompi_new(struct fake_ompi *m, unsigned type, const char *class_name);

/** An ompi_proc_t. */
uint64_t fake_ompi_proc(struct fake_ompi *m, uint32_t job, uint32_t vpid);

/** A dense group of @p n entries (pointers or sentinels). */
uint64_t fake_ompi_group(struct fake_ompi *m, const uint64_t *entries, int n, int my_rank);

/**
 * A communicator in the next slot, of the first @p size ranks of the world.
 *
 * @param remote 0: an intracommunicator, else a group
 */
uint64_t fake_ompi_comm(struct fake_ompi *m, const char *name, int size, int rank, uint64_t remote);

/** The data of ob1 for a peer of a communicator, created on first use. */
uint64_t fake_ompi_peer(struct fake_ompi *m, uint64_t comm, int peer);

/** Append the item to the opal_list_t at @p list. */
void fake_ompi_append(struct fake_ompi *m, uint64_t list, uint64_t item);

/** The next unused item of a free list. */
uint64_t fake_ompi_item(struct fake_ompi *m, struct fake_ompi_list *list);

/** A receive of @p count MPI_INT from the free list, not posted; a posted one. Peer and tag -1: any. */
uint64_t fake_ompi_receive(struct fake_ompi *m, uint64_t comm, int peer, int tag, int count);
uint64_t fake_ompi_post(struct fake_ompi *m, uint64_t comm, int peer, int tag, int count);

/** Mark a receive as matched with a message. */
void fake_ompi_match(struct fake_ompi *m, uint64_t request, int source, int tag, uint64_t bytes);

/** An active send of @p count MPI_INT. @p mode as in req_send_mode: 0 synchronous, 2 buffered, 3 ready, 4 standard. */
uint64_t fake_ompi_send(struct fake_ompi *m, uint64_t comm, int peer, int tag, int count, int mode);

/** A fragment, in no list. */
uint64_t fake_ompi_frag(struct fake_ompi *m, uint64_t comm, int source, int tag, uint64_t bytes,
			enum mdl_protocol protocol, int sequence);

/** An unexpected message. @return the fragment. */
uint64_t fake_ompi_message(struct fake_ompi *m, uint64_t comm, int source, int tag, uint64_t bytes,
			   enum mdl_protocol protocol);

/** A non-blocking collective in flight. */
uint64_t fake_ompi_collective(struct fake_ompi *m, uint64_t comm, int tag);

/** Set the contents of a pointer array (windows, files). */
void fake_ompi_array(struct fake_ompi *m, uint64_t array, const uint64_t *values, int n);

/** Operations that fake_ompi_walk() has found; v has the first ones. */
enum { FAKE_OMPI_OPS = 512 };
struct fake_ompi_ops {
	struct mdl_op v[FAKE_OMPI_OPS];
	size_t n;
	uint64_t n_bad;
};

/**
 * Walk over one class of operations of a communicator; 0: those of none. The walk must begin.
 *
 * @return how it ended; a walk that has ended stays at its end
 */
enum acc_rc fake_ompi_walk(struct rd_process *p, uint64_t comm_addr, enum mdl_op_class op_class, bool all,
			   struct fake_ompi_ops *ret);

/** Walk over everything that the reader has, all classes of all
 * communicators. @return operations and communicators seen. */
struct fake_ompi_seen {
	uint64_t n_comms, n_ops, n_bad, n_failures;
};
struct fake_ompi_seen fake_ompi_see(struct rd_process *p, bool all);

#endif /* FAKE_OMPI_H */
