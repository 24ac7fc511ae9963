/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Comm_split of a communicator that another thread frees, and whose handle value is another communicator's before
 * the new one is recorded: that one is not its parent, and its members are not known. Two ranks, each with a
 * communicator of its own, in which its rank is 0.
 */
#include "swapped/swapped.h"
#include "track_object.h"

#include <pthread.h>
#include <semaphore.h>

enum { TRIES = 64 };

static sem_t asked, swapped;
static MPI_Comm parent, others[TRIES];
static int n_others;

static void swap_now(void)
{
	sem_post(&asked);
	while (sem_wait(&swapped))
		;
}

static void *swapper(void *data)
{
	(void)data;
	while (sem_wait(&asked))
		;
	MPI_Comm was = parent;
	MPI_Comm_free(&parent);
	while (n_others < TRIES && (n_others == 0 || others[n_others - 1] != was))
		MPI_Comm_dup(MPI_COMM_SELF, &others[n_others++]);
	sem_post(&swapped);
	return NULL;
}

int main(int argc, char *argv[])
{
	MPI_Comm part, was;
	pthread_t thread;
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	registry_open();
	if (provided == MPI_THREAD_MULTIPLE) {
		sem_init(&asked, 0, 0);
		sem_init(&swapped, 0, 0);
		MPI_Comm_dup(MPI_COMM_SELF, &parent);
		was = swapped_comm = parent;
		swapped_after = swap_now;
		pthread_create(&thread, NULL, swapper, NULL);
		MPI_Comm_split(parent, 0, 0, &part);
		pthread_join(thread, NULL);
		EXPECT(swapped_after == NULL);
		EXPECT(others[n_others - 1] == was);
		const struct trk_comm *r = COMM(part);
		REQUIRE(r);
		EXPECT_CALL(r, "MPI_Comm_split");
		EXPECT_IS(r->parent, 0);
		EXPECT_IS(r->size, 1);
		EXPECT_IS(r->members.total, 1);
		EXPECT_IS(r->members.n, 0);
		EXPECT_IS(COMM(others[n_others - 1])->parent, COMM(MPI_COMM_SELF)->id);
		while (n_others)
			MPI_Comm_free(&others[--n_others]);
		MPI_Comm_free(&part);
	}
	MPI_Finalize();
	return registry_close();
}
