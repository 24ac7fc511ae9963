/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols.h"

#include "mpi_name.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* A function without a size (hand-written assembly) extends to the next one, but at most this far. */
enum { UNSIZED_BYTES = 4096 };

/* Start of a function, for the search by address. */
struct start {
	uint64_t value, bytes;
	uint32_t symbol;
};

struct host_symbols {
	const struct host_elf *e;
	uint64_t table, n, strings, strings_bytes; /* offsets in the file; n symbols */
	unsigned entry_bytes;

	/* .gnu.hash; bucket_count 0: none */
	uint32_t n_buckets, first_hashed, bloom_words, bloom_shift;
	uint64_t bloom, buckets, chains; /* offsets in the file */
	uint64_t n_chains;
	uint64_t versions; /* offset of .gnu.version, 0: none */

	/* our own index, used without .gnu.hash */
	uint32_t *heads, *nexts; /* symbol number + 1 */
	uint32_t n_heads;        /* a power of two */

	struct start *starts; /* sorted by value */
	size_t n_starts;
	bool starts_tried;
};

/* A symbol in the format of the table. */
struct sym {
	uint32_t name;
	uint8_t info, other;
	uint16_t section;
	uint64_t value, bytes;
};

static struct sym get_sym(const struct host_symbols *s, uint64_t i)
{
	const struct host_elf *e = s->e;
	const uint8_t *at = host_elf_at(e, s->table + i * s->entry_bytes, s->entry_bytes);
	bool is64 = e->word_bytes == 8, big = e->big_endian;

	if (!at)
		return (struct sym){ 0 };
	return (struct sym){
		.name = (uint32_t)host_decode_u(at, 4, big),
		.value = host_decode_u(at + (is64 ? 8 : 4), e->word_bytes, big),
		.bytes = host_decode_u(at + (is64 ? 16 : 8), e->word_bytes, big),
		.info = at[is64 ? 4 : 12],
		.other = at[is64 ? 5 : 13],
		.section = (uint16_t)host_decode_u(at + (is64 ? 6 : 14), 2, big),
	};
}

/* Every string is NUL-terminated: host_symbols_create() checks that the string table ends with a NUL. */
static const char *sym_name(const struct host_symbols *s, uint32_t name)
{
	return name < s->strings_bytes ? (const char *)s->e->bytes + s->strings + name : "";
}

static bool is_defined_data_or_code(const struct sym *m)
{
	unsigned type = ELF64_ST_TYPE(m->info);

	if (m->section == SHN_UNDEF || m->section == SHN_COMMON)
		return false;
	return type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC || type == STT_GNU_IFUNC;
}

static enum host_symbol_scope scope_of(const struct sym *m)
{
	return ELF64_ST_BIND(m->info) == STB_LOCAL ? HOST_SCOPE_LOCAL : HOST_SCOPE_GLOBAL;
}

/* .symtab contains versions, "poll@@GLIBC_2.2.5"; queries do not. */
static size_t plain_length(const char *name)
{
	const char *at = strchr(name, '@');

	return at && at != name ? (size_t)(at - name) : strlen(name);
}

static uint32_t gnu_hash(const char *name, size_t n)
{
	uint32_t h = 5381;

	for (size_t i = 0; i < n; i++)
		h = h * 33 + (unsigned char)name[i];
	return h;
}

/* ---- finding the tables -------------------------------------------------------------------------- */

static bool use_gnu_hash(struct host_symbols *s, uint64_t at, uint64_t bytes)
{
	const struct host_elf *e = s->e;
	unsigned w = e->word_bytes;

	if (bytes < 16 || !host_elf_at(e, at, 16))
		return false;
	uint64_t n_buckets = host_elf_u(e, at, 4), words = host_elf_u(e, at + 8, 4);
	uint64_t bloom = at + 16, buckets = bloom + words * w, chains = buckets + n_buckets * 4;
	uint64_t end = at + bytes < e->n ? at + bytes : e->n;

	/* the size of the bloom filter must be a power of two, because its index is masked */
	if (n_buckets == 0 || words == 0 || (words & (words - 1)) != 0 || chains > end)
		return false;
	s->n_buckets = (uint32_t)n_buckets;
	s->first_hashed = (uint32_t)host_elf_u(e, at + 4, 4);
	s->bloom_words = (uint32_t)words;
	s->bloom_shift = (uint32_t)host_elf_u(e, at + 12, 4) & 31;
	s->bloom = bloom;
	s->buckets = buckets;
	s->chains = chains;
	s->n_chains = (end - chains) / 4;
	return true;
}

/* Number of symbols that .gnu.hash covers: the length of the table when there are no section headers. */
static uint64_t gnu_hash_end(const struct host_symbols *s)
{
	uint64_t last = 0;

	for (uint32_t b = 0; b < s->n_buckets; b++) {
		uint64_t i = host_elf_u(s->e, s->buckets + (uint64_t)b * 4, 4);
		if (i > last)
			last = i;
	}
	if (last < s->first_hashed)
		return s->first_hashed;
	for (uint64_t c = last - s->first_hashed; c < s->n_chains; c++)
		if (host_elf_u(s->e, s->chains + c * 4, 4) & 1)
			return s->first_hashed + c + 1;
	return 0;
}

static bool find_by_sections(struct host_symbols *s, enum host_symbols_kind kind)
{
	const struct host_elf *e = s->e;
	const struct host_shdr *table = host_elf_section_of_type(e, kind == HOST_SYMBOLS_DYNAMIC ? SHT_DYNSYM
												 : SHT_SYMTAB);

	if (!table || table->link >= e->n_shdrs || !host_elf_at(e, table->offset, table->bytes))
		return false;
	const struct host_shdr *strings = &e->shdrs[table->link];
	if (strings->type != SHT_STRTAB || !host_elf_at(e, strings->offset, strings->bytes))
		return false;
	s->table = table->offset;
	s->n = table->bytes / s->entry_bytes;
	s->strings = strings->offset;
	s->strings_bytes = strings->bytes;
	if (kind == HOST_SYMBOLS_DYNAMIC) {
		const struct host_shdr *hash = host_elf_section_of_type(e, SHT_GNU_HASH);
		const struct host_shdr *versions = host_elf_section_of_type(e, SHT_GNU_versym);
		if (hash)
			use_gnu_hash(s, hash->offset, hash->bytes);
		if (versions && versions->bytes / 2 >= s->n && host_elf_at(e, versions->offset, versions->bytes))
			s->versions = versions->offset;
	}
	return true;
}

/* A pointer in PT_DYNAMIC: as in the file, or relocated by the loader in an image from memory. */
static bool dynamic_offset(const struct host_elf *e, uint64_t value, uint64_t bias, uint64_t *offset, uint64_t *n)
{
	return host_elf_offset_of(e, value, offset, n) || (bias && host_elf_offset_of(e, value - bias, offset, n));
}

static bool find_by_dynamic(struct host_symbols *s, uint64_t bias)
{
	const struct host_elf *e = s->e;
	unsigned w = e->word_bytes;
	const struct host_phdr *dyn = NULL;
	uint64_t strtab = 0, strsz = 0, symtab = 0, hash = 0, gnu = 0, versym = 0, n;

	for (size_t i = 0; i < e->n_phdrs && !dyn; i++)
		if (e->phdrs[i].type == PT_DYNAMIC)
			dyn = &e->phdrs[i];
	if (!dyn)
		return false;
	for (uint64_t i = 0; i < dyn->file_bytes / (2 * w); i++) {
		uint64_t at = dyn->offset + i * 2 * w;
		if (!host_elf_at(e, at, 2 * w))
			return false;
		uint64_t tag = host_elf_u(e, at, w), value = host_elf_u(e, at + w, w);
		if (tag == DT_NULL)
			break;
		if (tag == DT_STRTAB)
			strtab = value;
		else if (tag == DT_STRSZ)
			strsz = value;
		else if (tag == DT_SYMTAB)
			symtab = value;
		else if (tag == DT_HASH)
			hash = value;
		else if (tag == DT_GNU_HASH)
			gnu = value;
		else if (tag == DT_VERSYM)
			versym = value;
	}
	uint64_t at, avail;
	if (!strtab || !symtab || !dynamic_offset(e, symtab, bias, &s->table, &avail) ||
	    !dynamic_offset(e, strtab, bias, &s->strings, &n) || strsz > n)
		return false;
	s->strings_bytes = strsz;
	if (gnu && dynamic_offset(e, gnu, bias, &at, &n) && use_gnu_hash(s, at, n))
		s->n = gnu_hash_end(s);
	else if (hash && dynamic_offset(e, hash, bias, &at, &n) && n >= 8)
		s->n = host_elf_u(e, at + 4, 4);
	if (s->n > avail / s->entry_bytes)
		s->n = avail / s->entry_bytes;
	if (versym && dynamic_offset(e, versym, bias, &at, &n) && n / 2 >= s->n)
		s->versions = at;
	return s->n > 0;
}

static bool build_index(struct host_symbols *s)
{
	if (s->n >= UINT32_MAX / 2)
		return false;
	s->n_heads = 16;
	while (s->n_heads < s->n)
		s->n_heads *= 2;
	s->heads = calloc(s->n_heads, sizeof(*s->heads));
	s->nexts = calloc(s->n ? s->n : 1, sizeof(*s->nexts));
	if (!s->heads || !s->nexts)
		return false;
	/* backwards, so that the first of several equal names is found */
	for (uint64_t i = s->n; i-- > 1;) {
		struct sym m = get_sym(s, i);
		if (!is_defined_data_or_code(&m))
			continue;
		const char *name = sym_name(s, m.name);
		if (!*name)
			continue;
		uint32_t h = gnu_hash(name, plain_length(name)) & (s->n_heads - 1);
		s->nexts[i] = s->heads[h];
		s->heads[h] = (uint32_t)i + 1;
	}
	return true;
}

struct host_symbols *host_symbols_create(const struct host_elf *e, enum host_symbols_kind kind, uint64_t bias)
{
	struct host_symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->e = e;
	s->entry_bytes = e->word_bytes == 8 ? 24 : 16;
	if (!find_by_sections(s, kind) && (kind != HOST_SYMBOLS_DYNAMIC || !find_by_dynamic(s, bias)))
		goto fail;
	/* the last string must end inside the table */
	while (s->strings_bytes && e->bytes[s->strings + s->strings_bytes - 1] != '\0')
		s->strings_bytes--;
	if (!s->n_buckets && !build_index(s))
		goto fail;
	return s;
fail:
	host_symbols_destroy(s);
	return NULL;
}

void host_symbols_destroy(struct host_symbols *s)
{
	if (!s)
		return;
	free(s->heads);
	free(s->nexts);
	free(s->starts);
	free(s);
}

/* ---- by name ------------------------------------------------------------------------------------- */

static void fill(const struct host_symbols *s, const struct sym *m, struct host_symbol_info *ret)
{
	const char *name = sym_name(s, m->name);

	*ret = (struct host_symbol_info){ .name = name,
					  .name_bytes = plain_length(name),
					  .value = m->value,
					  .bytes = m->bytes,
					  .absolute = m->section == SHN_ABS };
}

static bool accept(const struct host_symbols *s, uint64_t i, const char *name, enum host_symbol_scope scope,
		   struct host_symbol_info *ret)
{
	struct sym m = get_sym(s, i);

	if (!is_defined_data_or_code(&m) || scope_of(&m) != scope)
		return false;
	const char *there = sym_name(s, m.name);
	size_t n = strlen(name);
	if (strncmp(there, name, n) != 0 || plain_length(there) != n)
		return false;
	fill(s, &m, ret);
	return true;
}

/* Is it a version other than the default one (foo@V1 besides foo@@V2)? */
static bool is_old_version(const struct host_symbols *s, uint64_t i, const struct host_symbol_info *info)
{
	const char *tail = info->name + info->name_bytes;

	return (s->versions && host_elf_u(s->e, s->versions + i * 2, 2) & 0x8000) || (tail[0] == '@' && tail[1] != '@');
}

/* Keep the default version, or any other until it is found. @return true: this is the default. */
static bool take_symbol(const struct host_symbols *s, uint64_t i, const struct host_symbol_info *info, bool *found,
			struct host_symbol_info *ret)
{
	bool old = is_old_version(s, i, info);

	if (!old || !*found)
		*ret = *info;
	*found = true;
	return !old;
}

static bool by_gnu_hash(const struct host_symbols *s, const char *name, struct host_symbol_info *ret)
{
	const struct host_elf *e = s->e;
	unsigned bits = e->word_bytes * 8;
	uint32_t h = gnu_hash(name, strlen(name));
	uint64_t word = host_elf_u(e, s->bloom + (uint64_t)((h / bits) & (s->bloom_words - 1)) * e->word_bytes,
				   e->word_bytes);
	bool found = false;

	if (!(word >> (h % bits) & 1) || !(word >> ((h >> s->bloom_shift) % bits) & 1))
		return false;
	uint64_t i = host_elf_u(e, s->buckets + (uint64_t)(h % s->n_buckets) * 4, 4);
	for (; i >= s->first_hashed && i < s->n && i - s->first_hashed < s->n_chains; i++) {
		uint32_t there = (uint32_t)host_elf_u(e, s->chains + (i - s->first_hashed) * 4, 4);
		struct host_symbol_info info;
		if ((there | 1) == (h | 1) && accept(s, i, name, HOST_SCOPE_GLOBAL, &info) &&
		    take_symbol(s, i, &info, &found, ret))
			return true;
		if (there & 1)
			break;
	}
	return found;
}

bool host_symbols_by_name(const struct host_symbols *s, const char *name, enum host_symbol_scope scope,
			  struct host_symbol_info *ret)
{
	if (!s || !*name || strchr(name, '@'))
		return false;
	if (s->n_buckets)
		return scope == HOST_SCOPE_GLOBAL && by_gnu_hash(s, name, ret);
	bool found = false;
	for (uint32_t i = s->heads[gnu_hash(name, strlen(name)) & (s->n_heads - 1)]; i; i = s->nexts[i - 1]) {
		struct host_symbol_info info;
		if (accept(s, i - 1, name, scope, &info) && take_symbol(s, i - 1, &info, &found, ret))
			return true;
	}
	return found;
}

/* ---- functions by address ------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static void build_starts(struct host_symbols *s)
{
	size_t n = 0;

	s->starts_tried = true;
	if (s->n >= UINT32_MAX)
		return;
	struct start *starts = malloc((s->n ? s->n : 1) * sizeof(*starts));
	if (!starts)
		return;
	for (uint64_t i = 1; i < s->n; i++) {
		struct sym m = get_sym(s, i);
		unsigned type = ELF64_ST_TYPE(m.info);
		if ((type == STT_FUNC || type == STT_GNU_IFUNC) && m.section != SHN_UNDEF && m.section != SHN_ABS &&
		    *sym_name(s, m.name))
			starts[n++] = (struct start){ m.value, m.bytes, (uint32_t)i };
	}
	qsort(starts, n, sizeof(*starts), by_value);
	s->starts = starts;
	s->n_starts = n;
}

/* Aliases: an MPI name first (ompi_recv_f is mpi_recv_), MPI before PMPI, few underscores, global, short. */
static bool is_better_name(const struct host_symbols *s, const struct sym *a, const struct sym *b)
{
	const char *x = sym_name(s, a->name), *y = sym_name(s, b->name);
	bool mx = host_mpi_name(x, NULL, 0), my = host_mpi_name(y, NULL, 0);

	if (mx != my)
		return mx;
	if (mx && (x[0] == 'P' || x[0] == 'p') != (y[0] == 'P' || y[0] == 'p'))
		return x[0] != 'P' && x[0] != 'p';
	size_t ux = strspn(x, "_"), uy = strspn(y, "_");
	if (ux != uy)
		return ux < uy;
	if (scope_of(a) != scope_of(b))
		return scope_of(a) == HOST_SCOPE_GLOBAL;
	size_t lx = strlen(x), ly = strlen(y);
	return lx != ly ? lx < ly : strcmp(x, y) < 0;
}

bool host_symbols_function(struct host_symbols *s, uint64_t addr, struct host_symbol_info *ret)
{
	if (!s)
		return false;
	if (!s->starts_tried)
		build_starts(s);
	size_t lo = 0, hi = s->n_starts;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (s->starts[mid].value <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return false;
	uint64_t value = s->starts[lo - 1].value;
	struct sym best = { 0 };
	bool have = false;
	for (size_t i = lo; i-- > 0 && s->starts[i].value == value;) {
		uint64_t bytes = s->starts[i].bytes ? s->starts[i].bytes : UNSIZED_BYTES;
		if (addr - value >= bytes)
			continue;
		struct sym m = get_sym(s, s->starts[i].symbol);
		if (!have || is_better_name(s, &m, &best))
			best = m;
		have = true;
	}
	if (!have)
		return false;
	fill(s, &best, ret);
	return true;
}

bool host_symbols_object(const struct host_symbols *s, uint64_t addr, struct host_symbol_info *ret)
{
	struct sym best = { 0 };
	bool have = false;

	for (uint64_t i = 1; s && i < s->n; i++) {
		struct sym m = get_sym(s, i);
		if (ELF64_ST_TYPE(m.info) != STT_OBJECT || m.section == SHN_UNDEF || m.section == SHN_ABS ||
		    addr < m.value || addr - m.value >= m.bytes || !*sym_name(s, m.name))
			continue;
		if (!have || m.bytes < best.bytes || (m.bytes == best.bytes && is_better_name(s, &m, &best)))
			best = m;
		have = true;
	}
	if (have)
		fill(s, &best, ret);
	return have;
}
