/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank: communicators until there can be no more, then MPI_Comm_idup twice where there is room for one, completed
 * in each way. What was made is said to be there (facts.h), and "made N failed N" how many were made and how many not.
 * With FACTS_END in the environment the program ends then.
 */
#include "facts.h"

enum { MAX = 200000, WAYS = 6 };

static MPI_Comm all[MAX];
static MPI_Request requests[2];
static MPI_Status statuses[2];

static void complete(int way, int *succeeded)
{
	int indices[2], n = 0, flag = 0, rc;

	succeeded[0] = succeeded[1] = 0;
	switch (way) {
	case 0:
	case 1:
		for (int i = 0; i < 2; i++) {
			do
				rc = way ? MPI_Test(&requests[i], &flag, &statuses[i])
					 : MPI_Wait(&requests[i], &statuses[i]);
			while (way && rc == MPI_SUCCESS && !flag);
			succeeded[i] = rc == MPI_SUCCESS;
		}
		break;
	case 2:
	case 3:
		do
			rc = way == 3 ? MPI_Testall(2, requests, &flag, statuses) : MPI_Waitall(2, requests, statuses);
		while (way == 3 && rc == MPI_SUCCESS && !flag);
		for (int i = 0; i < 2; i++)
			if (rc == MPI_ERR_IN_STATUS && statuses[i].MPI_ERROR == MPI_ERR_PENDING)
				succeeded[i] = MPI_Wait(&requests[i], MPI_STATUS_IGNORE) == MPI_SUCCESS;
			else
				succeeded[i] = rc == MPI_SUCCESS || statuses[i].MPI_ERROR == MPI_SUCCESS;
		break;
	default:
		while (requests[0] != MPI_REQUEST_NULL || requests[1] != MPI_REQUEST_NULL) {
			n = 0;
			rc = way == 5 ? MPI_Testsome(2, requests, &n, indices, statuses)
				      : MPI_Waitsome(2, requests, &n, indices, statuses);
			TRUST(rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS);
			for (int i = 0; i < n; i++)
				succeeded[indices[i]] = rc == MPI_SUCCESS || statuses[i].MPI_ERROR == MPI_SUCCESS;
		}
	}
}

int main(int argc, char **argv)
{
	static MPI_Comm made[2 * WAYS];
	int n = 0, n_made = 0, n_failed = 0;

	facts_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	while (n < MAX && MPI_Comm_dup(MPI_COMM_WORLD, &all[n]) == MPI_SUCCESS)
		n++;
	TRUST(n > WAYS && n < MAX);
	for (int way = 0; way < WAYS; way++) {
		MPI_Comm two[2];
		int succeeded[2], rc[2];

		MPI_Comm_free(&all[--n]);
		for (int i = 0; i < 2; i++) {
			rc[i] = MPI_Comm_idup(MPI_COMM_WORLD, &two[i], &requests[i]);
			if (rc[i] != MPI_SUCCESS)
				requests[i] = MPI_REQUEST_NULL;
		}
		complete(way, succeeded);
		for (int i = 0; i < 2; i++)
			if (rc[i] == MPI_SUCCESS && succeeded[i])
				made[n_made++] = two[i];
			else
				n_failed++;
	}
	while (n)
		MPI_Comm_free(&all[--n]);
	for (int i = 0; i < n_made; i++)
		FACT("comm", made[i], "made_by", "\"MPI_Comm_idup\"");
	emit("made %d failed %d", n_made, n_failed);
	if (getenv("FACTS_END"))
		return MPI_Finalize();
	emit_ready();
	pause();
	return 0;
}
