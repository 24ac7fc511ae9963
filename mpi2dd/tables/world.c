/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library does in MPI_Init. Roles: each process is either its node's directory (local rank 0) or a plain
 * member, and rank 0 of the world is the metadirectory. A process that finds no others lists only itself.
 */
#include "world.h"

#include "../../include/mpi2dd.h"
#include "../calls/calls.h"
#include "counts.h"
#include "directory.h"
#include "events.h"
#include "exchange.h"
#include "identity.h"
#include "info.h"
#include "alloc_permanent.h"
#include "launch.h"
#include "link.h"
#include "message.h"
#include "node.h"
#include "settings.h"
#include "starter.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { DECIDE_MS = M2D_STARTER_DECIDE_MS + 5000 };

static struct m2d_launch launch;
static bool announced, hello_counted;

/* ---- before the real MPI_Init -------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void find_identity(void)
{
	char host[HOST_NAME_MAX + 1] = "", executable[PATH_MAX] = "";

	if (gethostname(host, sizeof(host)) != 0)
		host[0] = '\0';
	host[HOST_NAME_MAX] = '\0';
	ssize_t n = readlink("/proc/self/exe", executable, sizeof(executable) - 1);
	executable[n > 0 ? n : 0] = '\0';
	const char *kept_host = m2d_copy_permanent(host), *kept_executable = m2d_copy_permanent(executable);
	m2d_world.host = kept_host ? kept_host : "";
	m2d_world.executable = kept_executable ? kept_executable : "";
	m2d_world.pid = (int)getpid();
}

void m2d_world_before_init(void)
{
	int saved = errno;
	uint64_t start = now_ns();

	if (!announced) {
		announced = true;
		find_identity();
		m2d_launch_read(m2d_world.host, &launch);
		if (launch.known) {
			m2d_node_listen(&launch, m2d_world.host);
			if (launch.local_rank == 0 && launch.local_size != launch.world_size && m2d_starter_known())
				hello_counted = m2d_starter_hello(launch.job, launch.world_rank, launch.local_size);
		}
		m2d_link_before_init();
	}
	m2d_counts.nanoseconds += now_ns() - start;
	errno = saved;
}

/* ---- after it: what is published ----------------------------------------------------------------- */

static struct m2d_process own_process(void)
{
	return (struct m2d_process){ m2d_world.host, m2d_world.executable, m2d_world.pid, m2d_world.rank };
}

/* A world ID that is unique on all hosts: host, time, process and a counter. */
static const char *new_id(void)
{
	static int counter;
	char text[HOST_NAME_MAX + 80] = "";
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	m2d_text_add(text, sizeof(text), m2d_world.host);
	m2d_text_add(text, sizeof(text), "-");
	m2d_text_add_number(text, sizeof(text), (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000);
	m2d_text_add(text, sizeof(text), "-");
	m2d_text_add_number(text, sizeof(text), m2d_world.pid);
	m2d_text_add(text, sizeof(text), "-");
	m2d_text_add_number(text, sizeof(text), counter++);
	const char *kept = m2d_copy_permanent(text);
	return kept ? kept : "";
}

/* The launcher's name of the world: known to all its processes without communication. */
static const char *launcher_id(void)
{
	return launch.job;
}

static void set_world(bool complete, const char *id, const char *meta_host, const char *meta_executable, int meta_pid)
{
	m2d_world.complete = complete;
	m2d_world.id = id;
	m2d_world.meta_host = meta_host;
	m2d_world.meta_executable = meta_executable;
	m2d_world.meta_pid = meta_pid;
}

static void become_metadirectory(bool complete, const char *id, const struct m2d_process *directories, size_t n)
{
	set_world(complete, id, m2d_world.host, m2d_world.executable, m2d_world.pid);
	m2d_directory_set_directories(directories, n);
	m2d_link_after_init();
}

static void fill_proctable(const struct m2d_process *processes, size_t n)
{
	m2d_directory_set_meta(m2d_world.meta_host, m2d_world.meta_executable, m2d_world.meta_pid);
	if (n)
		m2d_directory_set_processes(processes, n, m2d_world.id, m2d_link_spawn_desc());
}

/* For a process that cannot reach any other: it lists only itself. */
static void list_only_self(const char *id)
{
	struct m2d_process self = own_process();

	become_metadirectory(m2d_world.size == 1, id, NULL, 0);
	fill_proctable(&self, 1);
}

/* ---- answers ------------------------------------------------------------------------------------- */

static void put_answer(struct m2d_message *m)
{
	*m = (struct m2d_message){ 0 };
	m2d_message_put_number(m, m2d_world.complete);
	m2d_message_put_text(m, m2d_world.id);
	m2d_message_put_text(m, m2d_world.meta_host);
	m2d_message_put_text(m, m2d_world.meta_executable);
	m2d_message_put_number(m, m2d_world.meta_pid);
	m2d_message_put_text(m, m2d_link_origin());
}

static bool take_answer(struct m2d_message *m)
{
	bool complete = m2d_message_take_number(m) == 1;
	const char *id = m2d_copy_permanent(m2d_message_take_text(m));
	const char *host = m2d_copy_permanent(m2d_message_take_text(m));
	const char *executable = m2d_copy_permanent(m2d_message_take_text(m));
	int pid = m2d_message_take_number(m);
	const char *origin = m2d_message_take_text(m);

	if (m->failed || !id || !host || !executable)
		return false;
	set_world(complete, id, host, executable, pid);
	m2d_link_after_init();
	m2d_link_set_origin(origin);
	return true;
}

/* ---- parts --------------------------------------------------------------------------------------- */

static bool user_asserts_all(void)
{
	int64_t everyone;

	m2d_everyone = m2d_setting("MPI2DD_EVERYONE", &everyone) && everyone == 1;
	return m2d_everyone;
}

/* Does every node of the world have a directory that will talk to rank 0? The answer is the same on all nodes. */
static bool all_nodes_take_part(bool node_complete)
{
	/* The user's setting comes first: every node has it, even one that cannot reach the starter. */
	return user_asserts_all() || (hello_counted && m2d_starter_decide(node_complete, m2d_world.size, DECIDE_MS));
}

static bool ranks_are_distinct(const struct m2d_process *processes, size_t n)
{
	bool *seen = m2d_alloc_permanent((size_t)m2d_world.size * sizeof(*seen));

	for (size_t i = 0; i < n; i++) {
		if (!seen || processes[i].rank >= m2d_world.size || seen[processes[i].rank])
			return false;
		seen[processes[i].rank] = true;
	}
	return true;
}

/* Sorted for people. Insertion sort, because reports arrive nearly in order. */
static void sort_by_rank(struct m2d_process *processes, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct m2d_process p = processes[i];
		size_t at = i;
		for (; at > 0 && processes[at - 1].rank > p.rank; at--)
			processes[at] = processes[at - 1];
		processes[at] = p;
	}
}

/*
 * Is rank 0 on this node, but not its directory? No known launcher numbers ranks like this; nothing is exchanged then.
 */
static bool rank_0_is_no_directory(const struct m2d_process *sorted)
{
	return sorted[0].rank == 0 && m2d_world.rank != 0;
}

/* In rank 0, with other nodes in the world. */
static void act_as_root(const struct m2d_process *processes, size_t n, bool node_complete, struct m2d_message *m)
{
	struct m2d_process *directories;
	size_t n_directories;
	bool complete;
	bool all = m2d_exchange_gather(m2d_world.size - launch.local_size, &directories, &n_directories, &complete);

	sort_by_rank(directories, n_directories);
	become_metadirectory(all && complete && node_complete, new_id(), directories, n_directories);
	fill_proctable(processes, n);
	put_answer(m);
	m2d_exchange_answer(directories, n_directories, m);
	m2d_node_answer(m);
	m2d_exchange_wait_filled(directories, n_directories);
}

static void act_as_directory(void)
{
	struct m2d_process *processes = m2d_alloc_permanent((size_t)launch.local_size * sizeof(*processes));
	struct m2d_message *m = m2d_alloc_permanent(sizeof(*m));
	struct m2d_process self = own_process();

	if (!processes || !m) {
		list_only_self(launcher_id());
		return;
	}
	processes[0] = self;
	size_t n = 1 + m2d_node_gather(&launch, processes + 1);
	sort_by_rank(processes, n);
	bool node_complete = n == (size_t)launch.local_size && ranks_are_distinct(processes, n);

	if (launch.local_size >= m2d_world.size) {
		become_metadirectory(node_complete, node_complete ? new_id() : launcher_id(), NULL, 0);
	} else if (!all_nodes_take_part(node_complete && !rank_0_is_no_directory(processes))) {
		become_metadirectory(false, launcher_id(), NULL, 0);
	} else if (m2d_world.rank == 0) {
		act_as_root(processes, n, node_complete, m);
		return;
	} else if (m2d_exchange_report(&self, launch.local_size, node_complete, m) && take_answer(m)) {
		fill_proctable(processes, n);
		m2d_exchange_send_filled();
		put_answer(m);
		m2d_node_answer(m);
		return;
	} else {
		become_metadirectory(false, launcher_id(), NULL, 0);
	}
	fill_proctable(processes, n);
	put_answer(m);
	m2d_node_answer(m);
}

static void act_as_member(void)
{
	struct m2d_process self = own_process();
	struct m2d_message *m = m2d_alloc_permanent(sizeof(*m));

	if (m && m2d_node_report(&launch, &self, m) && take_answer(m))
		fill_proctable(NULL, 0);
	else
		list_only_self(launcher_id());
}

/* ---- after the real MPI_Init --------------------------------------------------------------------- */

static void forget_in_child(void)
{
	m2d_directory_forget();
	m2d_link_forget();
	m2d_node_close();
}

static void set_up_world(void)
{
	if (m2d_pmpi.Comm_rank(m2d_constants.comm_world, &m2d_world.rank) != MPI_SUCCESS ||
	    m2d_pmpi.Comm_size(m2d_constants.comm_world, &m2d_world.size) != MPI_SUCCESS)
		return;
	m2d_world.pid = (int)getpid();
	/* The variables were inherited from another program, for
	 * instance a rank or a batch script that starts this one. */
	if (launch.known && (launch.world_rank != m2d_world.rank || launch.world_size != m2d_world.size)) {
		launch.known = false;
		launch.job[0] = '\0';
	}
	if (!launch.known)
		list_only_self(m2d_world.size == 1 ? new_id() : launcher_id());
	else if (launch.local_rank == 0)
		act_as_directory();
	else
		act_as_member();
	m2d_link_tables_filled();
	pthread_atfork(NULL, NULL, forget_in_child);
}

/* Called last: the starter informs a debugger, which may read the tables at once. */
static void notify_starter(void)
{
	if (m2d_world.rank == 0 && m2d_starter_known())
		m2d_starter_place(launch.job[0] ? launch.job : m2d_world.id, m2d_world.host, m2d_world.executable,
				  m2d_world.pid, m2d_world.id);
}

void m2d_world_after_init(int rc)
{
	int saved = errno;
	uint64_t start = now_ns();

	m2d_info_restore_locations();
	if (rc == MPI_SUCCESS && m2d_world.rank < 0)
		set_up_world();
	m2d_node_close();
	m2d_counts.nanoseconds += now_ns() - start;
	if (rc == MPI_SUCCESS && m2d_world.rank >= 0) {
		if (MPI2DD_info.mpi_flags & MPI2DD_MPIFLAG_I_AM_DIR)
			m2d_events_emit(MPI2DD_DEBUG_DIRECTORY_CHANGED);
		m2d_events_emit(MPI2DD_DEBUG_START);
		notify_starter();
		m2d_events_gate();
	}
	errno = saved;
}

void m2d_world_before_finalize(void)
{
	int64_t leaks = 0;

	if (m2d_world.rank >= 0 && m2d_setting("MPI2DD_LEAKS", &leaks) && leaks) {
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* the starter reads what is left */
		m2d_starter_final(launch.job[0] ? launch.job : m2d_world.id, m2d_world.rank, m2d_world.size,
				  m2d_world.pid);
		prctl(PR_SET_PTRACER, 0, 0, 0, 0);
	}
	m2d_link_before_finalize();
}
