/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_orders STEPS: start and end of MPI and of MPI_T in any order. STEPS: a letter each: M MPI_Init, m MPI_Finalize,
 * T MPI_T_init_thread, t MPI_T_finalize, f fork (the child uses MPI_T and ends), p everything from another thread.
 * After each step MPI works if it is up, and MPI_T exactly if it is started.
 */
#include "mpit_common.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int started;
static char value[1 << 18];

/* Use each part of MPI_T once. @return true: all results are correct */
static bool use(void)
{
	int n = -1, index, count, k;
	MPI_T_cvar_handle h;
	MPI_T_pvar_session s;

	if (!started)
		return MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED &&
		       MPI_T_event_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED &&
		       MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED;
	bool right = MPI_T_cvar_get_num(&n) == MPI_SUCCESS && n > 0 &&
		     MPI_T_cvar_get_index("MPI2DD_VERSION", &index) == MPI_SUCCESS &&
		     MPI_T_cvar_handle_alloc(index, NULL, &h, &count) == MPI_SUCCESS &&
		     MPI_T_cvar_read(h, value) == MPI_SUCCESS && MPI_T_cvar_handle_free(&h) == MPI_SUCCESS &&
		     MPI_T_pvar_session_create(&s) == MPI_SUCCESS && MPI_T_pvar_session_free(&s) == MPI_SUCCESS &&
		     MPI_T_category_get_num(&k) == MPI_SUCCESS && k > 0 && MPI_T_event_get_num(&k) == MPI_SUCCESS;
	/* read description and value of every variable: nothing may crash */
	for (int i = 0; i < n; i++) {
		int bind = -1;
		right = right &&
			MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL) == MPI_SUCCESS;
		if (bind == MPI_T_BIND_NO_OBJECT && MPI_T_cvar_handle_alloc(i, NULL, &h, &count) == MPI_SUCCESS) {
			MPI_T_cvar_read(h, value);
			right = right && MPI_T_cvar_handle_free(&h) == MPI_SUCCESS;
		}
	}
	return right;
}

static bool mpi_works(void)
{
	int sent = 42, got = 0;

	return !is_up() || (MPI_Sendrecv(&sent, 1, MPI_INT, 0, 3, &got, 1, MPI_INT, 0, 3, MPI_COMM_SELF,
					 MPI_STATUS_IGNORE) == MPI_SUCCESS &&
			    got == 42);
}

static void *use_in_thread(void *right)
{
	int provided = -1;

	*(bool *)right = MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS && provided >= 0;
	started++;
	*(bool *)right = use() && *(bool *)right;
	started--;
	*(bool *)right = MPI_T_finalize() == MPI_SUCCESS && *(bool *)right;
	return NULL;
}

static bool forked(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		bool right = use();
		_exit(right ? 7 : 1);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static bool step(char what, int *argc, char ***argv)
{
	int provided = -1, level = -1, before = -1;
	pthread_t thread;
	bool right = false;

	if (is_up())
		MPI_Query_thread(&before);
	switch (what) {
	case 'M':
		return MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided) == MPI_SUCCESS;
	case 'm':
		return MPI_Finalize() == MPI_SUCCESS;
	case 'T':
		right = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS && provided >= 0;
		started++;
		break;
	case 't':
		right = MPI_T_finalize() == MPI_SUCCESS;
		started--;
		break;
	case 'f':
		return forked();
	case 'p':
		pthread_create(&thread, NULL, use_in_thread, &right);
		pthread_join(thread, NULL);
		break;
	default:
		return false;
	}
	if (is_up())
		MPI_Query_thread(&level);
	rule("C21", level == before, "MPI_T has changed MPI's thread level");
	return right;
}

int main(int argc, char **argv)
{
	const char *steps = argc > 1 ? argv[1] : "TMtm";
	char what[64];

	if (!MPI_T_event_get_num) {
		puts("fail C20: no event functions");
		return 1;
	}
	for (int i = 0; steps[i]; i++) {
		snprintf(what, sizeof what, "step %d, %c, of %.30s", i + 1, steps[i], steps);
		bool right = step(steps[i], &argc, &argv) && use() && mpi_works();
		rule("C20", right, what);
		rule("C18", right, what);
		rule("C19", right, what);
	}
	return n_bad != 0;
}
