/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * world [multiple] [fork] [stay]: every rank says who it is, as it knows by itself, and what MPI2DD_info shows in it,
 * as it finds by dlsym. Rank 0 gathers and prints one JSON array, an object for each rank. Built for each MPI.
 *
 * multiple: MPI_Init_thread with MPI_THREAD_MULTIPLE. fork: a forked child's MPI2DD_info is shown in "child".
 * stay: afterwards wait until killed. abort: rank 1 (or 0) ends with MPI_Abort(MPI_COMM_WORLD, 3);
 * mine: the same on a duplicate that is named "mine"; fatal: it ends by an error in MPI_Send, which the default handler
 * gets; handled: such an error is returned, and it goes on.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* RTLD_DEFAULT, RTLD_NEXT */
#endif
#include "../../include/mpi2dd.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 19 };

static char text[TEXT_MAX];
static size_t n_text;

static __attribute__((format(printf, 1, 2))) void emit(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(text + n_text, sizeof(text) - n_text, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(text) - n_text)
		exit(9);
	n_text += (size_t)n;
}

static void emit_address(const char *name, MPI2DD_ADDR_T address)
{
	if (address)
		emit("\"%s\": \"%s\", ", name, (const char *)address);
	else
		emit("\"%s\": null, ", name);
}

static void emit_directories(const char *name, MPI2DD_ADDR_T address, int n)
{
	const struct MPI2DD_DIRECTORYENTRY *table = (const void *)address;

	emit("\"%s\": [", name);
	for (int i = 0; i < n; i++) {
		emit("%s{", i ? ", " : "");
		emit_address("host", table[i].host_name);
		emit_address("executable", table[i].executable_name);
		emit("\"pid\": %d}", table[i].pid);
	}
	emit("], ");
}

static void emit_processes(const struct MPI2DD_INFO *info)
{
	const struct MPI2DD_PROCDESC *table = (const void *)info->proctable;

	emit("\"proctable\": [");
	for (int i = 0; i < info->proctable_size; i++) {
		const struct MPI2DD_SPAWNDESC *spawn = (const void *)table[i].spawn_desc;
		emit("%s{", i ? ", " : "");
		emit_address("host", table[i].host_name);
		emit_address("executable", table[i].executable_name);
		emit_address("world", table[i].comm_world_id);
		if (spawn) {
			emit_address("parent_world", spawn->parent_comm_world_id);
			emit("\"parent_rank\": %d, \"sequence\": %d, ", spawn->parent_rank, spawn->sequence);
		}
		emit("\"pid\": %d, \"rank\": %d}", table[i].pid, table[i].rank);
	}
	emit("], ");
}

static void emit_info(const char *name)
{
	const struct MPI2DD_INFO *info = dlsym(RTLD_DEFAULT, "MPI2DD_info");

	if (!info) {
		emit("\"%s\": null", name);
		return;
	}
	emit("\"%s\": {\"magic\": %d, \"version\": %d, \"variant\": %d, \"state\": %d, ", name,
	     memcmp(info->magic, MPI2DD_MAGIC, MPI2DD_MAGIC_BYTES) == 0, info->version, info->variant,
	     info->debug_state);
	const struct MPI2DD_EXTENSION *extension = (const void *)info->padding;
	emit("\"extension\": %d, ", extension->magic == MPI2DD_EXTENSION_MAGIC ? (int)extension->version : 0);
	emit("\"debugger_flags\": %u, \"mpi_flags\": %u, ", info->debugger_flags, info->mpi_flags);
	emit_address("dll_32", info->dll_name_32);
	emit_address("dll_64", info->dll_name_64);
	emit_address("meta_host", info->meta_host_name);
	emit_address("meta_executable", info->meta_executable_name);
	emit_address("abort", info->abort_string);
	emit_processes(info);
	emit_directories("directories", info->directory_table, info->directory_size);
	emit_directories("metadirectories", info->metadirectory_table, info->metadirectory_size);
	emit("\"directory_table_null\": %d, \"metadirectory_table_null\": %d, ", !info->directory_table,
	     !info->metadirectory_table);
	emit("\"proctable_null\": %d, \"meta_pid\": %d}", !info->proctable, info->meta_pid);
}

/* The lists of plugins by the names that other debuggers look for: the one entry of both, or null. */
static void emit_plugins(void)
{
	char **const *lists[] = { dlsym(RTLD_DEFAULT, "mpidbg_dll_locations"),
				  dlsym(RTLD_DEFAULT, "mpimsgq_dll_locations") };
	bool same = lists[0] && lists[1] && *lists[0] && *lists[1] && (*lists[0])[0] && (*lists[1])[0] &&
		    !(*lists[0])[1] && !(*lists[1])[1] && strcmp((*lists[0])[0], (*lists[1])[0]) == 0;

	emit_address("plugins", same ? (MPI2DD_ADDR_T)(*lists[0])[0] : 0);
}

/* As Open MPI does within MPI_Init when a debugger has started the job through MPIR. */
static void forget_plugins(void)
{
	char ***list = dlsym(RTLD_DEFAULT, "mpimsgq_dll_locations");

	if (list)
		*list = NULL;
}

/* File descriptors of this process: how many low ones, and every high one. */
static void emit_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int low = 0, high = 0;

	for (struct dirent *e; d && (e = readdir(d));) {
		int fd = atoi(e->d_name);
		if (e->d_name[0] == '.' || fd == dirfd(d))
			continue;
		*(fd < 512 ? &low : &high) += 1;
	}
	if (d)
		closedir(d);
	emit("\"low_descriptors\": %d, \"high_descriptors\": %d, ", low, high);
}

/* What a forked child shows: it writes into a pipe. */
static void emit_child(void)
{
	int ends[2];
	size_t start = n_text;

	if (pipe(ends) != 0)
		exit(9);
	pid_t child = fork();
	if (child == 0) {
		emit(", ");
		emit_info("child");
		_exit(write(ends[1], text + start, n_text - start) == (ssize_t)(n_text - start) ? 0 : 9);
	}
	close(ends[1]);
	for (ssize_t n; (n = read(ends[0], text + n_text, sizeof(text) - 1 - n_text)) > 0;)
		n_text += (size_t)n;
	text[n_text] = '\0';
	close(ends[0]);
	waitpid(child, NULL, 0);
}

static void gather(int rank, int size)
{
	int n = (int)n_text, *sizes = calloc((size_t)size, sizeof(int)), *starts = calloc((size_t)size, sizeof(int)),
	    all = 0;

	MPI_Gather(&n, 1, MPI_INT, sizes, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 0; i < size; i++) {
		starts[i] = all;
		all += sizes[i];
	}
	char *together = malloc((size_t)all + 1);
	MPI_Gatherv(text, n, MPI_CHAR, together, sizes, starts, MPI_CHAR, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		printf("[");
		for (int i = 0; i < size; i++)
			printf("%s%.*s", i ? ",\n" : "", sizes[i], together + starts[i]);
		printf("]\n");
		fflush(stdout);
	}
	free(sizes);
	free(starts);
	free(together);
}

int main(int argc, char **argv)
{
	char host[256] = "", executable[PATH_MAX] = "";
	bool multiple = false, forks = false, stay = false, ends = false, mine = false, fatal = false, handled = false;
	MPI_Comm comm = MPI_COMM_WORLD;
	int rank, size, provided = -1, flag = 1, n_waiting;

	for (int i = 1; i < argc; i++) {
		multiple = multiple || strcmp(argv[i], "multiple") == 0;
		forks = forks || strcmp(argv[i], "fork") == 0;
		stay = stay || strcmp(argv[i], "stay") == 0;
		fatal = fatal || strcmp(argv[i], "fatal") == 0;
		handled = handled || strcmp(argv[i], "handled") == 0;
		mine = mine || strcmp(argv[i], "mine") == 0;
		ends = ends || mine || strcmp(argv[i], "abort") == 0;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	forget_plugins();
	if (multiple)
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	else
		MPI_Init(&argc, &argv);
	/* Nothing of ours is left in the queues: everybody looks before anybody sends. */
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	n_waiting = flag != 0;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	gethostname(host, sizeof(host) - 1);
	if (readlink("/proc/self/exe", executable, sizeof(executable) - 1) < 0)
		exit(9);
	emit("{\"rank\": %d, \"size\": %d, \"pid\": %d, \"host\": \"%s\", \"executable\": \"%s\", \"provided\": %d, ",
	     rank, size, (int)getpid(), host, executable, provided);
	emit("\"messages_waiting\": %d, ", n_waiting);
	emit_descriptors();
	emit_plugins();
	emit_info("info");
	if (forks)
		emit_child();
	emit("}");
	gather(rank, size);
	if (mine) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		MPI_Comm_set_name(comm, "mine");
	}
	if (handled)
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (fatal || handled)
		MPI_Send(&flag, 1, MPI_INT, 1 << 20, 0, MPI_COMM_WORLD);
	if (ends && rank == (size > 1))
		MPI_Abort(comm, 3);
	if (stay || ends)
		for (;;)
			pause();
	MPI_Finalize();
	return 0;
}
