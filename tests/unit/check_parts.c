/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Snapshots of the parts of a job, in files of every kind, merged by what they say about themselves: the job, its
 * worlds, their ranks. The job is a ring of receives (tests/support/snapshots.h), a cycle of all.
 */
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/shell.h"
#include "../support/snapshots.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 4 };

static char folder[SCRATCH_MAX];
static struct mpidbg_run run;

static void setup(void)
{
	char path[SCRATCH_MAX + 16];

	memset(&run, 0, sizeof(run));
	scratch_make(folder, "parts");
	snprintf(path, sizeof(path), "%s/job", folder);
	snapshots_write(path, SNAPSHOTS_RING, &(struct snapshots_at){ .n = N });
	setenv("FOLDER", folder, 1);
}

static void teardown(void)
{
	mpidbg_run_free(&run);
	scratch_remove(folder);
}

/* Run these commands of a shell in the folder; "mpidbg" is the command under test. */
static void ask(const char *commands)
{
	char line[4096], sh[] = "sh", c[] = "-c", *argv[] = { sh, c, line, NULL },
			 *build = realpath(getenv("MPIDBG_BUILD"), NULL);

	snprintf(line, sizeof(line), "export PATH=%s:$PATH; cd %s && { %s; }", build, folder, commands);
	free(build);
	mpidbg_run_free(&run);
	mpidbg_run_program(&run, argv);
}

static void expect(int code, const char *out, const char *err)
{
	ck_assert_msg(run.exit_code == code, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	ck_assert_msg(strstr(run.out, out), "no \"%s\" in\n%s%s", out, run.out, run.err);
	ck_assert_msg(*err ? strstr(run.err, err) && strchr(run.err, '\n') == strrchr(run.err, '\n') : !*run.err,
		      "no \"%s\" in\n%s", err, run.err);
}

static const char whole[] = "4 of 4 ranks wait for something that can never happen.";

/* The head and the end of a part with some of the ranks; those of lines 2 to 5 of the file. */
#define PART(name, first, last)                                                                                        \
	"{ head -n 1 job; sed -n '" #first "," #last "p' job; echo '{\"end\":'$((" #last " - " #first " + 1))"         \
	"',\"problems\":[]}'; } >" #name

START_TEST(test_ways)
{
	static const char *const ways[] = {
		"mpidbg deadlock --snapshot job",
		"mpidbg deadlock --snapshot - <job",
		"cat job | mpidbg deadlock --snapshot -",
		"gzip job; mpidbg deadlock --snapshot job.gz",
		"gzip job; mpidbg deadlock --snapshot - <job.gz",
		"mkdir d; mv job d/n1; mpidbg deadlock --snapshot d",
		PART(a, 2, 3) "; " PART(b, 4, 5) "; mpidbg deadlock --snapshot a b",
		PART(a, 2, 3) "; " PART(b, 4, 5) "; cat a b >c; mpidbg deadlock --snapshot c",
		PART(a, 2, 3) "; " PART(b, 4, 5) "; gzip a b; cat a.gz b.gz | mpidbg deadlock --snapshot -",
		PART(a, 2, 3) "; " PART(b, 4, 5) "; mkdir d; gzip a; mv a.gz b d; mpidbg deadlock --snapshot d",
		PART(a, 2, 3) "; " PART(b, 4, 5) "; mpidbg snapshot --snapshot a b >c; mpidbg deadlock --snapshot c",
		"mpidbg snapshot --fold --snapshot job >a; grep -q '^{\"fold\"' a && mpidbg deadlock --snapshot a",
		PART(a, 2, 3) "; " PART(b, 4,
					5) "; for i in a b; do mpidbg snapshot --fold --snapshot $i >$i.f; done; "
					   "mpidbg snapshot --fold --snapshot b.f a.f >c; mpidbg deadlock --snapshot c",
		/* ranks 0 and 2 in one file, 1 and 3 in the other: both are read in turn */
		"{ sed -n '1p;2p;4p' job; echo '{\"end\":2}'; } | mpidbg snapshot --fold --snapshot - >a; "
		"{ sed -n '1p;3p;5p' job; echo '{\"end\":2}'; } | mpidbg snapshot --fold --snapshot - >b; "
		"mpidbg deadlock --snapshot a b",
		PART(a, 2, 3) "; " PART(b, 4, 5) "; mpidbg snapshot --snapshot b - <a | mpidbg deadlock --snapshot -",
	};

	ask(ways[_i]);
	expect(4, whole, "");
}
END_TEST

/* What a snapshot that is still written has is read. */
START_TEST(test_cut)
{
	ask("head -n 4 job >a; mpidbg deadlock --snapshot a");
	expect(3, "2 of 3 ranks wait.", "a: ends after 3 processes: it is cut off, or still being written");
	ask("head -n 4 job >a; head -n 5 job | tail -n 1 | cut -c -300 >>a; mpidbg deadlock --snapshot a");
	ck_assert_int_eq(run.exit_code, 3);
	ck_assert_ptr_nonnull(strstr(run.out, "rank 3"));
	ask("sed '4d' job >a; mpidbg deadlock --snapshot a");
	expect(3, "2 of 3 ranks wait.", "a: has 3 processes and not 4, as its end says");
	ask("sed '4s/identity/identity\\\"/' job >a; mpidbg deadlock --snapshot a");
	expect(3, "2 of 3 ranks wait.", "a: no JSON: line 4: ");
}
END_TEST

/* The identity of a process is read alone; what the rest of its line says must agree. */
START_TEST(test_contradiction)
{
	ask("sed '4s/,\"rank\":2,\"pid\":1002,\"host\"/,\"rank\":1,\"pid\":1002,\"host\"/' job >a; cmp -s a job && "
	    "exit 9; "
	    "mpidbg deadlock --snapshot a");
	ck_assert_int_eq(run.exit_code, 3);
	ck_assert_msg(strstr(run.out, "rank 2 could not be read"), "%s%s", run.out, run.err);
}
END_TEST

/* Lines of folded processes that are not as they should be: the process that was written whole is
 * read, nothing else. */
START_TEST(test_damaged_fold)
{
	static const char *const changes[] = {
		"/^{\"fold\"/d",                               /* no places */
		"s/^{\"fold\":.*/{\"fold\":[]}/",              /* fewer places than values */
		"s/^{\"fold\":.*/{\"fold\":7}/",               /* no places at all */
		"s/\\[\"rank\"\\]/[\"nothing\"]/",             /* a place that is not there */
		"s/\\[\"rank\"\\]/[]/",                        /* the process itself */
		"s/\\[\"rank\"\\]/[\"calls\",-1]/",            /* no index */
		"s/\\[\"rank\"\\]/[\"calls\"]/",               /* above another place */
		"s/\\[\"pid\"\\]/[\"calls\",0,\"thread\",0]/", /* below one */
		"s/\"values\":\\[[0-9]*,/\"values\":[9,/",     /* another rank than its identity says */
	};
	char line[1024];

	snprintf(line, sizeof(line),
		 "mpidbg snapshot --fold --snapshot job >a; sed '%s' a >b; cmp -s a b && exit 9; mpidbg deadlock "
		 "--snapshot b",
		 changes[_i]);
	ask(line);
	ck_assert_msg(run.exit_code == 3, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	ck_assert_msg(strstr(run.out, "rank 0  in MPI_Recv") || strstr(run.out, "rank 0     MPI_Recv") ||
			      strstr(run.out, "rank 0       MPI_Recv"),
		      "%s%s", run.out, run.err);
}
END_TEST

/* A part of another job is refused, whichever ranks it has. */
START_TEST(test_another_job)
{
	static const char parts[] = PART(a, 2, 3) "; " PART(b, 4,
							    5) "; sed -i 's/\"job\":{/&\"name\":\"slurm:7.0\",/' a; ";
	char commands[2048];

	snprintf(commands, sizeof(commands),
		 "%s sed -i 's/\"job\":{/&\"name\":\"slurm:8.0\",/' b; mpidbg deadlock --snapshot a b", parts);
	ask(commands);
	expect(3, "1 of 2 ranks wait.", "b: is of job slurm:8.0 and not of slurm:7.0: it is left out");
	snprintf(commands, sizeof(commands),
		 "%s sed -i 's/\"job\":{/&\"name\":\"slurm:7.0\",/' b; mpidbg deadlock --snapshot a b", parts);
	ask(commands);
	expect(4, whole, "");
	/* launchers of different hosts have different numbers */
	snprintf(commands, sizeof(commands),
		 "%s sed -i "
		 "'s/\"host\":\"node0\",\"job\":{\"launcher\":99/\"host\":\"node1\",\"job\":{\"launcher\":77/' b; "
		 "mpidbg deadlock --snapshot a b",
		 parts);
	ask(commands);
	expect(4, whole, "");
}
END_TEST

/* The host, its boot and the start of the mpidbg that has read it identify a part, and a copy of it. */
static const char started[] = "sed -i '1s/\"host\":\"node0\",/&\"boot\":\"b\",\"started\":1763712000123,/' job; ";

START_TEST(test_copy)
{
	char commands[2048];

	snprintf(commands, sizeof(commands), "%s cp job a; mpidbg deadlock --snapshot job a", started);
	ask(commands);
	expect(4, whole, "a: is the same snapshot as job: it is left out");
	/* another mpidbg has read the same host at the same time */
	ask("sed '1s/1763712000123/1763712000124/' job >a; mpidbg deadlock --snapshot job a");
	ck_assert_int_eq(run.exit_code, 4);
	ck_assert_msg(strstr(run.err, "a: rank 3 is in an earlier file, too: that one counts"), "%s", run.err);
	/* of a merged one it is not known */
	ask(PART(a, 2, 3) "; " PART(
		b, 4, 5) "; sed -i 1s/node0/node1/ b; mpidbg snapshot --snapshot a b | head -n 1 | grep -c started");
	ck_assert_str_eq(run.out, "0\n");
}
END_TEST

/*
 * The snapshots of a host are those of one agent: what a second one on the same host has read at another time does not
 * count. A program that prints both answers takes the place of ssh.
 */
START_TEST(test_agent)
{
	char commands[4096];

	snprintf(commands, sizeof(commands),
		 "%s sed '1s/1763712000123/1763712000124/' job >other; cat >answer <<'END'\n"
		 "import json, sys, zlib, base64\n"
		 "def put(kind, text):\n"
		 "    p = zlib.compress(text)\n"
		 "    for i in range(0, len(p), 300):\n"
		 "        print('mpidbg1 -', kind, i, base64.b64encode(p[i:i + 300]).decode())\n"
		 "    print('mpidbg1 -', kind, 'end', len(p), len(text), zlib.crc32(p))\n"
		 "put('a', open(sys.argv[1], 'rb').read())\n"
		 "put('b', open('job', 'rb').read())\n"
		 "about = {'version': sys.argv[2], 'host': 'node0', 'started': 1763712000123, 'first': [0, 1], "
		 "'second': [99, 100]}\n"
		 "put('i', json.dumps(about).encode())\n"
		 "END\n"
		 "for i in job other; do mpidbg deadlock --job slurm:7 --hosts node0 --via \"python3 answer $i "
		 "$(mpidbg --version | "
		 "grep -o '[0-9][0-9.]*' | head -n 1) %%h\"; echo exit $?; done",
		 started);
	ask(commands);
	ck_assert_msg(strstr(run.out, "exit 4\n") && strstr(run.out, "exit 3\n"), "%s%s", run.out, run.err);
	ck_assert_msg(strstr(run.err, "node0: was read by another agent than the rest of its answer: it is left out"),
		      "%s", run.err);
}
END_TEST

/* Two worlds, each on a host of its own, both of which call theirs the first. */
START_TEST(test_worlds)
{
	ask("sed -i '1s/}$/,\"worlds\":[{\"name\":\"77\",\"size\":4}]}/' job; sed '1s/77/78/; 1s/node0/node1/' job "
	    ">other; "
	    "mpidbg deadlock --json --snapshot other job");
	ck_assert_int_eq(run.exit_code, 4);
	json_t *answer = mpidbg_run_json(&run);
	const json_t *waiting = json_object_get(json_object_get(answer, "verdict"), "waiting_for_ever");
	ck_assert_uint_eq(json_array_size(waiting), 8);
	json_decref(answer);
	/* the same world of two hosts that list others before it */
	ask("sed '1s/\\[{/[{\"name\":\"5\"},{/; s/\"world\":0/\"world\":1/; s/\"world_number\":0/\"world_number\":1/' "
	    "job >a; "
	    "mpidbg deadlock --snapshot a job");
	ck_assert_int_eq(run.exit_code, 4);
	ck_assert_msg(strstr(run.err, "job: rank 3 is in an earlier file, too: that one counts"), "%s", run.err);
	ck_assert_msg(strstr(run.out, whole), "%s", run.out);
}
END_TEST

/* Other subcommands show what is in the files. */
START_TEST(test_shown)
{
	ask(PART(a, 2, 3) "; " PART(b, 4, 5) "; mpidbg queues --no-verdict --snapshot a b");
	expect(0,
	       "\nranks [0-3] (4 ranks)  host node0  /home/u/solve  (Open MPI 4.1.4)\n"
	       "  main thread in MPI_Recv on MPI_COMM_WORLD\n"
	       "  MPI_COMM_WORLD  4 ranks\n",
	       "");
	ck_assert_msg(strstr(run.out, "    receive     MPI_Recv       from rank-1  tag 5    8 bytes"), "%s", run.out);
	ask("mpidbg queues --snapshot job");
	expect(0, "\ndeadlock: rank 0 waits for rank 3, which waits for rank 2", "");
	ask("head -n 4 job >a; mpidbg procs --snapshot a");
	expect(3, "    2     1002  node0  -         /home/u/solve\n",
	       "a: ends after 3 processes: it is cut off, or still being written");
	ask("mpidbg calls --json --snapshot job");
	ck_assert_int_eq(run.exit_code, 0);
	json_t *answer = mpidbg_run_json(&run);
	ck_assert_uint_eq(json_array_size(json_object_get(answer, "processes")), N);
	json_decref(answer);
	/* a text that no terminal may be shown */
	ask("sed -i 's/node0/\\\\u001b[31m/' job; mpidbg queues --no-verdict --snapshot job");
	ck_assert_int_eq(run.exit_code, 0);
	ck_assert_msg(!strchr(run.out, '\033') && strstr(run.out, "[31m"), "%s", run.out);
}
END_TEST

START_TEST(test_nothing)
{
	ask("mkdir d; mpidbg deadlock --snapshot d");
	expect(3, "", "d: has no files");
	ask(": >a; mpidbg deadlock --snapshot a");
	expect(3, "", "a: no JSON: it is empty");
	ask("mpidbg deadlock --snapshot nowhere");
	expect(3, "", "nowhere: No such file or directory");
	ask("gzip job; head -c 300 job.gz >a; mpidbg deadlock --snapshot a");
	ck_assert_int_eq(run.exit_code, 3);
	ck_assert_msg(strstr(run.err, "a: "), "%s", run.err);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("parts");
	TCase *t = tcase_create("parts");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, test_ways, 0, 15);
	tcase_add_loop_test(t, test_damaged_fold, 0, 9);
	tcase_add_test(t, test_cut);
	tcase_add_test(t, test_contradiction);
	tcase_add_test(t, test_another_job);
	tcase_add_test(t, test_copy);
	tcase_add_test(t, test_agent);
	tcase_add_test(t, test_worlds);
	tcase_add_test(t, test_shown);
	tcase_add_test(t, test_nothing);
	suite_add_tcase(s, t);
	return suite_run(s);
}
