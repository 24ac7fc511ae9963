/* SPDX-License-Identifier: BSD-3-Clause */
/* Asking many hosts: commands that stand in for srun, pdsh and ssh answer for them, in every way that goes wrong. */
#include "../../hosts/child.h"
#include "../../hosts/gather.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[SCRATCH_MAX];

/* A script in a folder that is first in PATH. */
static void script(const char *name, const char *text)
{
	char path[SCRATCH_MAX + 64], search[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "#!/bin/sh\n%s\n", text);
	fclose(f);
	ck_assert_int_eq(chmod(path, 0755), 0);
	if (strstr(getenv("PATH"), folder))
		return;
	snprintf(search, sizeof(search), "%s:%s", folder, getenv("PATH"));
	setenv("PATH", search, 1);
}

/* The answer of a host, as a file that a script prints. */
static void answer(const char *host, const char *label)
{
	char path[SCRATCH_MAX + 64];

	snprintf(path, sizeof(path), "%s/answer.%s", folder, host);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert(hs_lines_write(f, label, HS_KIND_FIRST, "first", 5));
	ck_assert(hs_lines_write(f, label, HS_KIND_SECOND, "second", 6));
	ck_assert(hs_lines_write(f, label, HS_KIND_ABOUT, "{}", 2));
	fclose(f);
}

static void begin(void)
{
	scratch_make(folder, "gather");
	ck_assert_int_eq(chdir(folder), 0);
	setenv("FOLDER", folder, 1);
}

static void end(void)
{
	scratch_remove(folder);
}

/* A request of which some hosts are silent: its limit ends when the others have answered. */
struct asked {
	struct hs_request r;
	size_t n_silent;
};

static void end_limit(void *ctx, const struct hs_answers *a, size_t n_over)
{
	struct asked *asked = ctx;

	if (asked->n_silent && n_over + asked->n_silent == a->n)
		asked->r.limit_s = 0;
}

static struct hs_answers gather(const char *way, const char *const *hosts, size_t n, size_t n_silent)
{
	struct hs_request r = { .way = way,
				.slurm_job = "4711",
				.hosts = hosts,
				.n_hosts = n,
				.agent = "agent slurm:4711.0",
				.mpidbg = "/nowhere/mpidbg",
				.limit_s = 150 };
	struct asked asked = { r, n_silent };
	struct hs_answers a;

	ck_assert(hs_gather(&asked.r, end_limit, &asked, &a));
	ck_assert_uint_eq(a.n, n);
	return a;
}

static void expect_answered(const struct hs_host *h)
{
	ck_assert_msg(h->answered, "%s: %s", h->name, h->why);
	ck_assert_str_eq(h->first.text, "first");
	ck_assert_str_eq(h->second.text, "second");
	ck_assert_str_eq(h->about.text, "{}");
}

START_TEST(test_one_each)
{
	static const char *const hosts[] = { "good", "none", "silent", "torn", "refused", "cut", "absent" };

	begin();
	answer("good", "-");
	answer("torn", "-");
	answer("cut", "-");
	script("reach", "case $1 in\n"
			"good) echo Welcome; cat $FOLDER/answer.good ;;\n"
			"none) echo mpidbg1 - none ;;\n"
			"silent) sleep 1000 ;;\n"
			"torn) sed 's/ b 0 .*/&AAAA/' $FOLDER/answer.torn ;;\n"
			"refused) echo 'ssh: connect to host refused port 22: Connection refused' >&2; exit 255 ;;\n"
			"cut) head -n 1 $FOLDER/answer.cut; exit 1 ;;\n"
			"absent) echo 'sh: 1: mpidbg: not found' >&2; exit 127 ;;\n"
			"esac");
	struct hs_answers a = gather("reach %h", hosts, 7, 1);
	ck_assert_uint_eq(a.n_answered, 1);
	expect_answered(&a.hosts[0]);
	ck_assert_str_eq(a.way, "reach");
	ck_assert_str_eq(a.hosts[1].why, "no mpidbg there");
	ck_assert_str_eq(a.hosts[2].why, "timed out");
	ck_assert_str_eq(a.hosts[3].why, "its answer was damaged on the way");
	ck_assert_str_eq(a.hosts[4].why, "ssh: connect to host refused port 22: Connection refused");
	ck_assert_str_eq(a.hosts[5].why, "its answer was cut off");
	ck_assert_str_eq(a.hosts[6].why, "no mpidbg there");
	hs_answers_deinit(&a);
	end();
}
END_TEST

/* One command for all hosts, as pdsh and clush: they name the host before each line, also of errors. */
START_TEST(test_one_for_all)
{
	static const char *const hosts[] = { "n1", "n2.cluster.example", "n3", "n4" };

	begin();
	answer("n1", "-");
	answer("n2", "-");
	script("pdsh", "echo \"$@\" >$FOLDER/words\n"
		       "sed 's/^/n2: /' $FOLDER/answer.n2\n"
		       "sed 's/^/n1: /' $FOLDER/answer.n1\n"
		       "echo 'n4: bash: line 1: mpidbg: command not found' >&2\n"
		       "echo 'pdsh@login: n4: ssh exited with exit code 127' >&2\n"
		       "echo 'n9: mpidbg1 - none'\n"
		       "echo 'n3: ssh: connect to host n3 port 22: No route to host' >&2");
	struct hs_answers a = gather("pdsh", hosts, 4, 0);
	ck_assert_uint_eq(a.n_answered, 2);
	expect_answered(&a.hosts[0]);
	expect_answered(&a.hosts[1]);
	ck_assert_ptr_nonnull(strstr(a.hosts[2].why, "No route to host"));
	ck_assert_str_eq(a.hosts[3].why, "no mpidbg there");
	hs_answers_deinit(&a);
	char *words = hs_child_output((char *[]){ (char[]){ "cat" }, (char[]){ "words" }, NULL }, 10, NULL, 0);
	ck_assert_ptr_nonnull(words);
	ck_assert_ptr_nonnull(strstr(words, "-w n1,n2.cluster.example,n3,n4 "));
	ck_assert_ptr_nonnull(strstr(words, "agent slurm:4711.0"));
	free(words);
	end();
}
END_TEST

/* srun names no host: the agent does. A host that is silent does not lose the answers of the others. */
START_TEST(test_srun)
{
	static const char *const hosts[] = { "n1", "n2" };

	begin();
	answer("n1", "n1");
	script("srun", "echo \"$@\" >$FOLDER/words\n"
		       "cat $FOLDER/answer.n1\n"
		       "sleep 1000");
	setenv("MPIDBG_SRUN", "--partition=debug  --quiet", 1);
	struct hs_answers a = gather("srun", hosts, 2, 1);
	expect_answered(&a.hosts[0]);
	ck_assert_str_eq(a.hosts[1].why, "timed out");
	hs_answers_deinit(&a);
	char *words = hs_child_output((char *[]){ (char[]){ "cat" }, (char[]){ "words" }, NULL }, 10, NULL, 0);
	ck_assert_ptr_nonnull(words);
	ck_assert_ptr_nonnull(strstr(words, "--overlap "));
	ck_assert_ptr_nonnull(
		strstr(words, "--jobid=4711 --nodes=2 --ntasks=2 --nodelist=n1,n2 --partition=debug --quiet "));
	free(words);
	end();
}
END_TEST

/* A copy that the nodes cannot run is removed. Its name is not among the words of srun, which other users can read. */
START_TEST(test_srun_copies)
{
	struct hs_request r = { .way = "srun",
				.slurm_job = "4711",
				.hosts = (const char *const[]){ "n1", "n2" },
				.n_hosts = 2,
				.agent = "agent slurm:4711.0",
				.mpidbg = "/nowhere/mpidbg",
				.copy = "/bin/true",
				.copied = "/copies/mpidbg.0123",
				.limit_s = 150 };
	struct hs_answers a;

	begin();
	answer("n1", "n1");
	script("srun", "echo \"$SLURM_BCAST: $@\" >>$FOLDER/words\n"
		       "[ \"$SLURM_BCAST\" ] || exit 0\n"
		       "cat $FOLDER/answer.n1\n"
		       "echo 'slurmstepd-n2: error: execve(): /copies/mpidbg.0123: Permission denied' >&2\n"
		       "echo 'srun: error: n2: task 1: Exited with exit code 13' >&2\n");
	ck_assert(hs_gather(&r, NULL, NULL, &a));
	expect_answered(&a.hosts[0]);
	ck_assert_msg(strstr(a.hosts[1].why, "cannot be run there (is its folder noexec, or shared by hosts?): "
					     "--copy=FOLDER names another one"),
		      "%s", a.hosts[1].why);
	hs_answers_deinit(&a);
	char *words = hs_child_output((char *[]){ (char[]){ "cat" }, (char[]){ "words" }, NULL }, 10, NULL, 0);
	ck_assert_ptr_nonnull(words);
	ck_assert_msg(strncmp(words, "/copies/mpidbg.0123: --overlap ", 31) == 0, "%s", words);
	ck_assert_msg(strstr(words, " /bin/true agent slurm:4711.0 --unlink\n: --overlap "), "%s", words);
	ck_assert_msg(strstr(words, "--nodelist=n1,n2 rm -f /copies/mpidbg.0123\n"), "%s", words);
	free(words);
	end();
}
END_TEST

/* The same without Slurm: the shell of the host copies, and removes what it cannot run. */
START_TEST(test_copies)
{
	static const char *const hosts[] = { "n1", "n2", "n3" };
	struct hs_request r = { .way = "./reach %h",
				.hosts = hosts,
				.n_hosts = 3,
				.agent = "agent slurm:4711.0",
				.mpidbg = "/nowhere/mpidbg",
				.copy = "copied",
				.limit_s = 150 };
	struct hs_answers a;
	char copies[SCRATCH_MAX + 16];

	begin();
	answer("any", "-");
	script("copied", "[ $1 = --version ] || rm $0; cat $FOLDER/answer.any");
	script("reach", "h=$1; shift; PATH=/usr/bin:/bin; case $h in n1) ;; n2) head -c 5 >short; exec <short ;; n3) "
			"cd /; unset FOLDER ;; esac; exec \"$@\"");
	snprintf(copies, sizeof(copies), "%s/copies", folder);
	r.copy_folder = copies;
	ck_assert(hs_gather(&r, NULL, NULL, &a));
	ck_assert_msg(strstr(a.hosts[0].why, "No such file or directory"), "%s", a.hosts[0].why); /* no folder */
	hs_answers_deinit(&a);
	ck_assert_int_eq(mkdir(copies, 0700), 0);
	ck_assert(hs_gather(&r, NULL, NULL, &a));
	expect_answered(&a.hosts[0]);
	for (int i = 1; i < 3; i++)
		ck_assert_msg(strstr(a.hosts[i].why, "cannot be run there"), "%s: %s", hosts[i], a.hosts[i].why);
	hs_answers_deinit(&a);
	ck_assert_int_eq(rmdir(copies), 0);
	end();
}
END_TEST

START_TEST(test_cannot_run)
{
	static const char *const hosts[] = { "n1", "n2" };

	begin();
	setenv("PATH", folder, 1);
	struct hs_answers a = gather("srun", hosts, 2, 0);
	ck_assert_uint_eq(a.n_answered, 0);
	ck_assert_str_eq(a.hosts[0].why, "srun: not found");
	ck_assert_str_eq(a.hosts[1].why, "srun: not found");
	hs_answers_deinit(&a);
	end();
}
END_TEST

/* More hosts than commands at once. */
START_TEST(test_many)
{
	enum { N = 150 };
	const char *hosts[N];
	char names[N][16];

	begin();
	answer("any", "-");
	script("reach", "case $1 in h77) exit 3 ;; *) cat $FOLDER/answer.any ;; esac");
	for (int i = 0; i < N; i++) {
		snprintf(names[i], sizeof(names[i]), "h%d", i);
		hosts[i] = names[i];
	}
	struct hs_answers a = gather("reach %h", hosts, N, 0);
	ck_assert_uint_eq(a.n_answered, N - 1);
	ck_assert_str_eq(a.hosts[77].why, "reach ended with exit code 3 and no answer");
	hs_answers_deinit(&a);
	end();
}
END_TEST

START_TEST(test_words)
{
	ck_assert(hs_is_host("n1") && hs_is_host("n1.cluster.example") && hs_is_host("10.0.0.1") &&
		  hs_is_host("fe80::1"));
	ck_assert(!hs_is_host("") && !hs_is_host("-oProxyCommand=x") && !hs_is_host("a b") && !hs_is_host("n1;id") &&
		  !hs_is_host("$x"));
	ck_assert(hs_way_is_known("srun") && hs_way_is_known("ssh") && hs_way_is_known("kubectl exec %h --"));
	ck_assert(!hs_way_is_known("telnet"));
	ck_assert(hs_way_is_for_all("clush") && !hs_way_is_for_all("ssh"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("hosts_gather");
	TCase *tc = tcase_create("gather");

	tcase_set_timeout(tc, 200);
	tcase_add_test(tc, test_one_each);
	tcase_add_test(tc, test_one_for_all);
	tcase_add_test(tc, test_srun);
	tcase_add_test(tc, test_srun_copies);
	tcase_add_test(tc, test_copies);
	tcase_add_test(tc, test_cannot_run);
	tcase_add_test(tc, test_many);
	tcase_add_test(tc, test_words);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
