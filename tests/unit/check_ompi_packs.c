/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every compiled-in pack of Open MPI, with a process that is laid out as the pack says: that pack is
 * chosen from all, and no other one in its place. So are told apart releases, machines and configurations.
 */
#include "../../access/pack_choose.h"
#include "../support/fake_ompi.h"
#include "../support/packs.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

enum { PACKS_MAX = 128 };

static struct {
	struct acc_pack *packs[PACKS_MAX];
	const struct acc_pack *list[PACKS_MAX];
	size_t n;
} all;

static void setup(void)
{
	all.n = 0;
	for (const struct acc_pack_builtin *b = acc_pack_builtins; b->file; b++) {
		struct acc_note note = { 0 };
		struct acc_pack *pack = NULL;

		ck_assert_msg(!acc_pack_parse(&acc_pack_heap, b->text, b->n, &note, &pack), "%s: %s", b->file,
			      note.text);
		ck_assert_uint_lt(all.n, PACKS_MAX);
		all.packs[all.n] = pack;
		all.list[all.n++] = pack;
	}
}

static void teardown(void)
{
	for (size_t i = 0; i < all.n; i++)
		acc_pack_destroy(&acc_pack_heap, all.packs[i]);
}

static bool is_ompi(const struct acc_pack *pack)
{
	return strcmp(pack->implementation, rd_ompi_schema.name) == 0;
}

/* The first release that a pack names. */
static const char *release_of(const struct acc_pack *pack, char *ret, size_t size)
{
	for (size_t i = 0; i < pack->n_witnesses; i++)
		if (pack->witnesses[i].kind == ACC_WITNESS_ONE_OF) {
			snprintf(ret, size, "%.*s", (int)strcspn(pack->witnesses[i].text, " "),
				 pack->witnesses[i].text);
			return ret;
		}
	ck_abort_msg("the pack of %s has no witness of its release", pack->version);
	return NULL;
}

static bool same_field(const struct acc_pack_field *a, const struct acc_pack_field *b)
{
	return (!a && !b) || (a && b && a->offset == b->offset && a->bytes == b->bytes);
}

/* Do both give the same rows for everything that the reader uses? */
static bool same_rows(const struct acc_pack *a, const struct acc_pack *b)
{
	for (unsigned i = 0; i < rd_ompi_schema.n_fields; i++) {
		const struct acc_field_row *row = &rd_ompi_schema.fields[i];

		if (!same_field(acc_pack_field(a, row->type_name, row->name),
				acc_pack_field(b, row->type_name, row->name)))
			return false;
	}
	for (unsigned i = 0; i < rd_ompi_schema.n_types; i++) {
		const struct acc_pack_type *of_a = acc_pack_type(a, rd_ompi_schema.types[i].name);
		const struct acc_pack_type *of_b = acc_pack_type(b, rd_ompi_schema.types[i].name);

		if (!of_a != !of_b || (of_a && of_a->bytes != of_b->bytes))
			return false;
	}
	return true;
}

/* A process with two posted receives, a send and two unexpected messages. */
static struct fake_ompi *make(const struct acc_pack *pack)
{
	char release[32];
	struct fake_ompi *m = fake_ompi_create_as(pack, release_of(pack, release, sizeof(release)), 4, 1);

	fake_ompi_post(m, m->world, 2, 99, 5);
	fake_ompi_post(m, m->world, -1, -1, 1);
	fake_ompi_send(m, m->world, 3, 4, 10, 0);
	fake_ompi_message(m, m->world, 3, 7, 100, MDL_EAGER);
	fake_ompi_message(m, m->world, 0, 8, 100000, MDL_RENDEZVOUS);
	return m;
}

static enum acc_rc open_with(struct fake_ompi *m, const struct acc_pack *const *packs, size_t n,
			     struct rd_process **ret)
{
	struct rd_packs list = { packs, n };

	acc_note_clear(&m->sp.note);
	return rd_open(&m->sp, &list, ret);
}

/* With all packs available, the process is read with its own pack or with an equal one. */
START_TEST(test_own_pack)
{
	unsigned n_tried = 0;

	for (size_t i = 0; i < all.n; i++) {
		const struct acc_pack *pack = all.packs[i];
		struct rd_process *p = NULL;

		if (!is_ompi(pack))
			continue;
		struct fake_ompi *m = make(pack);
		enum acc_rc rc = open_with(m, all.list, all.n, &p);
		ck_assert_msg(rc == ACC_OK, "%s, %s: %s (%s)", pack->version, pack->system, acc_rc_text(rc),
			      m->sp.note.text);
		const struct acc_pack *chosen = rd_layout(p)->pack;
		ck_assert_msg(chosen == pack || same_rows(chosen, pack), "%s, %s: read by the pack of %s, %s",
			      pack->version, pack->system, chosen->version, chosen->system);
		struct fake_ompi_seen seen = fake_ompi_see(p, false);
		ck_assert_msg(seen.n_comms == 2 && seen.n_ops == 5 && !seen.n_bad && !seen.n_failures,
			      "%s, %s: %llu communicators, %llu operations, %llu bad, %llu failures", pack->version,
			      pack->system, (unsigned long long)seen.n_comms, (unsigned long long)seen.n_ops,
			      (unsigned long long)seen.n_bad, (unsigned long long)seen.n_failures);
		rd_close(p);
		fake_ompi_destroy(m);
		n_tried++;
	}
	ck_assert_uint_gt(n_tried, 20);
}
END_TEST

/* The bytes of the one eager message of make(), read with a pack. */
static int64_t eager_bytes(struct fake_ompi *m, const struct acc_pack *pack)
{
	struct rd_process *p = NULL;
	struct rd_op_iter it;
	struct mdl_comm comm;
	struct mdl_op op;

	ck_assert_int_eq(open_with(m, &pack, 1, &p), ACC_OK);
	ck_assert_int_eq(rd_comm_get(p, m->world, &comm), ACC_OK);
	ck_assert_int_eq(rd_op_first(p, &comm, MDL_UNEXPECTED, false, &it), ACC_OK);
	do
		ck_assert_int_eq(rd_op_next(&it, &op), ACC_OK);
	while (op.protocol != MDL_EAGER);
	int64_t bytes = op.bytes.value;
	rd_close(p);
	return bytes;
}

/* A pack of the text of another one, with one line more. The caller destroys it. */
static struct acc_pack *pack_with(const char *file, const char *line)
{
	const struct acc_pack_builtin *b = acc_pack_builtins;
	struct acc_note note = { 0 };
	struct acc_pack *pack = NULL;
	char text[65536];

	while (b->file && !strstr(b->file, file))
		b++;
	ck_assert_msg(b->file && b->n + strlen(line) < sizeof(text), "no pack %s", file);
	const char *at = strstr(b->text, "field mca_pml_ob1_match_hdr_t hdr_seq");
	ck_assert_ptr_nonnull(at);
	int n = snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - b->text), b->text, line, at);
	ck_assert_msg(!acc_pack_parse(&acc_pack_heap, text, (size_t)n, &note, &pack), "%s", note.text);
	return pack;
}

/*
 * The header of a message is padded in heterogeneous builds, which only a text in the library shows; the pack may be
 * that of a default build or of a heterogeneous one.
 */
START_TEST(test_heterogeneous)
{
	static const char *const files[] = { "openmpi-4.0.7-x86_64.layout", "openmpi-4.1.4-4.1.8-x86_64.layout",
					     "openmpi-5.0.7-5.0.10-x86_64.layout", "openmpi-4.1.4-4.1.8-aarch64.layout",
					     "openmpi-4.1.4-4.1.8-i386.layout" };
	static const char *const texts[] = { NULL, "opal.pmix.arch", "OMPI_ARCH", "OMPI_ARCHIVE", "opal.pmix" };
	const int which = _i / 5;
	const char *text = texts[_i % 5];
	bool padded = _i % 5 == 1 || _i % 5 == 2;
	struct acc_pack *by_default = pack_with(files[which], "");
	struct acc_pack *site = pack_with(files[which], "field mca_pml_ob1_match_hdr_t hdr_padding 14 2\n");
	struct fake_ompi *m = make(by_default);

	if (text) { /* across the end of a page */
		uint64_t addr = fake_alloc(m->f, 8192, 4096) + 4096 - strlen(text) / 2;
		fake_write(m->f, addr, text, strlen(text) + 1);
	}
	/* the length that was received is the same: 14 + 100 bytes or 16 + 98 */
	ck_assert_int_eq(eager_bytes(m, by_default), padded ? 98 : 100);
	ck_assert_int_eq(eager_bytes(m, site), padded ? 98 : 100);
	fake_ompi_destroy(m);
	acc_pack_destroy(&acc_pack_heap, site);
	acc_pack_destroy(&acc_pack_heap, by_default);
}
END_TEST

/* Since 5.0 debug builds pad, too, and their packs say so. */
START_TEST(test_padded_debug)
{
	struct acc_pack *debug = pack_with("openmpi-5.0.7-5.0.10-x86_64_enable_debug.layout", "");
	struct acc_pack *debug_41 = pack_with("openmpi-4.1.4-4.1.8-x86_64_enable_debug.layout", "");
	struct fake_ompi *m = make(debug);
	struct fake_ompi *m_41 = make(debug_41);

	ck_assert_int_eq(eager_bytes(m, debug), 98);
	ck_assert_int_eq(eager_bytes(m_41, debug_41), 100);
	fake_ompi_destroy(m);
	fake_ompi_destroy(m_41);
	acc_pack_destroy(&acc_pack_heap, debug);
	acc_pack_destroy(&acc_pack_heap, debug_41);
}
END_TEST

/* A core without the library's file has no read-only data: the pack decides. */
START_TEST(test_heterogeneous_unknown)
{
	struct acc_pack *by_default = pack_with("openmpi-4.1.4-4.1.8-x86_64.layout", "");
	struct acc_pack *site = pack_with("openmpi-4.1.4-4.1.8-x86_64.layout",
					  "field mca_pml_ob1_match_hdr_t hdr_padding 14 2\n");
	struct fake_ompi *m = make(by_default);

	fake_symbol(m->f, "ompi_version_string", 0x40);
	ck_assert_int_eq(eager_bytes(m, by_default), 100);
	ck_assert_int_eq(eager_bytes(m, site), 98);
	fake_ompi_destroy(m);
	acc_pack_destroy(&acc_pack_heap, site);
	acc_pack_destroy(&acc_pack_heap, by_default);
}
END_TEST

/* Without its own pack the process is refused: no pack of another release, machine or configuration is used. */
START_TEST(test_no_other_pack)
{
	unsigned n_refused = 0;

	for (size_t i = 0; i < all.n; i++) {
		const struct acc_pack *pack = all.packs[i], *others[PACKS_MAX];
		struct rd_process *p = NULL;
		size_t n = 0;

		if (!is_ompi(pack))
			continue;
		for (size_t k = 0; k < all.n; k++)
			if (k != i && !(is_ompi(all.packs[k]) && same_rows(all.packs[k], pack)))
				others[n++] = all.packs[k];
		struct fake_ompi *m = make(pack);
		enum acc_rc rc = open_with(m, others, n, &p);
		ck_assert_msg(rc == ACC_EWITNESS, "%s, %s: %s", pack->version, pack->system,
			      rc == ACC_OK ? rd_library(p)->layout : acc_rc_text(rc));
		ck_assert_msg(strstr(m->sp.note.text, "disagrees in"), "%s", m->sp.note.text);
		fake_ompi_destroy(m);
		n_refused++;
	}
	ck_assert_uint_gt(n_refused, 20);
}
END_TEST

static const struct acc_pack *pack_for(const char *release, const char *system)
{
	for (size_t i = 0; i < all.n; i++)
		if (is_ompi(all.packs[i]) && acc_pack_names(all.packs[i], release) &&
		    !strcmp(all.packs[i]->system, system))
			return all.packs[i];
	return NULL;
}

/*
 * The default build of a release, the one with --enable-debug and, since 5.0, the one with --enable-heterogeneous: each
 * has a pack, and is refused with another one's, by name.
 */
START_TEST(test_configurations)
{
	static const struct {
		const char *process, *pack, *why, *since;
	} rows[] = {
		{ "x86-64", "x86-64 --enable-debug", "it was configured without --enable-debug; ", "4.0.0" },
		{ "x86-64 --enable-debug", "x86-64", "it was configured with --enable-debug; ", "4.0.0" },
		{ "x86-64", "x86-64 --enable-heterogeneous", "it was configured without --enable-heterogeneous; ",
		  "5.0.0" },
		{ "x86-64 --enable-heterogeneous", "x86-64", "it was configured with --enable-heterogeneous; ",
		  "5.0.0" },
	};
	static const char *const releases[] = { "4.0.0", "4.0.7", "4.1.0", "4.1.1", "4.1.2",
						"4.1.4", "4.1.8", "5.0.0", "5.0.5", "5.0.10" };
	const char *release = releases[_i / 4], *process = rows[_i % 4].process;
	const char *option = strchr(process, ' ');

	if (strcmp(release, rows[_i % 4].since) < 0)
		return;
	const struct acc_pack *own = pack_for(release, process), *other = pack_for(release, rows[_i % 4].pack);
	struct rd_process *p = NULL;

	ck_assert_msg(own && other, "%s has no pack for %s", release, own ? rows[_i % 4].pack : "itself");
	struct fake_ompi *m = make(own);
	if (strstr(process, "--enable-heterogeneous"))
		fake_string(m->f, "OMPI_ARCH");
	ck_assert_int_eq(open_with(m, &other, 1, &p), ACC_EWITNESS);
	ck_assert_msg(strstr(m->sp.note.text, rows[_i % 4].why), "%s", m->sp.note.text);
	ck_assert_int_eq(open_with(m, all.list, all.n, &p), ACC_OK);
	ck_assert_ptr_eq(rd_layout(p)->pack, own);
	ck_assert_ptr_eq(strstr(rd_library(p)->layout, "--enable-"),
			 option ? strstr(rd_library(p)->layout, option + 1) : NULL);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ompi_packs");
	TCase *tc = tcase_create("packs");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_own_pack);
	tcase_add_test(tc, test_no_other_pack);
	tcase_add_loop_test(tc, test_configurations, 0, 40);
	tcase_add_loop_test(tc, test_heterogeneous, 0, 25);
	tcase_add_test(tc, test_padded_debug);
	tcase_add_test(tc, test_heterogeneous_unknown);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
