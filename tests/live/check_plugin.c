/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins in our host, on live processes: ours, and the one that Open MPI ships, which knows no layout packs and gets
 * its types from the host: from a pack, or from DWARF. Both through plain mqs_* iteration.
 */
#include "../../access/pack.h"
#include "../../host/host.h"
#include "../../host/layout_types.h"
#include "../support/job.h"
#include "../support/packs.h"
#include "../support/scratch.h"
#include "../support/suite.h"
#include "../support/process.h"

#include <check.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#else
static void __lsan_disable(void)
{
}
static void __lsan_enable(void)
{
}
#endif

static const char vendor_path[] = "/usr/lib/x86_64-linux-gnu/openmpi/lib/openmpi3/libompi_dbg_msgq.so";
static const char pack_name[] = "given.layout";

enum { TIMEOUT_S = 240, OPERATIONS_MAX = 10000 };

static char scratch[SCRATCH_MAX], pack_path[SCRATCH_MAX + 64];

static const struct acc_pack_builtin *pack_text(void)
{
	const struct acc_pack_builtin *b = pack_of_release(pack_installed_release());
	ck_assert_msg(b != NULL, "no pack of Open MPI %s is built in", pack_installed_release());
	return b;
}

static void write_file(const char *path, const char *text, size_t n)
{
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

static void set_up(void)
{
	scratch_make(scratch, "plugin");
	snprintf(pack_path, sizeof(pack_path), "%s/%s", scratch, pack_name);
	const struct acc_pack_builtin *b = pack_text();
	write_file(pack_path, b->text, b->n);
}

static void tear_down(void)
{
	scratch_remove(scratch);
}

static const char *our_path(void)
{
	static char path[PATH_MAX];
	const char *build = getenv("MPIDBG_BUILD");
	snprintf(path, sizeof(path), "%s/libmpidbg.so", build ? build : "build");
	return path;
}

/* ---- output of a plugin, as text -------------------------------------------------------------------------- */

struct listing {
	char *text;
	size_t n_comms, n_ops[3];
	int rc[3]; /* of mqs_setup_operation_iterator for MPI_COMM_WORLD */
};

static void list_operations(const struct host_session *s, int op_class, FILE *out, struct listing *ret)
{
	mqs_pending_operation op;
	int rc = s->plugin->mqs_setup_operation_iterator(s->process, op_class);
	ret->rc[op_class] = rc;
	fprintf(out, " class %d: %d\n", op_class, rc);
	if (rc != mqs_ok)
		return;
	for (int n = 0; n < OPERATIONS_MAX; n++) {
		memset(&op, 0, sizeof(op));
		rc = s->plugin->mqs_next_operation(s->process, &op);
		if (rc != mqs_ok)
			break;
		ret->n_ops[op_class]++;
		fprintf(out, "  status %d peer %ld tag %ld bytes %ld\n", op.status, op.desired_local_rank,
			op.tag_wild ? -1L : op.desired_tag, op.desired_length);
	}
	ck_assert_int_eq(rc, mqs_end_of_list);
}

/* Everything of MPI_COMM_WORLD, and the other communicators' heads. */
static struct listing list_all(const struct host_session *s)
{
	struct listing ret = { 0 };
	size_t n;
	FILE *out = open_memstream(&ret.text, &n);
	const struct host_plugin *p = s->plugin;
	char *message = NULL;
	ck_assert_int_eq(p->mqs_image_has_queues(s->image, &message), mqs_ok);
	ck_assert_int_eq(p->mqs_process_has_queues(s->process, &message), mqs_ok);
	ck_assert_int_eq(p->mqs_update_communicator_list(s->process), mqs_ok);
	int rc = p->mqs_setup_communicator_iterator(s->process);
	for (; rc == mqs_ok && ret.n_comms < 100; rc = p->mqs_next_communicator(s->process)) {
		mqs_communicator comm = { 0 };
		ck_assert_int_eq(p->mqs_get_communicator(s->process, &comm), mqs_ok);
		fprintf(out, "%s rank %ld size %ld\n", comm.name, comm.local_rank, comm.size);
		ret.n_comms++;
		for (int op_class = 0; op_class < 3 && !strcmp(comm.name, "MPI_COMM_WORLD"); op_class++)
			list_operations(s, op_class, out, &ret);
	}
	ck_assert_int_eq(rc, mqs_end_of_list);
	fclose(out);
	return ret;
}

static struct host_session open_session(struct host_plugin *plugin, pid_t pid, const char *layout,
					struct host_target **target)
{
	struct host_error err = { 0 };
	struct host_session s;
	ck_assert_msg(host_open_live(pid, target, &err) == HOST_OK, "%s", err.text);
	ck_assert_msg(host_session_open(plugin, *target, layout, &s, &err) == HOST_OK, "%s", err.text);
	return s;
}

/* Load, list, unload: nothing of it may be left in the process. */
static struct listing look(const char *plugin_path, pid_t pid, const char *layout)
{
	struct host_error err = { 0 };
	struct host_plugin plugin;
	struct host_target *target;
	ck_assert_msg(host_plugin_load(plugin_path, &plugin, &err) == HOST_OK, "%s", err.text);
	struct host_session s = open_session(&plugin, pid, layout, &target);
	bool is_vendor = !strcmp(plugin_path, vendor_path);
	if (is_vendor) /* it leaks some of its allocations */
		__lsan_disable();
	struct listing l = list_all(&s);
	if (is_vendor)
		__lsan_enable();
	uint64_t n_reads, bytes;
	host_session_reads(&s, &n_reads, &bytes);
	ck_assert_uint_gt(n_reads, 0);
	ck_assert_uint_ge(bytes, n_reads);
	host_session_close(&s);
	ck_assert_ptr_null(s.image);
	host_close(target);
	host_plugin_unload(&plugin);
	ck_assert(!job_is_traced(pid));
	ck_assert_int_ne(process_state(pid), 'T');
	return l;
}

/* What the rank itself wrote down of MPI_COMM_WORLD. */
static json_t *truth_list(const struct job_rank *rank, const char *list)
{
	size_t i;
	json_t *comm;
	json_array_foreach(json_object_get(rank->truth, "communicators"), i, comm)
	{
		const char *name = json_string_value(json_object_get(comm, "name"));
		if (name && !strcmp(name, "MPI_COMM_WORLD"))
			return json_object_get(comm, list);
	}
	ck_abort_msg("the truth has no MPI_COMM_WORLD");
	return NULL;
}

/* Every operation that the program has posted is listed, with its tag and its length. */
static void has_all(const struct listing *l, json_t *truths, const char *what)
{
	size_t i;
	json_t *o;
	ck_assert_uint_gt(json_array_size(truths), 0);
	json_array_foreach(truths, i, o)
	{
		char line[128];
		snprintf(line, sizeof(line), " tag %lld bytes %lld\n",
			 (long long)json_integer_value(json_object_get(o, "tag")),
			 (long long)json_integer_value(json_object_get(o, "bytes")));
		ck_assert_msg(strstr(l->text, line) != NULL, "%s: no%sin:\n%s", what, line, l->text);
	}
}

/* ---- tests ----------------------------------------------------------------------------------------- */

START_TEST(test_ours)
{
	struct job job;
	job_start("sends", NULL, 2, 0, &job);
	struct listing l = look(our_path(), job.ranks[0].pid, NULL);
	json_t *sends = truth_list(&job.ranks[0], "pending_sends");
	has_all(&l, sends, "ours");
	ck_assert_uint_ge(l.n_ops[mqs_pending_sends], json_array_size(sends));
	ck_assert_uint_eq(l.n_ops[mqs_pending_receives], 0);
	free(l.text);
	job_end(&job);
}
END_TEST

/* Known defects of the vendor's DLL are in docs/; that it says anything at all on a stripped library is our host's. */
START_TEST(test_vendor)
{
	struct job job;
	job_start("sends", NULL, 2, 0, &job);
	struct listing l = look(vendor_path, job.ranks[0].pid, pack_path);
	has_all(&l, truth_list(&job.ranks[0], "pending_sends"), "the vendor's");
	ck_assert_ptr_nonnull(strstr(l.text, "MPI_COMM_WORLD rank 0 size 2\n"));
	ck_assert_ptr_nonnull(strstr(l.text, "MPI_COMM_SELF rank 0 size 1\n"));
	ck_assert_int_eq(l.rc[mqs_unexpected_messages], mqs_no_information);
	free(l.text);
	l = look(vendor_path, job.ranks[1].pid, pack_path);
	ck_assert_ptr_nonnull(strstr(l.text, "MPI_COMM_WORLD rank 1 size 2\n"));
	free(l.text);
	job_end(&job);
}
END_TEST

/* Without a pack and without DWARF it has no types: it says so, and both sides live on. */
START_TEST(test_vendor_without_types)
{
	struct host_error err = { 0 };
	struct host_plugin plugin;
	struct host_target *target;
	struct job job;
	char *message = NULL;
	job_start("sends", NULL, 2, 0, &job);
	ck_assert_msg(host_plugin_load(vendor_path, &plugin, &err) == HOST_OK, "%s", err.text);
	struct host_session s = open_session(&plugin, job.ranks[0].pid, NULL, &target);
	ck_assert_int_eq(plugin.mqs_image_has_queues(s.image, &message), err_missing_type);
	ck_assert_str_eq(message, "opal_list_item_t");
	host_session_close(&s);
	host_close(target);
	host_plugin_unload(&plugin);
	job_end(&job);
}
END_TEST

/*
 * A library whose DWARF agrees with the pack: one union per type, in which each member is in a separate structure
 * at its offset.
 */
static void make_described(const char *library)
{
	char source[PATH_MAX + 64], command[3 * PATH_MAX];
	const struct acc_pack_builtin *b = pack_text();
	struct host_error err;
	struct acc_pack *pack;
	ck_assert_int_eq(host_layout_parse(pack_name, b->text, b->n, &pack, &err), HOST_OK);
	snprintf(source, sizeof(source), "%s/described.c", scratch);
	FILE *f = fopen(source, "w");
	ck_assert_ptr_nonnull(f);
	for (size_t i = 0; i < pack->n_types; i++) {
		const struct acc_pack_type *t = &pack->types[i];
		fprintf(f, "typedef union { char all_of_it[%u];\n", t->bytes);
		for (size_t j = 0; j < pack->n_fields; j++) {
			const struct acc_pack_field *field = &pack->fields[j];
			if (!strcmp(field->type, t->name))
				fprintf(f, "struct { char before_%zu[%u]; char %s[%u]; };\n", j, field->offset,
					field->name, field->bytes);
		}
		fprintf(f, "} %s; %s object_%zu;\n", t->name, t->name, i);
	}
	ck_assert_int_eq(fclose(f), 0);
	host_layout_close(pack);
	snprintf(command, sizeof(command), "gcc -w -g -shared -fPIC -o '%s' '%s'", library, source);
	ck_assert_msg(system(command) == 0, "%s", command);
}

/* The same answers from DWARF as from the pack. */
START_TEST(test_from_dwarf)
{
	static const struct {
		const char *name;
		int n;
	} programs[] = { { "sends", 2 }, { "receives", 3 } };
	char library[PATH_MAX + 64], preload[2 * PATH_MAX];
	struct job plain, described;
	snprintf(library, sizeof(library), "%s/described.so", scratch);
	snprintf(preload, sizeof(preload), "-x LD_PRELOAD=%s", library);
	make_described(library);
	job_start(programs[_i].name, NULL, programs[_i].n, 0, &plain);
	job_start(programs[_i].name, preload, programs[_i].n, 0, &described);
	for (int rank = 0; rank < programs[_i].n; rank++) {
		struct listing pack = look(vendor_path, plain.ranks[rank].pid, pack_path);
		struct listing dwarf = look(vendor_path, described.ranks[rank].pid, NULL);
		ck_assert_str_eq(pack.text, dwarf.text);
		free(pack.text);
		free(dwarf.text);
		pack = look(our_path(), plain.ranks[rank].pid, NULL);
		dwarf = look(our_path(), described.ranks[rank].pid, NULL);
		ck_assert_str_eq(pack.text, dwarf.text);
		ck_assert_uint_gt(strlen(pack.text), 30);
		free(pack.text);
		free(dwarf.text);
	}
	job_end(&plain);
	job_end(&described);
}
END_TEST

START_TEST(test_bad_layout)
{
	static const char narrow[] = "mpidbg-layout 1\nimplementation openmpi\nword-bytes 4\nbyte-order little\n"
				     "type opal_list_t 32\n";
	struct host_error err = { 0 };
	struct host_plugin plugin;
	struct host_target *target;
	struct host_session s;
	struct job job;
	job_start("sends", NULL, 2, 0, &job);
	ck_assert_msg(host_plugin_load(our_path(), &plugin, &err) == HOST_OK, "%s", err.text);
	ck_assert_int_eq(host_open_live(job.ranks[0].pid, &target, &err), HOST_OK);
	ck_assert_int_eq(host_session_open(&plugin, target, "/no/such/file", &s, &err), HOST_ABSENT);
	ck_assert_ptr_null(s.image);
	write_file(pack_path, "rubbish\n", 8);
	ck_assert_int_eq(host_session_open(&plugin, target, pack_path, &s, &err), HOST_UNREADABLE);
	ck_assert_ptr_nonnull(strstr(err.text, "line 1"));
	write_file(pack_path, narrow, strlen(narrow));
	ck_assert_int_eq(host_session_open(&plugin, target, pack_path, &s, &err), HOST_UNREADABLE);
	ck_assert_ptr_nonnull(strstr(err.text, "is for words of 4 bytes, the target has 8"));
	host_session_close(&s); /* all zero */
	host_close(target);
	host_plugin_unload(&plugin);
	host_plugin_unload(&plugin); /* all zero */
	job_end(&job);
}
END_TEST

START_TEST(test_no_plugin)
{
	struct host_error err = { 0 };
	struct host_plugin plugin;
	ck_assert_int_eq(host_plugin_load("/no/such/plugin.so", &plugin, &err), HOST_ABSENT);
	ck_assert_int_eq(host_plugin_load(pack_path, &plugin, &err), HOST_UNREADABLE);
	ck_assert_ptr_nonnull(strstr(err.text, "cannot be loaded"));
	ck_assert_int_eq(host_plugin_load("/lib/x86_64-linux-gnu/libm.so.6", &plugin, &err), HOST_UNREADABLE);
	ck_assert_ptr_nonnull(strstr(err.text, "is no message queue plugin"));
	ck_assert_ptr_null(plugin.dl);
	ck_assert_ptr_null(plugin.path);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("plugin");
	TCase *tc = tcase_create("plugin");
	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_no_plugin);
	tcase_add_test(tc, test_ours);
	tcase_add_test(tc, test_bad_layout);
	if (!access(vendor_path, R_OK)) { /* libopenmpi3 of Debian on x86-64 */
		tcase_add_test(tc, test_vendor);
		tcase_add_test(tc, test_vendor_without_types);
		tcase_add_loop_test(tc, test_from_dwarf, 0, 2);
	}
	suite_add_tcase(s, tc);
	return suite_run(s);
}
