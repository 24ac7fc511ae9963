/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Damaged twins of a core: one field is overwritten with something senseless, the answer is partial and says so,
 * and the rest is still there. Then random damage, and a core that is cut: whatever is said, nothing crashes or hangs.
 */
#include "../../access/pack.h"
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/packs.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOADS_MAX = 4096 };

/* A core whose memory can be modified. */
struct patient {
	int fd;
	Elf64_Phdr loads[LOADS_MAX];
	size_t n_loads;
};

static struct acc_pack *load_pack(void)
{
	const struct acc_pack_builtin *builtin = pack_of_release(pack_installed_release());
	struct acc_note note = { 0 };
	struct acc_pack *pack;

	ck_assert_ptr_nonnull(builtin);
	ck_assert_int_eq(acc_pack_parse(&acc_pack_heap, builtin->text, builtin->n, &note, &pack), ACC_OK);
	return pack;
}

static void admit(const char *path, struct patient *ret)
{
	Elf64_Ehdr head;

	ret->n_loads = 0;
	ret->fd = open(path, O_RDWR);
	ck_assert_int_ge(ret->fd, 0);
	ck_assert_int_eq(pread(ret->fd, &head, sizeof head, 0), sizeof head);
	for (size_t i = 0; i < head.e_phnum; i++) {
		Elf64_Phdr p;

		ck_assert_int_eq(pread(ret->fd, &p, sizeof p, (off_t)(head.e_phoff + i * sizeof p)), sizeof p);
		if (p.p_type != PT_LOAD || !p.p_filesz)
			continue;
		ck_assert_uint_lt(ret->n_loads, LOADS_MAX);
		ret->loads[ret->n_loads++] = p;
	}
}

/* Place of an address in the file, or -1. */
static off_t place(const struct patient *p, uint64_t addr, size_t n)
{
	for (size_t i = 0; i < p->n_loads; i++) {
		const Elf64_Phdr *l = &p->loads[i];

		if (addr >= l->p_vaddr && addr - l->p_vaddr + n <= l->p_filesz)
			return (off_t)(l->p_offset + (addr - l->p_vaddr));
	}
	return -1;
}

static void swap_bytes(const struct patient *p, uint64_t addr, size_t n, const void *bytes, void *before)
{
	off_t at = place(p, addr, n);

	ck_assert_msg(at >= 0, "0x%llx is not in the core", (unsigned long long)addr);
	if (before)
		ck_assert_int_eq(pread(p->fd, before, n, at), (ssize_t)n);
	ck_assert_int_eq(pwrite(p->fd, bytes, n, at), (ssize_t)n);
}

static uint64_t peek(const struct patient *p, uint64_t addr)
{
	uint64_t word = 0;
	off_t at = place(p, addr, sizeof word);

	ck_assert(at >= 0 && pread(p->fd, &word, sizeof word, at) == sizeof word);
	return word;
}

static uint64_t number(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	ck_assert_ptr_nonnull(text);
	return strtoull(text, NULL, 16);
}

/* Ask; the answer must be orderly. @return exit code; *ret: number of communicators, *n_ops: of receives */
static int examine(const char *core, const char *what, size_t *n_comms, size_t *n_ops, size_t *n_problems)
{
	struct mpidbg_run run;
	int rc;

	*n_comms = *n_ops = *n_problems = 0;
	mpidbg_run(&run, "queues", "--core", core, "--json", NULL);
	rc = run.exit_code;
	ck_assert_msg(rc == 0 || rc == 1 || rc == 3, "%s: exit %d: %s", what, rc, run.err);
	ck_assert_msg(run.seconds < 60, "%s: %f s", what, run.seconds);
	ck_assert_msg(rc == 0 || strlen(run.err) > 10, "%s: no word on stderr", what);
	json_t *json = run.out[0] ? mpidbg_run_json(&run) : NULL;
	const json_t *process = json_array_get(json_object_get(json, "processes"), 0);
	const json_t *comms = json_object_get(process, "communicators");
	*n_comms = json_array_size(comms);
	*n_problems = json_array_size(json_object_get(process, "problems"));
	for (size_t i = 0; i < *n_comms; i++)
		*n_ops += json_array_size(json_object_get(json_array_get(comms, i), "pending_receives"));
	json_decref(json);
	mpidbg_run_free(&run);
	return rc;
}

/* What is damaged, and with what. The group is MPI_COMM_WORLD's: without it no rank has a name. */
enum where { OF_RECEIVE, OF_WORLD, OF_COMM, OF_GROUP };
enum with { ITSELF, WILD, ZERO, HUGE_INT, NEGATIVE_INT, ODD };

static const struct {
	const char *name, *type, *field;
	enum where where;
	enum with with;
	bool partial;       /**< it cannot go unnoticed */
	size_t least_comms; /**< that must still be shown */
} damages[] = {
	{ "a list that runs in a circle", "opal_list_item_t", "opal_list_next", OF_RECEIVE, ITSELF, true, 3 },
	{ "a list that leads nowhere", "opal_list_item_t", "opal_list_next", OF_RECEIVE, WILD, true, 3 },
	{ "a list that ends in 0", "opal_list_item_t", "opal_list_next", OF_RECEIVE, ZERO, true, 3 },
	{ "a list with an odd address", "opal_list_item_t", "opal_list_next", OF_RECEIVE, ODD, true, 3 },
	{ "a datatype out of reach", "mca_pml_base_request_t", "req_datatype", OF_RECEIVE, WILD, false, 3 },
	{ "a peer outside the communicator", "mca_pml_base_request_t", "req_peer", OF_RECEIVE, HUGE_INT, false, 3 },
	{ "a group out of reach", "ompi_communicator_t", "c_local_group", OF_COMM, WILD, true, 2 },
	{ "no group", "ompi_communicator_t", "c_local_group", OF_COMM, ZERO, false, 2 },
	{ "queues out of reach", "ompi_communicator_t", "c_pml_comm", OF_COMM, WILD, true, 2 },
	{ "a rank of 2^31 - 1", "ompi_communicator_t", "c_my_rank", OF_COMM, HUGE_INT, true, 2 },
	{ "a negative rank", "ompi_communicator_t", "c_my_rank", OF_COMM, NEGATIVE_INT, true, 2 },
	{ "a group of 2^31 - 1", "ompi_group_t", "grp_proc_count", OF_GROUP, HUGE_INT, true, 0 },
	{ "a group of -1", "ompi_group_t", "grp_proc_count", OF_GROUP, NEGATIVE_INT, true, 0 },
	{ "a world whose group is out of reach", "ompi_communicator_t", "c_local_group", OF_WORLD, WILD, true, 0 },
	{ "a world with a negative rank", "ompi_communicator_t", "c_my_rank", OF_WORLD, NEGATIVE_INT, true, 0 },
	{ "members out of reach", "ompi_group_t", "grp_proc_pointers", OF_GROUP, WILD, true, 0 },
};

static uint64_t offset_of(const struct acc_pack *pack, const char *type, const char *field, unsigned *width)
{
	const struct acc_pack_field *f = acc_pack_field(pack, type, field);

	ck_assert_msg(f != NULL, "%s.%s is not in the pack", type, field);
	*width = f->bytes;
	return f->offset;
}

static void check_damage(size_t i, const struct patient *p, const char *core, const struct acc_pack *pack,
			 uint64_t world_addr, uint64_t comm_addr, uint64_t request_addr)
{
	unsigned width, unused;
	uint64_t offset = offset_of(pack, damages[i].type, damages[i].field, &width), base = request_addr, value = 0,
		 before;
	size_t n_comms, n_ops, n_problems;

	if (damages[i].where == OF_COMM)
		base = comm_addr;
	else if (damages[i].where == OF_WORLD)
		base = world_addr;
	else if (damages[i].where == OF_GROUP)
		base = peek(p, comm_addr + offset_of(pack, "ompi_communicator_t", "c_local_group", &unused));
	switch (damages[i].with) {
	case ITSELF:
		value = base;
		break;
	case WILD:
		value = 0xdeadbeef000;
		break;
	case ODD:
		value = base + 3;
		break;
	case HUGE_INT:
		value = 0x7fffffff;
		break;
	case NEGATIVE_INT:
		value = 0xffffffff;
		break;
	case ZERO:
		break;
	}
	ck_assert(width == 4 || width == 8);
	swap_bytes(p, base + offset, width, &value, &before);
	int rc = examine(core, damages[i].name, &n_comms, &n_ops, &n_problems);
	swap_bytes(p, base + offset, width, &before, NULL);
	printf("%s: exit %d, %zu communicators, %zu receives, %zu problems\n", damages[i].name, rc, n_comms, n_ops,
	       n_problems);
	fflush(stdout);
	if (damages[i].partial) {
		ck_assert_msg(rc == 3, "%s: exit %d", damages[i].name, rc);
		ck_assert_msg(n_problems > 0, "%s: no problem is named", damages[i].name);
	}
	ck_assert_msg(n_comms >= damages[i].least_comms, "%s: %zu communicators", damages[i].name, n_comms);
}

/* Fixed seed: the same damage every time. */
static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 17;
}

/* Words near those that the reader reads are replaced by other words, or by random data. */
static void check_random(const struct patient *p, const char *core, const uint64_t *addrs, size_t n_addrs)
{
	enum { TURNS = 40, WORDS = 12 };
	uint64_t state = 4711;

	for (int turn = 0; turn < TURNS; turn++) {
		uint64_t at[WORDS], before[WORDS];
		size_t n_comms, n_ops, n_problems;
		char what[32];

		for (int k = 0; k < WORDS; k++) {
			uint64_t noise[] = { next_random(&state), addrs[next_random(&state) % n_addrs], 0, UINT64_MAX,
					     addrs[next_random(&state) % n_addrs] + 8 * (next_random(&state) % 64) };
			uint64_t value = noise[next_random(&state) % 5];

			at[k] = addrs[next_random(&state) % n_addrs] + 8 * (next_random(&state) % 64);
			swap_bytes(p, at[k], sizeof value, &value, &before[k]);
		}
		snprintf(what, sizeof what, "random damage %d", turn);
		examine(core, what, &n_comms, &n_ops, &n_problems);
		for (int k = WORDS; k-- > 0;)
			swap_bytes(p, at[k], sizeof before[k], &before[k], NULL);
	}
}

START_TEST(test_damaged)
{
	struct acc_pack *pack = load_pack();
	struct patient patient;
	struct job job;
	uint64_t addrs[128];
	size_t n_addrs = 0, n_comms, n_ops, n_problems, whole_ops;

	job_start("receives", NULL, 3, 0, &job);
	job_cores(&job);
	job_stop(&job);
	const char *core = job.ranks[0].core;
	const json_t *world = json_array_get(json_object_get(job.ranks[0].truth, "communicators"), 0);
	const json_t *receives = json_object_get(world, "pending_receives");
	uint64_t world_addr = number(world, "handle"), request_addr = number(json_array_get(receives, 2), "request");
	uint64_t comm_addr = number(json_array_get(json_object_get(job.ranks[0].truth, "communicators"), 2), "handle");

	admit(core, &patient);
	ck_assert_int_eq(examine(core, "whole", &n_comms, &whole_ops, &n_problems), 0);
	ck_assert_uint_gt(whole_ops, 10);
	for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++)
		check_damage(i, &patient, core, pack, world_addr, comm_addr, request_addr);

	addrs[n_addrs++] = world_addr;
	addrs[n_addrs++] = comm_addr;
	addrs[n_addrs++] = peek(&patient,
				comm_addr + acc_pack_field(pack, "ompi_communicator_t", "c_local_group")->offset);
	addrs[n_addrs++] = peek(&patient,
				comm_addr + acc_pack_field(pack, "ompi_communicator_t", "c_pml_comm")->offset);
	for (size_t i = 0; i < json_array_size(receives) && n_addrs < 128; i++)
		addrs[n_addrs++] = number(json_array_get(receives, i), "request");
	check_random(&patient, core, addrs, n_addrs);

	/* every damage has been undone: a healthy core again */
	ck_assert_int_eq(examine(core, "restored", &n_comms, &n_ops, &n_problems), 0);
	ck_assert_uint_eq(n_ops, whole_ops);

	/* cut, from the end */
	off_t size = lseek(patient.fd, 0, SEEK_END);
	for (int percent = 95; percent >= 0; percent -= 5) {
		char what[32];

		snprintf(what, sizeof what, "cut to %d %%", percent);
		ck_assert_int_eq(ftruncate(patient.fd, size / 100 * percent), 0);
		int rc = examine(core, what, &n_comms, &n_ops, &n_problems);
		/* parts that are intact without the rest may be reported
		 * as complete, but not a core of which nothing is left */
		ck_assert_msg(percent > 0 || rc != 0, "%s: exit 0", what);
	}
	close(patient.fd);
	acc_pack_destroy(&acc_pack_heap, pack);
	job_end(&job);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("damaged");

	tcase_add_test(tc, test_damaged);
	return live_main("check_queues_damaged", NULL, 0, tc);
}
