/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock on random programs (tests/support/script.h), asked at random moments and when nothing moves any more:
 * live, while ranks are stopped, from a snapshot and from cores, on both MPIs, with and without the in-target library.
 * What is true is taken from the progress of the threads, which the programs count in shared memory:
 *
 * - an exit status 4 is wrong if one of the ranks that are said to wait for ever finishes an operation later,
 *   or if the job ends;
 * - it is wrong if the ranks wait for one that computes;
 * - it is wrong if a rank that is stopped by a signal is waited for: it may be continued;
 * - a live job that stands still because of a fault is to be found, unless a rank polls with MPI_Test or MPI_Iprobe, or
 *   is in no MPI function and has a thread that wakes up again and again, or got no processor while mpidbg asked.
 *
 * Settings: RANDOM_N (number of seeds), RANDOM_FIRST (the first one), RANDOM_FAULT (plant this fault in all),
 * RANDOM_WAY (start all in this way, a number of ways[]), RANDOM_KEEP (a folder: scripts and answers that are wrong or
 * incomplete are stored there). make check-random N=500 sets them.
 */
#include "../programs/player.h"
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/script.h"
#include "../support/starved.h"
#include "../support/suite.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEEDS_IN_CHECK = 20, QUESTIONS_MAX = 8, STUCK_S = 40 };

/* A rank that gets no processor for as long as mpidbg waits for it (5 s) counts as able to go on: no hang is missed. */
static const double starved_s = 4.5;

/* Nothing has moved for so long, and each rank has run for so long or sleeps: ask. If something moves afterwards, it
 * was too early. */
static const double still_s = 0.8, afterwards_s = 0.4;

enum question { LIVE, STOPPED, ONE_STOPPED, SNAPSHOT, STOPPED_SNAPSHOT, CORES, N_QUESTIONS };

static const char *const question_names[N_QUESTIONS] = {
	"live", "stopped", "one rank stopped", "snapshot", "snapshot while stopped", "cores"
};

static const struct {
	const char *name, *mca;
	bool mpich, library;
} ways[] = { { "openmpi", NULL, false, false },
	     { "mpich", NULL, true, false },
	     { "openmpi, mpi2dd-run", NULL, false, true },
	     { "mpich, mpi2dd-run", NULL, true, true },
	     { "openmpi", NULL, false, false },
	     { "mpich", NULL, true, false },
	     { "openmpi, pml ucx",
	       "--mca pml ucx --mca osc ^ucx --mca opal_common_ucx_tls any --mca opal_common_ucx_devices any", false,
	       false },
	     { "mpich", NULL, true, false } };

enum { N_WAYS = sizeof ways / sizeof ways[0] };

/* ---- counts of all seeds, in memory that the children of Check share ---------------------------------------- */

static struct totals {
	int seeds, hung, found, starved, prepared_hung, prepared_found, ended, failed, questions, wrong, unexpected;
} * totals;

/* ---- one job ---------------------------------------------------------------------------------------------- */

/* The operations that each thread has finished, at one moment. */
struct moment {
	uint64_t finished[PLAYER_RANKS_MAX][PLAYER_THREADS_MAX];
};

struct answer {
	enum question how;
	int exit_code;
	char result[32], *text;
	bool accused[PLAYER_RANKS_MAX]; /* ranks that it says stand still */
	struct moment began, at;
	bool standing; /* asked when nothing moved */
	bool starved;  /* meanwhile one of the ranks was ready to run and got no processor */
};

struct trial {
	unsigned seed;
	int way;
	struct script script;
	char dir[SCRATCH_MAX];
	struct player_progress *progress;
	struct job job;
	uint64_t random;
	struct answer answers[QUESTIONS_MAX];
	int n_answers;
};

static int below(struct trial *t, int n)
{
	t->random = t->random * 6364136223846793005 + 1442695040888963407;
	return (int)((t->random >> 33) % (uint64_t)n);
}

static struct moment moment_of(const struct trial *t)
{
	struct moment m;

	for (int r = 0; r < PLAYER_RANKS_MAX; r++)
		for (int k = 0; k < PLAYER_THREADS_MAX; k++)
			m.finished[r][k] = atomic_load(&t->progress->ranks[r].threads[k].finished);
	return m;
}

static bool rank_moved(const struct moment *a, const struct moment *b, int rank)
{
	return memcmp(a->finished[rank], b->finished[rank], sizeof a->finished[rank]) != 0;
}

static bool sleeps(const struct trial *t)
{
	for (int r = 0; r < PLAYER_RANKS_MAX; r++)
		for (int k = 0; k < PLAYER_THREADS_MAX; k++)
			if (atomic_load(&t->progress->ranks[r].threads[k].asleep))
				return true;
	return false;
}

static bool all_ended(const struct trial *t)
{
	for (int r = 0; r < t->script.n; r++)
		if (!atomic_load(&t->progress->ranks[r].ended))
			return false;
	return true;
}

/* Has the rank a thread that wakes up now and then, and nothing else to do? */
static bool naps(const struct trial *t, int rank)
{
	const char *op = script_op(&t->script, atomic_load(&t->progress->ranks[rank].threads[0].line));
	char line[32];

	snprintf(line, sizeof line, "\n%d 0 napper", rank);
	return !strncmp(op, "pause", 5) && strstr(t->script.text, line);
}

/* Does a thread poll, or wake up in a rank that is in no MPI function, so that nobody can know whether it does
 * something else some day? */
static bool polls(const struct trial *t)
{
	for (int r = 0; r < t->script.n; r++) {
		if (naps(t, r))
			return true;
		for (int k = 0; k < PLAYER_THREADS_MAX; k++) {
			const char *op = script_op(&t->script, atomic_load(&t->progress->ranks[r].threads[k].line));
			if (!strncmp(op, "test", 4) || !strncmp(op, "iprobe", 6))
				return true;
		}
	}
	return false;
}

static void write_script(const struct script *s, const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/script", dir);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(s->text, f);
	ck_assert_int_eq(fclose(f), 0);
}

static bool start(struct trial *t)
{
	static char starter[PATH_MAX + 16];
	char path[PATH_MAX], build[PATH_MAX], command[400];

	scratch_make(t->dir, "play");
	write_script(&t->script, t->dir);
	snprintf(path, sizeof path, "%s/progress", t->dir);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, sizeof *t->progress), 0);
	t->progress = mmap(NULL, sizeof *t->progress, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert(t->progress != MAP_FAILED);
	close(fd);
	ck_assert_ptr_nonnull(realpath(getenv("MPIDBG_BUILD"), build));
	snprintf(starter, sizeof starter, "%s/mpi2dd-run", build);
	snprintf(command, sizeof command, "player %s", t->dir);
	job_starter = ways[t->way].library ? starter : NULL;
	bool ready = ways[t->way].mpich ? job_try_mpich(command, t->script.n, &t->job)
					: job_try(command, ways[t->way].mca, t->script.n, 0, &t->job);
	job_starter = NULL;
	return ready;
}

static bool has_ended(struct trial *t)
{
	return t->job.launcher == 0 || job_wait(&t->job, 0) >= 0;
}

/* ---- asking ----------------------------------------------------------------------------------------------- */

static void signal_ranks(const struct trial *t, int number, int only)
{
	for (size_t i = 0; i < t->job.n_ranks; i++)
		if (only < 0 || only == (int)i)
			kill(t->job.ranks[i].pid, number);
}

static void accuse(const json_t *list, struct answer *a)
{
	const json_t *x;
	size_t i;

	json_array_foreach(list, i, x) if (json_is_integer(x) && json_integer_value(x) < PLAYER_RANKS_MAX)
		a->accused[json_integer_value(x)] = true;
}

static void judge(const struct mpidbg_run *run, struct answer *a)
{
	json_t *json = json_loads(run->out, 0, NULL);
	const json_t *verdict = json_object_get(json, "verdict");
	const char *result = json_string_value(json_object_get(verdict, "result"));

	a->exit_code = run->exit_code;
	snprintf(a->result, sizeof a->result, "%s", result ? result : "no verdict");
	ck_assert_int_ge(asprintf(&a->text, "exit %d\n%s%s", run->exit_code, run->out, run->err), 0);
	accuse(json_object_get(verdict, "waiting_for_ever"), a);
	accuse(json_object_get(verdict, "cycle"), a);
	if (!strcmp(a->result, "missing rank")) {
		accuse(json_object_get(verdict, "waiting"), a);
		accuse(json_object_get(verdict, "missing"), a);
	}
	json_decref(json);
}

static void from_snapshot(struct trial *t, const char *launcher, struct mpidbg_run *ret)
{
	char path[PATH_MAX];
	struct mpidbg_run run;

	mpidbg_run(&run, "snapshot", "--job", launcher, NULL);
	snprintf(path, sizeof path, "%s/snapshot.json", t->dir);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(run.out, f);
	ck_assert_int_eq(fclose(f), 0);
	mpidbg_run_free(&run);
	mpidbg_run(ret, "deadlock", "--json", "--snapshot", path, NULL);
}

static void ask_live(struct trial *t, struct answer *a)
{
	pid_t pids[PLAYER_RANKS_MAX];
	struct mpidbg_run run;
	char launcher[32];
	size_t n = 0;

	for (; n < t->job.n_ranks && n < PLAYER_RANKS_MAX; n++)
		pids[n] = t->job.ranks[n].pid;
	snprintf(launcher, sizeof launcher, "%d", (int)t->job.launcher);
	struct starved *s = starved_begin(pids, n);
	mpidbg_run(&run, "deadlock", "--json", "--job", launcher, NULL);
	a->starved = starved_end(s) >= starved_s;
	a->at = moment_of(t);
	judge(&run, a);
	mpidbg_run_free(&run);
	t->n_answers++;
}

static void ask(struct trial *t, enum question how, bool standing)
{
	if (t->n_answers == QUESTIONS_MAX)
		return;
	struct answer *a = &t->answers[t->n_answers];
	struct mpidbg_run run;
	char launcher[32];
	int only = how == ONE_STOPPED ? below(t, t->script.n) : -1;
	bool stop = how == STOPPED || how == ONE_STOPPED || how == STOPPED_SNAPSHOT;

	*a = (struct answer){ .how = how, .began = moment_of(t), .standing = standing };
	if (how == LIVE) {
		ask_live(t, a);
		return;
	}
	snprintf(launcher, sizeof launcher, "%d", (int)t->job.launcher);
	if (stop)
		signal_ranks(t, SIGSTOP, only);
	if (how == SNAPSHOT || how == STOPPED_SNAPSHOT) {
		from_snapshot(t, launcher, &run);
	} else if (how == CORES) {
		if (!job_try_cores(&t->job))
			return;
		mpidbg_run(&run, "deadlock", "--json", "--cores", t->job.dir, NULL);
	} else {
		mpidbg_run(&run, "deadlock", "--json", "--job", launcher, NULL);
	}
	a->at = moment_of(t);
	if (stop && strcmp(t->script.fault, "rank_stops") != 0)
		signal_ranks(t, SIGCONT, only);
	judge(&run, a);
	mpidbg_run_free(&run);
	t->n_answers++;
}

/* ---- what is true ------------------------------------------------------------------------------------------ */

/* For how long a rank has run, and how often. */
struct runs {
	bool sleeps; /* then it waits for nothing that the machine's load delays */
	unsigned long long ns, n;
};

static struct runs runs_of(const struct trial *t, int rank)
{
	struct runs ret = { .sleeps = true };
	char path[64], text[64], letter = 'S';

	snprintf(path, sizeof path, "/proc/%d/stat", (int)t->job.ranks[rank].pid);
	FILE *f = fopen(path, "r");
	if (f) {
		ret.sleeps = fscanf(f, "%*d %63s %c", text, &letter) != 2 || letter != 'R';
		fclose(f);
	}
	snprintf(path, sizeof path, "/proc/%d/schedstat", (int)t->job.ranks[rank].pid);
	f = fopen(path, "r");
	if (f) {
		ret.sleeps |= fscanf(f, "%llu %*u %llu", &ret.ns, &ret.n) != 2;
		fclose(f);
	}
	return ret;
}

/* Has each rank that does not sleep run enough since then? One that yields runs often, for a moment. */
static bool all_ran(const struct trial *t, struct runs since[PLAYER_RANKS_MAX], bool begin)
{
	enum { ENOUGH_NS = 30000000, ENOUGH_RUNS = 20 };
	bool ret = true;

	for (int r = 0; r < t->script.n; r++) {
		struct runs now = runs_of(t, r);
		if (begin || since[r].sleeps)
			since[r] = now;
		ret &= now.sleeps || now.ns - since[r].ns >= ENOUGH_NS || now.n - since[r].n >= ENOUGH_RUNS;
	}
	return ret;
}

/* Wait until the job has ended, or nothing moves, or the time is over. */
enum state { MOVES, STANDS, ENDED };

static enum state watch(struct trial *t, double seconds)
{
	double end = job_now() + seconds, last = job_now();
	struct moment before = moment_of(t);
	struct runs ran[PLAYER_RANKS_MAX];

	all_ran(t, ran, true);
	while (job_now() < end) {
		if (has_ended(t))
			return ENDED;
		job_nap();
		struct moment now = moment_of(t);
		if (memcmp(&now, &before, sizeof now) != 0 || sleeps(t) || all_ended(t)) {
			before = now;
			last = job_now();
			all_ran(t, ran, true);
		} else if (job_now() - last > (t->script.effect == SCRIPT_ENDS ? STUCK_S : still_s) &&
			   all_ran(t, ran, false)) {
			return STANDS;
		}
	}
	return MOVES;
}

static bool is_wrong(const struct trial *t, const struct answer *a, const struct moment *last, bool done)
{
	if (a->exit_code != 4)
		return false;
	if (done || t->script.effect != SCRIPT_HANGS)
		return true;
	for (int r = 0; r < PLAYER_RANKS_MAX; r++)
		if (a->accused[r] && rank_moved(&a->at, last, r))
			return true;
	return false;
}

static void keep(const struct trial *t, const char *why)
{
	const char *folder = getenv("RANDOM_KEEP");
	char dir[PATH_MAX], path[PATH_MAX + 32];

	if (!folder)
		return;
	snprintf(dir, sizeof dir, "%s/%u-%s", folder, t->seed, why);
	mkdir(folder, 0700);
	mkdir(dir, 0700);
	write_script(&t->script, dir);
	for (int i = 0; i < t->n_answers; i++) {
		snprintf(path, sizeof path, "%s/answer-%d", dir, i);
		FILE *f = fopen(path, "w");
		if (!f)
			continue;
		fprintf(f, "%s%s\n%s", question_names[t->answers[i].how],
			t->answers[i].standing ? ", nothing moves" : "", t->answers[i].text);
		fclose(f);
	}
	snprintf(path, sizeof path, "%s/log", dir);
	FILE *log = fopen(path, "w");
	if (log) {
		fprintf(log, "%s, fault %s\n%s", ways[t->way].name, t->script.fault, job_log(&t->job));
		fclose(log);
	}
	snprintf(path, sizeof path, "%s/state", dir);
	FILE *f = fopen(path, "w");
	for (int r = 0; f && r < t->script.n; r++)
		for (int k = 0; k < PLAYER_THREADS_MAX; k++) {
			const struct player_thread *p = &t->progress->ranks[r].threads[k];
			if (p->finished || p->line)
				fprintf(f, "rank %d thread %d: %ju finished, at line %u of the script\n", r, k,
					(uintmax_t)p->finished, (unsigned)p->line);
		}
	if (f)
		fclose(f);
}

/* The line of a seed, and the counts. */
static void report(struct trial *t, enum state state)
{
	struct moment last = moment_of(t);
	bool done = all_ended(t), must_be_found = state == STANDS && t->script.effect == SCRIPT_HANGS && !polls(t);
	int n_wrong = 0, n_asked = 0, n_found = 0;
	char missed[64] = "";

	for (int i = 0; i < t->n_answers; i++) {
		struct answer *a = &t->answers[i];
		if (is_wrong(t, a, &last, done)) {
			n_wrong++;
			printf("seed %u: WRONG: %s, %s: %s\n", t->seed, question_names[a->how],
			       a->standing ? "nothing moves" : "at a random moment", a->result);
		}
		if (!a->standing || a->how != LIVE || !must_be_found ||
		    memcmp(&a->began, &last, sizeof last) != 0) /* it has moved since: asked too early */
			continue;
		if (a->starved && a->exit_code != 4) {
			totals->starved++;
			printf("seed %u: a rank got no processor: %s\n", t->seed, a->result);
			continue;
		}
		n_asked++;
		n_found += a->exit_code == 4;
		if (a->exit_code != 4)
			snprintf(missed, sizeof missed, ", NOT FOUND: %s", a->result);
	}
	totals->seeds++;
	totals->questions += t->n_answers;
	totals->wrong += n_wrong;
	totals->ended += state == ENDED && done;
	totals->failed += state == ENDED && !done;
	totals->unexpected += state == STANDS && t->script.effect == SCRIPT_ENDS;
	*(ways[t->way].library ? &totals->prepared_hung : &totals->hung) += n_asked > 0;
	*(ways[t->way].library ? &totals->prepared_found : &totals->found) += n_asked > 0 && n_found == n_asked;
	printf("seed %u: %s, %d ranks, %s: %s, %d question%s%s\n", t->seed, ways[t->way].name, t->script.n,
	       t->script.fault[0] ? t->script.fault : "no fault",
	       state == STANDS  ? "stands still"
	       : done           ? "ended"
	       : state == ENDED ? "failed"
				: "moves",
	       t->n_answers, t->n_answers == 1 ? "" : "s", missed);
	fflush(stdout);
	if (n_wrong || missed[0] || (state == STANDS && t->script.effect == SCRIPT_ENDS) || (state == ENDED && !done))
		keep(t, n_wrong ? "wrong" : missed[0] ? "missed" : state == STANDS ? "stuck" : "failed");
	ck_assert_msg(!n_wrong, "seed %u: a wrong exit status 4", t->seed);
	ck_assert_msg(state != STANDS || t->script.effect != SCRIPT_ENDS,
		      "seed %u: a script without fault stands still", t->seed);
}

static enum question random_question(struct trial *t)
{
	/* of 100 */
	static const int shares[N_QUESTIONS] = { 50, 15, 10, 10, 7, 8 };
	int k = below(t, 100), how = 0;

	while (k >= shares[how])
		k -= shares[how++];
	return (enum question)how;
}

START_TEST(test_seed)
{
	static struct trial t;
	const char *way = getenv("RANDOM_WAY");
	bool thorough = getenv("RANDOM_N") != NULL;
	enum state state = ENDED;

	t.seed = (unsigned)_i;
	t.random = t.seed;
	t.way = way ? atoi(way) % N_WAYS : _i % N_WAYS;
	script_make(t.seed, ways[t.way].mpich, getenv("RANDOM_FAULT"), &t.script);
	if (start(&t)) {
		int n_random = thorough ? 1 + below(&t, 4) : 1;
		while ((state = watch(&t, n_random > 0 ? 0.05 + below(&t, 600) / 1000.0 : STUCK_S)) == MOVES &&
		       n_random-- > 0)
			ask(&t, thorough ? random_question(&t) : LIVE, false);
		if (state == STANDS) {
			ask(&t, LIVE, true);
			if (thorough)
				ask(&t, random_question(&t), true);
			/* If something moves now it was too early: no more than a question at a random moment. */
			state = watch(&t, afterwards_s) == ENDED ? ENDED : STANDS;
			struct moment now = moment_of(&t);
			if (state == STANDS && memcmp(&now, &t.answers[t.n_answers - 1].at, sizeof now) != 0)
				state = MOVES;
		}
	}
	report(&t, state);
	job_end(&t.job);
	munmap(t.progress, sizeof *t.progress);
	scratch_remove(t.dir);
	for (int i = 0; i < t.n_answers; i++)
		free(t.answers[i].text);
	script_free(&t.script);
}
END_TEST

/* After the seeds: how many were found. */
START_TEST(test_found)
{
	enum { PERCENT_UNPREPARED = 75 };

	ck_assert_int_ge(100 * totals->found, PERCENT_UNPREPARED * totals->hung);
	ck_assert_int_eq(totals->prepared_found, totals->prepared_hung);
}
END_TEST

static int number(const char *name, int otherwise)
{
	const char *value = getenv(name);

	return value && *value ? atoi(value) : otherwise;
}

int main(void)
{
	job_require();
	if (!job_mpich_is_read()) {
		puts("MPICH is not installed, or its device is not ch4");
		return 77;
	}
	totals = mmap(NULL, sizeof *totals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (totals == MAP_FAILED)
		return EXIT_FAILURE;
	Suite *s = suite_create("random");
	TCase *tc = tcase_create("seeds");
	int first = number("RANDOM_FIRST", 0);

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_loop_test(tc, test_seed, first, first + number("RANDOM_N", SEEDS_IN_CHECK));
	if (!getenv("RANDOM_N"))
		tcase_add_test(tc, test_found);
	suite_add_tcase(s, tc);
	int rc = suite_run(s);
	printf("%d seeds, %d questions, %d wrong exit status 4; %d ended, %d failed; stood still: with nothing "
	       "prepared %d, found %d, "
	       "with mpi2dd-run %d, found %d; a rank got no processor in %d more\n",
	       totals->seeds, totals->questions, totals->wrong, totals->ended, totals->failed, totals->hung,
	       totals->found, totals->prepared_hung, totals->prepared_found, totals->starved);
	return rc;
}
