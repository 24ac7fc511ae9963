/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * waits/mounts.c, waits/kept.c, verdict/load_threads.c, verdict/children.c: what files of /proc say that a test cannot
 * make: network file systems, swapped memory, a core being written, where the kernel waits. Recorded texts.
 */
#include "../../verdict/children.h"
#include "../../verdict/job.h"
#include "../../verdict/loading.h"
#include "../../waits/kept.h"
#include "../../waits/mounts.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of a node of a cluster. */
static const char mounts[] =
	"22 1 253:0 / / rw,relatime shared:1 - xfs /dev/mapper/root rw,attr2,inode64,logbufs=8\n"
	"25 22 0:22 / /tmp rw,nosuid,nodev shared:5 - tmpfs tmpfs rw,size=65536k\n"
	"71 22 0:48 / /home rw,relatime shared:40 - nfs4 nfs1:/export/home rw,vers=4.2,hard,proto=tcp\n"
	"72 22 0:49 / /scratch rw,relatime shared:41 master:7 - lustre 10.0.0.1@o2ib:/scratch rw,flock,lazystatfs\n"
	"73 72 0:50 / /scratch/old\\040data rw,relatime - nfs filer:/vol/old rw,vers=3\n"
	"74 22 0:51 / /gpfs/fs1 rw,relatime - gpfs fs1 rw,relatime\n"
	"75 22 0:52 / /beegfs rw,relatime - beegfs beegfs_nodev rw,cfgFile=/etc/beegfs/beegfs-client.conf\n"
	"76 22 0:53 / /net rw,relatime - autofs /etc/auto.net rw,fd=7\n"
	"77 76 0:54 / /net rw,relatime - nfs4 filer:/net rw\n"
	"broken line\n"
	"78 22 0:55\n";

START_TEST(test_mounts)
{
	static const struct {
		const char *path, *type;
	} rows[] = { { "/home/u/job.h5", "nfs4" },
		     { "/homes/u/job.h5", "xfs" },
		     { "/scratch/u/out.nc", "lustre" },
		     { "/scratch/old data/in.nc", "nfs" },
		     { "/scratch/old", "lustre" },
		     { "/gpfs/fs1/x", "gpfs" },
		     { "/beegfs/x", "beegfs" },
		     { "/net/x", "nfs4" },
		     { "/tmp", "tmpfs" },
		     { "/etc/passwd", "xfs" } };
	char text[sizeof(mounts)], type[WT_MOUNT_TYPE_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memcpy(text, mounts, sizeof(mounts));
		wt_mount_type(text, rows[i].path, type);
		ck_assert_msg(!strcmp(type, rows[i].type), "%s: %s", rows[i].path, type);
	}
	wt_mount_type(NULL, "/x", type);
	ck_assert_str_eq(type, "");
	strcpy(text, "\n - \n - ext4\n");
	wt_mount_type(text, "/x", type);
	ck_assert_str_eq(type, "");
}
END_TEST

START_TEST(test_status)
{
	struct wt_kept kept;
	char text[128];

	wt_kept_of_status("Name:\tsolve\nState:\tS (sleeping)\nTracerPid:\t0\nVmRSS:\t  204 kB\nVmSwap:\t  81920 kB\n"
			  "CoreDumping:\t0\n",
			  &kept);
	ck_assert_int_eq(kept.swapped_kb, 81920);
	ck_assert_str_eq(kept.why, "");
	wt_kept_of_status("Name:\tsolve\nTracerPid:\t0\nCoreDumping:\t1\n", &kept);
	ck_assert_str_eq(kept.why, "being written to a core");
	ck_assert_int_eq(kept.swapped_kb, -1);
	snprintf(text, sizeof(text), "TracerPid:\t%d\n", (int)getppid());
	wt_kept_of_status(text, &kept);
	snprintf(text, sizeof(text), "traced by process %d (", (int)getppid());
	ck_assert_msg(!strncmp(kept.why, text, strlen(text)), "%s", kept.why);
	wt_kept_of_status(NULL, &kept);
	ck_assert_str_eq(kept.why, "");
	ck_assert_int_eq(kept.swapped_kb, -1);
}
END_TEST

/* A rank of a snapshot that waits for a disk, swapped out. */
START_TEST(test_words)
{
	json_t *process = json_loads(
		"{\"rank\":0,\"pid\":7,\"mpi\":{\"state\":\"initialized\"},\"calls\":[{\"thread\":7}],"
		"\"kept\":{\"swapped_kb\":81920},\"threads\":[{\"thread\":7,\"state\":\"waiting\","
		"\"system_call\":\"fsync\",\"file\":\"/scratch/out\",\"kernel_function\":"
		"\"nfs_wait_bit_killable\"}]}",
		0, NULL);
	struct vd_job job = { .n_ranks = 0 };

	ck_assert_ptr_nonnull(process);
	ck_assert(vd_name_rank(&job, 0, 0, -1));
	vd_load_process(&job, 0, process);
	ck_assert_uint_eq(job.n_threads, 1);
	ck_assert_str_eq(job.threads[0].held, "fsync of /scratch/out; the kernel is in nfs_wait_bit_killable");
	ck_assert_int_eq(job.ranks[0].swapped_kb, 81920);
	vd_job_deinit(&job);
	json_decref(process);
}
END_TEST

/* Children of a snapshot: what they do, in words; what makes no sense is unknown. */
START_TEST(test_children)
{
	static const struct {
		const char *child, *words;
	} rows[] = {
		{ "{\"pid\":8,\"name\":\"python3\",\"calls\":[{\"thread\":8,\"backtrace\":[\"read\",\"get at "
		  "a.c:3\"]}],"
		  "\"threads\":[{\"thread\":8,\"waits_for\":{\"text\":\"waits for data from a pipe, at the other end "
		  "process "
		  "7 (python3), which runs\"}}]}",
		  "process 8 (python3) at a.c:3 in get, waits for data from a pipe, at the other end its rank, which "
		  "runs" },
		{ "{\"pid\":8,\"calls\":[{\"thread\":9},{\"thread\":8,\"backtrace\":[\"pause\",\"main at b.c:9\"]}],"
		  "\"threads\":[{\"thread\":8,\"waits_for\":{\"text\":\"waits for a mutex at 0x1f, held by process "
		  "77\"}}]}",
		  "process 8 at b.c:9 in main, waits for a mutex, held by process 77; it has 2 threads" },
		{ "{\"pid\":8,\"why\":\"it is of another user\"}", "process 8: it is of another user" },
		{ "{\"pid\":8,\"state\":\"sleeping\",\"calls\":7,\"threads\":{},\"sources\":\"\"}",
		  "process 8, sleeping" },
		{ "[]", "process -1" },
		{ "{\"pid\":{},\"calls\":[7],\"threads\":[{\"waits_for\":{\"text\":\"waits for x, process 7\"}}]}",
		  "process -1, waits for x, its rank" },
	};
	char text[1024];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct vd_text t = { .n = 0 };
		struct vd_job job = { .n_ranks = 0 };
		struct vd_rank r = { .pid = 7 };
		snprintf(text, sizeof(text), "{\"children\":[%s],\"children_left_out\":3}", rows[i].child);
		json_t *process = json_loads(text, 0, NULL);
		ck_assert_msg(process != NULL, "%s", text);
		vd_load_children(&job, &r, process);
		ck_assert_uint_eq(r.n_children, 1);
		ck_assert_int_eq(r.n_children_left, 3);
		vd_append_child(&t, &job.children[0]);
		ck_assert_str_eq(t.bytes, rows[i].words);
		vd_job_deinit(&job);
		json_decref(process);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("waits_files");
	TCase *tc = tcase_create("texts");

	tcase_add_test(tc, test_mounts);
	tcase_add_test(tc, test_status);
	tcase_add_test(tc, test_words);
	tcase_add_test(tc, test_children);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
