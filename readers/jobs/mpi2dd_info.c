/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi2dd_info.h"

#include "../../access/limits.h"
#include "plain_text.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Strings of the interface; the same bytes in both byte orders. */
static const unsigned char magic[] = { 'M', 'P', 'I', '2', 0x7f };

/* Magic of our extension, a number in the target's byte order. */
#define EXTENSION_MAGIC UINT32_C(0x6d706964)

enum { VERSION = 1, VARIANT = 1, EXTENSION_VERSION = 1 };

static const struct {
	enum rd_mpi2dd_field addr, size;
	enum rd_mpi2dd_struct entry;
	const char *name;
} tables[RD_MPI2DD_N_TABLES] = {
	[RD_MPI2DD_PROCS] = { RD_INFO_proctable, RD_INFO_proctable_size, RD_MPI2DD_PROCDESC, "MPI2DD_info.proctable" },
	[RD_MPI2DD_DIRECTORIES] = { RD_INFO_directory_table, RD_INFO_directory_size, RD_MPI2DD_DIRECTORYENTRY,
				    "MPI2DD_info.directory_table" },
	[RD_MPI2DD_METADIRECTORIES] = { RD_INFO_metadirectory_table, RD_INFO_metadirectory_size,
					RD_MPI2DD_DIRECTORYENTRY, "MPI2DD_info.metadirectory_table" },
};

static const enum rd_mpi2dd_field texts[RD_MPI2DD_N_TEXTS] = {
	[RD_MPI2DD_DLL_32] = RD_INFO_dll_name_32,       [RD_MPI2DD_DLL_64] = RD_INFO_dll_name_64,
	[RD_MPI2DD_META_HOST] = RD_INFO_meta_host_name, [RD_MPI2DD_META_EXECUTABLE] = RD_INFO_meta_executable_name,
	[RD_MPI2DD_ABORT] = RD_INFO_abort_string,
};

const char *rd_jobs_mpi2dd_table_name(enum rd_mpi2dd_table table)
{
	return tables[table].name;
}

/* ---- reading ---------------------------------------------------------------------------------------- */

static enum acc_rc check_head(struct acc_space *sp, const unsigned char *bytes)
{
	if (memcmp(bytes, magic, sizeof(magic)) != 0)
		return acc_note(&sp->note, ACC_ECORRUPT,
				"MPI2DD_info.magic: %02x %02x %02x %02x %02x: must be 4d 50 49 32 7f", bytes[0],
				bytes[1], bytes[2], bytes[3], bytes[4]);

	unsigned version = (unsigned)rd_mpi2dd_u(sp, bytes, RD_INFO_version);
	if (version != VERSION)
		return acc_note(&sp->note, ACC_EFIELD, "MPI2DD_info.version: %u: this plugin reads version %d", version,
				VERSION);

	unsigned variant = (unsigned)rd_mpi2dd_u(sp, bytes, RD_INFO_variant);
	if (variant != VARIANT)
		return acc_note(&sp->note, ACC_EFIELD, "MPI2DD_info.variant: %u: this plugin reads variant %d", variant,
				VARIANT);
	return ACC_OK;
}

static void decode_extension(const struct acc_space *sp, const unsigned char *padding, struct rd_mpi2dd *info)
{
	if (rd_mpi2dd_u(sp, padding, RD_EXTENSION_magic) != EXTENSION_MAGIC)
		return;
	info->extended = true;
	info->extension_version = (unsigned)rd_mpi2dd_u(sp, padding, RD_EXTENSION_version);
	if (info->extension_version != EXTENSION_VERSION)
		return;

	uint64_t addr = rd_mpi2dd_u(sp, padding, RD_EXTENSION_registry);
	if (acc_plausible(sp, addr, 1))
		info->registry_addr = addr;
}

enum acc_rc rd_jobs_mpi2dd(struct acc_space *sp, struct rd_mpi2dd *ret)
{
	unsigned char bytes[RD_MPI2DD_BYTES_MAX];
	struct rd_mpi2dd info = { 0 };

	if (acc_symbol(sp, "MPI2DD_info", &info.addr))
		return ACC_NONE;
	if (acc_read(sp, info.addr, rd_mpi2dd_bytes(sp, RD_MPI2DD_INFO), bytes))
		return acc_note(&sp->note, ACC_EREAD, "MPI2DD_info at 0x%llx: %s", (unsigned long long)info.addr,
				acc_rc_text(ACC_EREAD));

	enum acc_rc rc = check_head(sp, bytes);
	if (rc)
		return rc;
	info.version = (unsigned)rd_mpi2dd_u(sp, bytes, RD_INFO_version);
	info.variant = (unsigned)rd_mpi2dd_u(sp, bytes, RD_INFO_variant);
	info.debug_state = (unsigned)rd_mpi2dd_u(sp, bytes, RD_INFO_debug_state);
	info.debugger_flags = (uint32_t)rd_mpi2dd_u(sp, bytes, RD_INFO_debugger_flags);
	info.mpi_flags = (uint32_t)rd_mpi2dd_u(sp, bytes, RD_INFO_mpi_flags);
	info.meta_pid = rd_mpi2dd_i(sp, bytes, RD_INFO_meta_pid);
	for (int i = 0; i < RD_MPI2DD_N_TABLES; i++) {
		info.tables[i].addr = rd_mpi2dd_u(sp, bytes, tables[i].addr);
		info.tables[i].n = rd_mpi2dd_i(sp, bytes, tables[i].size);
	}
	for (int i = 0; i < RD_MPI2DD_N_TEXTS; i++)
		info.text_addrs[i] = rd_mpi2dd_u(sp, bytes, texts[i]);
	decode_extension(sp, bytes + rd_mpi2dd_place(sp, RD_INFO_padding).at, &info);
	*ret = info;
	return ACC_OK;
}

/* ---- checks ----------------------------------------------------------------------------------------- */

enum acc_rc rd_jobs_mpi2dd_table(struct acc_space *sp, const struct rd_mpi2dd *info, enum rd_mpi2dd_table table)
{
	const char *size_name = rd_mpi2dd_rows[tables[table].size].name;
	int64_t n = info->tables[table].n;
	uint64_t addr = info->tables[table].addr;

	if (n < 0)
		return acc_note(&sp->note, ACC_ECORRUPT, "MPI2DD_info.%s: %lld: %s", size_name, (long long)n,
				acc_rc_text(ACC_ECORRUPT));
	if (!n)
		return ACC_NONE;
	if ((uint64_t)n > ACC_RANKS_MAX)
		return acc_note(&sp->note, ACC_ELIMIT, "MPI2DD_info.%s: %lld: %s", size_name, (long long)n,
				acc_rc_text(ACC_ELIMIT));
	if (!addr)
		return acc_note(&sp->note, ACC_ECORRUPT, "%s: null, and %s is %lld", tables[table].name, size_name,
				(long long)n);

	uint64_t bytes = (uint64_t)n * rd_mpi2dd_bytes(sp, tables[table].entry), end;
	if (__builtin_add_overflow(addr, bytes - 1, &end) || !acc_plausible(sp, end, 1))
		return acc_note(&sp->note, ACC_ECORRUPT, "%s: 0x%llx: %lld entries reach beyond the end of memory",
				tables[table].name, (unsigned long long)addr, (long long)n);
	return ACC_OK;
}

enum acc_rc rd_jobs_mpi2dd_check(struct acc_space *sp, const struct rd_mpi2dd *info)
{
	if (info->debug_state > RD_MPI2DD_STATE_MAX && info->debug_state != RD_MPI2DD_STATE_HANG)
		return acc_note(&sp->note, ACC_ECORRUPT, "MPI2DD_info.debug_state: %u: %s", info->debug_state,
				acc_rc_text(ACC_ECORRUPT));
	if (info->meta_pid < 0)
		return acc_note(&sp->note, ACC_ECORRUPT, "MPI2DD_info.meta_pid: %lld: %s", (long long)info->meta_pid,
				acc_rc_text(ACC_ECORRUPT));
	for (int i = 0; i < RD_MPI2DD_N_TABLES; i++) {
		enum acc_rc rc = rd_jobs_mpi2dd_table(sp, info, (enum rd_mpi2dd_table)i);

		if (rc && rc != ACC_NONE)
			return rc;
	}
	return ACC_OK;
}

enum acc_rc rd_jobs_mpi2dd_text(struct acc_space *sp, const struct rd_mpi2dd *info, enum rd_mpi2dd_text text, char *ret,
				size_t size)
{
	const char *name = rd_mpi2dd_rows[texts[text]].name;
	enum acc_rc rc = acc_read_string(sp, info->text_addrs[text], ret, size);

	if (rc == ACC_EREAD)
		return acc_note(&sp->note, rc, "MPI2DD_info.%s: string at 0x%llx: %s", name,
				(unsigned long long)info->text_addrs[text], acc_rc_text(rc));
	if (rc)
		return rc;

	size_t n = strlen(ret);
	/* an abort message of the program may have several lines; host and file names may not */
	bool text_only = rd_plain_text(ret, n, text == RD_MPI2DD_ABORT);
	if (n < size - 1 && text_only)
		return ACC_OK;
	ret[0] = '\0';
	return acc_note(&sp->note, ACC_ECORRUPT, "MPI2DD_info.%s: string at 0x%llx: %s", name,
			(unsigned long long)info->text_addrs[text], text_only ? "has no end" : "is no text");
}

/* ---- contradictions --------------------------------------------------------------------------------- */

const char *rd_jobs_mpi2dd_contradiction(const struct rd_mpi2dd *info, unsigned i)
{
	bool metadir = info->mpi_flags & RD_MPI2DD_IS_METADIR, dir = info->mpi_flags & RD_MPI2DD_IS_DIR;
	/* the pid is published last, so a host without a pid does not count */
	bool has_dll = info->text_addrs[RD_MPI2DD_DLL_32] || info->text_addrs[RD_MPI2DD_DLL_64];
	const struct {
		bool found;
		const char *words;
	} all[] = {
		{ dir && !info->tables[RD_MPI2DD_PROCS].n,
		  "MPI2DD_info.mpi_flags: says that this is a directory, and proctable_size is 0" },
		{ !dir && info->tables[RD_MPI2DD_PROCS].n,
		  "MPI2DD_info.mpi_flags: does not say that this is a directory, and there is a proctable" },
		{ !metadir && info->tables[RD_MPI2DD_DIRECTORIES].n,
		  "MPI2DD_info.mpi_flags: does not say that this is a metadirectory, and there is a directory_table" },
		{ !metadir && info->tables[RD_MPI2DD_METADIRECTORIES].n,
		  "MPI2DD_info.mpi_flags: does not say that this is a metadirectory, and there is a "
		  "metadirectory_table" },
		{ info->mpi_flags & ~(uint32_t)RD_MPI2DD_FLAGS_KNOWN,
		  "MPI2DD_info.mpi_flags: has bits that the interface does not define" },
		{ info->mpi_flags & RD_MPI2DD_IGNORE_QUEUE && has_dll,
		  "MPI2DD_info.mpi_flags: says that there are no message queues, and names a library for them" },
		{ info->meta_pid > 0 && !info->text_addrs[RD_MPI2DD_META_HOST],
		  "MPI2DD_info.meta_host_name: null, and meta_pid is not 0" },
		{ info->extended && info->extension_version != EXTENSION_VERSION,
		  "MPI2DD_info.padding: holds our extension in a version that is not known here" },
	};

	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
		if (all[k].found && !i--)
			return all[k].words;
	return NULL;
}
