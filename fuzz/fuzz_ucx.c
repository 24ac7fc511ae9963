/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The queues, the pools and the stack of a process over UCX, of which words were changed; what few changes leave is
 * compared. The first byte selects a file of fuzz/recordings/ucx, the rest are changes (fuzz/changes.h).
 *
 * A file: the first byte chooses the layout pack: 13 that of UCX 1.13.x; eight bytes are the address of the worker.
 * Then come pieces of memory: an address (8), a length (2), the bytes. All little-endian. fuzz/make_ucx_seed takes one
 * from a core.
 */
#include "changes.h"
#include "fuzz.h"
#include "target.h"

#include "../readers/ucx/ucx.h"
#include "../tests/support/packs.h"

#include <stdlib.h>
#include <string.h>

enum { PIECES_MAX = 2048, HEAD_BYTES = 9, PIECE_HEAD_BYTES = 10, READS_MAX = 64 << 20 };

/** Distance between the witnesses of the pack, in bytes. */
#define WITNESS_ADDR  UINT64_C(0x1000)
#define WITNESS_BYTES UINT64_C(0x100)

/** Pieces below are left out: the witnesses are there. */
#define FIRST_ADDR UINT64_C(0x10000)

struct piece {
	uint64_t addr, n;
	uint8_t *bytes;
};

struct target {
	const struct acc_pack *pack;
	struct piece pieces[PIECES_MAX];
	size_t n_pieces, n_live;
	uint64_t n_reads;
};

/* The number of the witness is encoded in the address; the expected value is there. */
static bool read_witness(const struct target *t, uint64_t addr, size_t n, uint8_t *ret)
{
	uint64_t i = (addr - WITNESS_ADDR) / WITNESS_BYTES;

	if (addr < WITNESS_ADDR || i >= t->pack->n_witnesses || n > 8)
		return false;
	for (size_t k = 0; k < n; k++)
		ret[k] = (uint8_t)(t->pack->witnesses[i].value >> 8 * k);
	return true;
}

static bool target_read(void *ctx, uint64_t addr, size_t n, void *ret)
{
	struct target *t = ctx;

	FUZZ_MUST(n > 0 && ++t->n_reads < READS_MAX);
	if (read_witness(t, addr, n, ret))
		return true;
	for (size_t i = 0; i < t->n_pieces; i++) {
		const struct piece *p = &t->pieces[i];

		if (addr < p->addr || addr - p->addr >= p->n || n > p->n - (addr - p->addr))
			continue;
		memcpy(ret, p->bytes + (addr - p->addr), n);
		return true;
	}
	return false;
}

static bool target_symbol(void *ctx, const char *name, uint64_t *ret)
{
	const struct target *t = ctx;

	for (size_t i = 0; i < t->pack->n_witnesses; i++)
		if (!strcmp(name, t->pack->witnesses[i].symbol)) {
			*ret = WITNESS_ADDR + i * WITNESS_BYTES - t->pack->witnesses[i].offset;
			return true;
		}
	return false;
}

static void *target_alloc(void *ctx, size_t n)
{
	struct target *t = ctx;

	t->n_live++;
	return malloc(n);
}

static void target_release(void *ctx, void *p)
{
	struct target *t = ctx;

	FUZZ_MUST(t->n_live-- > 0);
	free(p);
}

static const struct acc_target_ops ops = {
	.read = target_read, .symbol = target_symbol, .alloc = target_alloc, .release = target_release
};

/* ---- packs ------------------------------------------------------------------------------------------------ */

/* The packs for UCX that are compiled in; kept from one input to the next. */
static const struct acc_pack *the_pack(unsigned which)
{
	static struct acc_pack *packs[16];
	static unsigned n;
	static bool done;

	for (const struct acc_pack_builtin *b = acc_pack_builtins; !done && b->file; b++) {
		struct acc_note note = { 0 };

		if (strncmp(b->file, "ucx-", 4) != 0 || n == sizeof(packs) / sizeof(packs[0]))
			continue;
		FUZZ_MUST(acc_pack_parse(&acc_pack_heap, b->text, b->n, &note, &packs[n]) == ACC_OK);
		n++;
	}
	done = true;
	FUZZ_MUST(n);
	for (unsigned i = 0; i < n; i++)
		if (!strncmp(packs[i]->version, "1.", 2) && strtoul(packs[i]->version + 2, NULL, 10) == which)
			return packs[i];
	return packs[which % n];
}

/* ---- the reader --------------------------------------------------------------------------------------------- */

static void check_list(const struct rd_ucx_list *list, bool sorted)
{
	FUZZ_MUST(list->n <= list->cap && list->cap <= 2 * RD_UCX_ENTRIES_MAX);
	FUZZ_MUST(!list->n || list->entries);
	FUZZ_MUST((list->rc != ACC_OK) == (list->why[0] != '\0'));
	for (uint64_t i = 1; sorted && i < list->n; i++)
		FUZZ_MUST(list->entries[i - 1].sequence <= list->entries[i].sequence);
}

static void walk(struct rd_ucx *u)
{
	const struct rd_ucx_list *receives = rd_ucx_receives(u), *messages = rd_ucx_messages(u);
	const struct rd_ucx_list *sends = rd_ucx_sends(u), *begun = rd_ucx_begun(u);
	struct rd_ucx_request r;
	struct rd_ucx_message m;
	bool complete;

	check_list(receives, true);
	check_list(messages, false);
	check_list(sends, false);
	check_list(begun, false);
	for (uint64_t i = 0; i < receives->n; i++) {
		FUZZ_MUST(rd_ucx_receive(u, receives->entries[i].addr, &r) == ACC_OK);
		FUZZ_MUST(r.tag == receives->entries[i].tag && r.sequence == receives->entries[i].sequence);
		FUZZ_MUST(rd_ucx_is_posted(u, r.addr, r.sequence));
		rd_ucx_what(u, r.addr, &complete);
	}
	for (uint64_t i = 0; i < messages->n; i++)
		if (rd_ucx_message(u, messages->entries[i].addr, &m) == ACC_OK)
			FUZZ_MUST(m.bytes <= INT64_MAX && m.protocol <= MDL_RENDEZVOUS);
	for (uint64_t i = 0; i < sends->n; i++)
		FUZZ_MUST(rd_ucx_send(u, sends->entries[i].addr, &r) == ACC_OK && rd_ucx_is_ep(u, r.ep_addr));
	for (uint64_t i = 0; i < begun->n; i++)
		FUZZ_MUST(rd_ucx_receive(u, begun->entries[i].addr, &r) == ACC_OK);
}

static uint64_t n_under_way(struct rd_ucx *u, const struct rd_stack *stack)
{
	rd_ucx_set_stacks(u, stack, stack != NULL);
	return rd_ucx_sends(u)->n + rd_ucx_begun(u)->n;
}

/* Without a stack pointer the requests on a stack count only if there is one. */
static void check_no_pointer(struct rd_ucx *u, struct rd_stack stack)
{
	uint64_t n = n_under_way(u, NULL), n_on_stack = n_under_way(u, &stack) - n;

	stack.no_pointer = true;

	FUZZ_MUST(n_under_way(u, &stack) - n == (n_on_stack == 1));
	FUZZ_MUST(n_on_stack < 2 || rd_ucx_sends(u)->rc);
	rd_ucx_set_stacks(u, NULL, 0);
}

/* ---- changes ------------------------------------------------------------------------------------------------ */

/** The length of the lists that memory links twice. A request
 * under way is in a pool only, which says once that it is in use. */
enum { N_LISTS = 2 };
struct seen {
	uint64_t n[N_LISTS];
	bool partial;
};

static struct seen see(struct rd_ucx *u)
{
	const struct rd_ucx_list *lists[N_LISTS] = { rd_ucx_receives(u), rd_ucx_messages(u) };
	struct seen ret = { .partial = u->sp->note.rc != ACC_OK };

	for (size_t i = 0; i < N_LISTS; i++) {
		ret.n[i] = lists[i]->n;
		ret.partial |= lists[i]->rc != ACC_OK;
	}
	return ret;
}

static const char *const files[] = { "fuzz/recordings/ucx/blocked_send", "fuzz/recordings/ucx/receives",
				     "fuzz/recordings/ucx/sends", "fuzz/recordings/ucx/two_on_the_stack",
				     "fuzz/recordings/ucx/unexpected" };

enum { N_FILES = sizeof(files) / sizeof(files[0]) };

static void take_stored(struct target *t, const struct fuzz_stored *file)
{
	memset(t, 0, sizeof(*t));
	FUZZ_MUST(file->n >= HEAD_BYTES);
	t->pack = the_pack(file->data[0]);
	for (size_t i = HEAD_BYTES; i + PIECE_HEAD_BYTES <= file->n && t->n_pieces < PIECES_MAX;) {
		struct piece *p = &t->pieces[t->n_pieces++];

		p->addr = fuzz_number(file->data + i, 8);
		p->n = fuzz_number(file->data + i + 8, 2);
		i += PIECE_HEAD_BYTES;
		if (p->n > file->n - i)
			p->n = file->n - i;
		p->bytes = file->data + i;
		i += p->n;
		t->n_pieces -= p->addr < FIRST_ADDR || p->addr + p->n < p->addr;
	}
}

/* Word @p i, counted over all pieces and modulo their number. */
static uint8_t *word_at(const void *ctx, uint64_t i, uint64_t *addr)
{
	const struct target *t = ctx;
	uint64_t n = 0;

	for (size_t p = 0; p < t->n_pieces; p++)
		n += t->pieces[p].n / FUZZ_WORD;
	FUZZ_MUST(n);
	i %= n ? n : 1;
	for (size_t p = 0; p < t->n_pieces; i -= t->pieces[p++].n / FUZZ_WORD)
		if (i < t->pieces[p].n / FUZZ_WORD) {
			*addr = t->pieces[p].addr + i * FUZZ_WORD;
			return t->pieces[p].bytes + i * FUZZ_WORD;
		}
	return NULL;
}

static struct seen read_all(struct target *t, uint64_t worker_addr)
{
	struct rd_stack stack = { t->pieces[0].addr, t->pieces[0].addr + t->pieces[0].n };
	const struct acc_pack *packs[] = { t->pack };
	struct acc_space sp;
	struct rd_ucx u;

	FUZZ_MUST(t->n_pieces);
	FUZZ_MUST(acc_space_init(&sp, &ops, t, &fuzz_sizes, false) == ACC_OK);
	acc_space_begin(&sp);
	FUZZ_MUST(rd_ucx_init(&u, &sp, &(struct rd_packs){ packs, 1 }) == ACC_OK);
	/* the reader would stop where it is none: the walks must hold all the same */
	bool is_worker = rd_ucx_is_worker(&u, worker_addr);
	FUZZ_MUST(rd_ucx_add_worker(&u, worker_addr));
	rd_ucx_set_stacks(&u, &stack, 1);
	struct seen ret = see(&u);
	ret.partial |= !is_worker;
	walk(&u);
	check_no_pointer(&u, stack);
	rd_ucx_forget(&u);
	rd_ucx_deinit(&u);
	acc_space_end(&sp);
	acc_space_deinit(&sp);
	FUZZ_MUST(t->n_live == 0);
	return ret;
}

int fuzz_ucx(const uint8_t *data, size_t n)
{
	static struct {
		struct fuzz_stored file;
		struct seen seen;
	} recordings[N_FILES];
	static struct target t;
	static struct fuzz_changes c;
	unsigned which = n ? data[0] % N_FILES : 0;
	struct fuzz_stored *file = &recordings[which].file;
	bool is_loaded = file->data != NULL;

	file->path = files[which];
	if (!fuzz_load(file))
		return 0;
	take_stored(&t, file);
	uint64_t worker_addr = fuzz_number(file->data + 1, 8);
	if (!is_loaded)
		recordings[which].seen = read_all(&t, worker_addr);
	for (size_t at = 1; at + FUZZ_CHANGE_BYTES <= n && c.n < FUZZ_CHANGES_MAX; at += FUZZ_CHANGE_BYTES)
		fuzz_change(&c, word_at, &t, data + at, NULL);
	bool is_compared = c.n <= FUZZ_COMPARED_MAX;
	t.n_reads = 0;
	struct seen now = read_all(&t, worker_addr);
	fuzz_undo(&c);
	for (size_t i = 0; is_compared && !now.partial && i < N_LISTS; i++)
		FUZZ_MUST(now.n[i] >= recordings[which].seen.n[i]);
	return 0;
}
