/* SPDX-License-Identifier: BSD-3-Clause */
#include "dwarf_file.h"
#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An entry of the index: the first definition and the first typedef with this name, encoded by pack_ref(). */
struct slot {
	uint64_t hash; /* 0: unused slot */
	uint64_t definition, alias;
};

struct host_dwarf {
	char *path;
	int fd;
	Elf *elf;
	unsigned word_bytes;
	bool big_endian;
	Dwarf_Debug dbg;
	bool dbg_tried;
	bool indexed;
	uint64_t info_bytes; /* size of .debug_info and .debug_types: an upper bound for the number of entries */
	struct slot *slots;
	size_t n_slots, n_used; /* n_slots is a power of two, or 0 */
};

enum { NAMESPACES_MAX = 4 }; /* nesting depth */

/*
 * libdwarf removed parameters in 0.x: the access mode of dwarf_init_b() (DW_DLC_READ is 0) and the error of
 * dwarf_finish(). The declarations in its header decide which form is used. Drop the old forms when Debian 12 is gone.
 */
typedef int init_fn(int, unsigned int, Dwarf_Handler, Dwarf_Ptr, Dwarf_Debug *, Dwarf_Error *);
typedef int old_init_fn(int, Dwarf_Unsigned, unsigned int, Dwarf_Handler, Dwarf_Ptr, Dwarf_Debug *, Dwarf_Error *);
typedef int finish_fn(Dwarf_Debug);
typedef int old_finish_fn(Dwarf_Debug, Dwarf_Error *);
typedef void any_fn(void);
enum {
	OLD_INIT = __builtin_types_compatible_p(__typeof__(dwarf_init_b), old_init_fn),
	OLD_FINISH = __builtin_types_compatible_p(__typeof__(dwarf_finish), old_finish_fn),
};
_Static_assert(OLD_INIT || __builtin_types_compatible_p(__typeof__(dwarf_init_b), init_fn),
	       "dwarf_init_b() of this libdwarf has parameters that are not known here");
_Static_assert(OLD_FINISH || __builtin_types_compatible_p(__typeof__(dwarf_finish), finish_fn),
	       "dwarf_finish() of this libdwarf has parameters that are not known here");

static int init_debug(int fd, Dwarf_Debug *ret, Dwarf_Error *error)
{
	any_fn *init = (any_fn *)dwarf_init_b;
	if (OLD_INIT)
		return ((old_init_fn *)init)(fd, 0, DW_GROUPNUMBER_ANY, NULL, NULL, ret, error);
	return ((init_fn *)init)(fd, DW_GROUPNUMBER_ANY, NULL, NULL, ret, error);
}

static int finish_debug(Dwarf_Debug dbg)
{
	Dwarf_Error error = NULL;
	any_fn *finish = (any_fn *)dwarf_finish;
	if (OLD_FINISH)
		return ((old_finish_fn *)finish)(dbg, &error);
	return ((finish_fn *)finish)(dbg);
}

static const uint64_t hash_start = UINT64_C(0xcbf29ce484222325);

/* Continue a hash: for names composed of parts ("MPI", "::", "Comm"). */
static uint64_t hash_more(uint64_t h, const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		h = (h ^ *p) * UINT64_C(0x100000001b3);
	return h;
}

/* The part of a C++ name that occurs among the strings of a file: "Comm" for "MPI::Comm". */
static const char *own_name(const char *name)
{
	for (const char *colons; (colons = strstr(name, "::"));)
		name = colons + 2;
	return name;
}

/* Encode an offset and its section in one word; never 0. */
static uint64_t pack_ref(uint64_t offset, bool is_info)
{
	return (offset << 2) | (is_info ? 3 : 1);
}

static struct host_die unpack_ref(struct host_dwarf *d, uint64_t ref)
{
	struct host_die die = { 0 };
	if (ref) {
		die.file = d;
		die.offset = ref >> 2;
		die.is_info = ref & 2;
	}
	return die;
}

/* ---- the ELF file ---------------------------------------------------------------------------------- */

static Elf_Scn *section_next(struct host_dwarf *d, Elf_Scn *scn, GElf_Shdr *shdr, const char **name)
{
	size_t strings;
	if (elf_getshdrstrndx(d->elf, &strings))
		return NULL;
	while ((scn = elf_nextscn(d->elf, scn)))
		if (gelf_getshdr(scn, shdr) && shdr->sh_type != SHT_NOBITS &&
		    (*name = elf_strptr(d->elf, strings, shdr->sh_name)))
			return scn;
	return NULL;
}

enum host_errc host_dwarf_open(const char *path, struct host_dwarf **ret, struct host_error *err)
{
	elf_version(EV_CURRENT);
	struct host_dwarf *d = calloc(1, sizeof(*d));
	if (!d)
		return host_error_set(err, HOST_UNREADABLE, "%s: out of memory", path);
	d->fd = open(path, O_RDONLY | O_CLOEXEC);
	d->path = strdup(path);
	if (d->fd < 0 || !d->path) {
		enum host_errc code = errno == EACCES ? HOST_DENIED : HOST_ABSENT;
		host_error_set(err, code, "%s: %s", path, strerror(errno));
		host_dwarf_close(d);
		return code;
	}
	/* private, because compressed sections are decompressed in place */
	d->elf = elf_begin(d->fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	GElf_Ehdr ehdr;
	if (!d->elf || elf_kind(d->elf) != ELF_K_ELF || !gelf_getehdr(d->elf, &ehdr)) {
		host_dwarf_close(d);
		return host_error_set(err, HOST_UNREADABLE, "%s: is not an ELF file", path);
	}
	d->word_bytes = ehdr.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	d->big_endian = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;

	const char *name;
	GElf_Shdr shdr;
	for (Elf_Scn *scn = NULL; (scn = section_next(d, scn, &shdr, &name));)
		if (!strncmp(name, ".debug_info", 11) || !strncmp(name, ".debug_types", 12) ||
		    !strncmp(name, ".zdebug_info", 12)) {
			uint64_t bytes = shdr.sh_size;
			GElf_Chdr chdr;
			if ((shdr.sh_flags & SHF_COMPRESSED) && gelf_getchdr(scn, &chdr))
				bytes = chdr.ch_size;
			d->info_bytes += bytes;
		}
	if (!d->info_bytes) {
		host_dwarf_close(d);
		return host_error_set(err, HOST_ABSENT, "%s: has no debug information", path);
	}
	*ret = d;
	return HOST_OK;
}

void host_dwarf_close(struct host_dwarf *d)
{
	if (!d)
		return;
	if (d->dbg)
		finish_debug(d->dbg);
	elf_end(d->elf);
	if (d->fd >= 0)
		close(d->fd);
	free(d->slots);
	free(d->path);
	free(d);
}

const char *host_dwarf_path(const struct host_dwarf *d)
{
	return d->path;
}

unsigned host_dwarf_word_bytes(const struct host_dwarf *d)
{
	return d->word_bytes;
}

bool host_dwarf_big_endian(const struct host_dwarf *d)
{
	return d->big_endian;
}

Dwarf_Debug host_dwarf_debug(struct host_dwarf *d)
{
	if (!d->dbg_tried) {
		Dwarf_Error error = NULL;
		d->dbg_tried = true;
		int rc = init_debug(d->fd, &d->dbg, &error);
		if (rc != DW_DLV_OK) {
			if (rc == DW_DLV_ERROR)
				dwarf_dealloc(NULL, error, DW_DLA_ERROR);
			d->dbg = NULL;
		}
	}
	return d->dbg;
}

bool host_dwarf_mentions(struct host_dwarf *d, const char *name)
{
	if (d->indexed)
		return true; /* the index is faster */
	name = own_name(name);
	size_t n = strlen(name) + 1; /* includes the NUL: matches the end of a string;
				      * its start may be shared with another string */
	const char *section;
	GElf_Shdr shdr;
	for (Elf_Scn *scn = NULL; (scn = section_next(d, scn, &shdr, &section));) {
		if (!strncmp(section, ".zdebug_", 8))
			return true; /* old compression format: not searched */
		if (strcmp(section, ".debug_str") && strcmp(section, ".debug_info") && strcmp(section, ".debug_types"))
			continue;
		if ((shdr.sh_flags & SHF_COMPRESSED) && elf_compress(scn, 0, 0) < 0)
			return true;
		Elf_Data *data = elf_rawdata(scn, NULL);
		if (shdr.sh_flags & SHF_COMPRESSED)
			data = elf_getdata(scn, NULL);
		if (!data || (!data->d_buf && data->d_size))
			return true;
		if (data->d_size >= n && memmem(data->d_buf, data->d_size, name, n))
			return true;
	}
	return false;
}

/* ---- the index ------------------------------------------------------------------------------------- */

static struct slot *slot_of(struct host_dwarf *d, uint64_t hash)
{
	size_t i = hash & (d->n_slots - 1);
	while (d->slots[i].hash && d->slots[i].hash != hash)
		i = (i + 1) & (d->n_slots - 1);
	return &d->slots[i];
}

static bool index_grow(struct host_dwarf *d)
{
	struct slot *old = d->slots;
	size_t n_old = d->n_slots, n_new = n_old ? n_old * 2 : 1024;
	struct slot *slots = calloc(n_new, sizeof(*slots));
	if (!slots)
		return false;
	d->slots = slots;
	d->n_slots = n_new;
	for (size_t i = 0; i < n_old; i++)
		if (old[i].hash)
			*slot_of(d, old[i].hash) = old[i];
	free(old);
	return true;
}

static bool index_add(struct host_dwarf *d, uint64_t hash, bool alias, uint64_t ref)
{
	if (d->n_used * 4 >= d->n_slots * 3 && !index_grow(d))
		return false;
	hash = hash ? hash : 1;
	struct slot *s = slot_of(d, hash);
	if (!s->hash) {
		s->hash = hash;
		d->n_used++;
	}
	uint64_t *where = alias ? &s->alias : &s->definition;
	if (!*where)
		*where = ref;
	return true;
}

static bool is_type_tag(Dwarf_Half tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_enumeration_type || tag == DW_TAG_base_type || tag == DW_TAG_typedef;
}

static void index_die(struct host_dwarf *d, Dwarf_Die die, bool is_info, uint64_t scope)
{
	Dwarf_Error error = NULL;
	Dwarf_Half tag;
	Dwarf_Off offset;
	Dwarf_Bool declaration = 0;
	char *name;
	if (dwarf_tag(die, &tag, &error) == DW_DLV_OK && is_type_tag(tag) &&
	    dwarf_hasattr(die, DW_AT_declaration, &declaration, &error) == DW_DLV_OK && !declaration &&
	    dwarf_diename(die, &name, &error) == DW_DLV_OK && dwarf_dieoffset(die, &offset, &error) == DW_DLV_OK &&
	    offset < UINT64_MAX >> 2)
		index_add(d, hash_more(scope, name), tag == DW_TAG_typedef, pack_ref(offset, is_info));
	if (error)
		dwarf_dealloc(d->dbg, error, DW_DLA_ERROR);
}

/* A namespace whose types can be asked for by name; the language's
 * own libraries have thousands. @return its scope, 0: none */
static uint64_t namespace_scope(struct host_dwarf *d, Dwarf_Die die, uint64_t scope)
{
	Dwarf_Error error = NULL;
	Dwarf_Half tag;
	char *name;
	uint64_t ret = 0;
	if (dwarf_tag(die, &tag, &error) == DW_DLV_OK && tag == DW_TAG_namespace &&
	    dwarf_diename(die, &name, &error) == DW_DLV_OK && strcmp(name, "std") && strncmp(name, "__", 2))
		ret = hash_more(hash_more(scope, name), "::");
	if (error)
		dwarf_dealloc(d->dbg, error, DW_DLA_ERROR);
	return ret;
}

/* The children of a unit's entry, or of a namespace's. */
static void index_children(struct host_dwarf *d, Dwarf_Die parent, bool is_info, uint64_t scope, unsigned depth)
{
	Dwarf_Error error = NULL;
	Dwarf_Die die = NULL;
	Dwarf_Off last = 0;
	int rc = dwarf_child(parent, &die, &error);
	while (rc == DW_DLV_OK) {
		Dwarf_Off offset;
		Dwarf_Die next = NULL;
		if (dwarf_dieoffset(die, &offset, &error) != DW_DLV_OK || offset <= last)
			break; /* offsets of siblings must increase, or the walk would never end */
		last = offset;
		index_die(d, die, is_info, scope);
		uint64_t inner = depth < NAMESPACES_MAX ? namespace_scope(d, die, scope) : 0;
		if (inner)
			index_children(d, die, is_info, inner, depth + 1);
		rc = dwarf_siblingof_b(d->dbg, die, is_info, &next, &error);
		dwarf_dealloc(d->dbg, die, DW_DLA_DIE);
		die = next;
	}
	if (die)
		dwarf_dealloc(d->dbg, die, DW_DLA_DIE);
	if (error)
		dwarf_dealloc(d->dbg, error, DW_DLA_ERROR);
}

static void index_section(struct host_dwarf *d, bool is_info)
{
	/* a unit header has at least 11 bytes */
	for (uint64_t n = d->info_bytes / 11 + 1; n > 0; n--) {
		Dwarf_Error error = NULL;
		Dwarf_Unsigned length, type_offset, next;
		Dwarf_Off abbrev;
		Dwarf_Half version, address_bytes, offset_bytes, extension_bytes, unit_type;
		Dwarf_Sig8 signature;
		Dwarf_Die unit = NULL;
		int rc = dwarf_next_cu_header_d(d->dbg, is_info, &length, &version, &abbrev, &address_bytes,
						&offset_bytes, &extension_bytes, &signature, &type_offset, &next,
						&unit_type, &error);
		if (rc == DW_DLV_OK && dwarf_siblingof_b(d->dbg, NULL, is_info, &unit, &error) == DW_DLV_OK)
			index_children(d, unit, is_info, hash_start, 0);
		if (unit)
			dwarf_dealloc(d->dbg, unit, DW_DLA_DIE);
		if (error)
			dwarf_dealloc(d->dbg, error, DW_DLA_ERROR);
		if (rc != DW_DLV_OK)
			break;
	}
}

bool host_dwarf_find(struct host_dwarf *d, const char *name, struct host_die *definition, struct host_die *alias)
{
	if (!host_dwarf_debug(d))
		return false;
	if (!d->indexed) {
		d->indexed = true;
		index_section(d, true);
		index_section(d, false);
	}
	if (!d->n_slots)
		return false;
	uint64_t hash = hash_more(hash_start, name);
	const struct slot *s = slot_of(d, hash ? hash : 1);
	if (!s->hash)
		return false;
	*definition = unpack_ref(d, s->definition);
	*alias = unpack_ref(d, s->alias);
	return true;
}
