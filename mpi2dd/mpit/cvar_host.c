/* SPDX-License-Identifier: BSD-3-Clause */
#include "cvar_host.h"

#include "../calls/calls.h"
#include "../tables/settings.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * Open MPI rejects numbers that an enumeration does not contain. A tool that assumes "writable" means "accepts any
 * number", as MPICH's cvarwrite does, is right about all other variables. Therefore variables with an enumeration are
 * read-only unless the user sets MPI2DD_WRITE_ENUMS=1.
 */
int mpit_write_enums;

static void __attribute__((constructor)) read_environment(void)
{
	int64_t n;

	mpit_write_enums = m2d_setting("MPI2DD_WRITE_ENUMS", &n) && n == 1;
}

static bool may_be_written(int scope)
{
	return scope != MPI_T_SCOPE_CONSTANT && scope != MPI_T_SCOPE_READONLY;
}

#if defined(M2D_OPENMPI_MAJOR)
/* Address of the value of a variable: of a number, or of the pointer to a string. NULL: unknown. */
static void *storage_of(int index)
{
	static int (*get_value)(int, const void *, int *, const char **);
	void *place = NULL;

	if (!get_value)
		get_value = (int (*)(int, const void *, int *, const char **))m2d_calls_symbol(
			"mca_base_var_get_value");
	return get_value && get_value(index, &place, NULL, NULL) == 0 ? place : NULL;
}

extern void *__libc_stack_end __attribute__((weak)); /* NOLINT(bugprone-reserved-identifier): of glibc's loader */

/* Is this address in the stack of the first thread or of the calling thread? */
static bool is_on_stack(const void *place)
{
	enum { STACK_BYTES = 64 << 20 }; /* the kernel leaves twice as much below the end of the first stack */
	uintptr_t at = (uintptr_t)place, end = &__libc_stack_end ? (uintptr_t)__libc_stack_end : 0;
	pthread_attr_t attributes;
	void *start;
	size_t bytes;

	if (end && at < end && end - at < STACK_BYTES)
		return true;
	if (syscall(SYS_gettid) == getpid() || pthread_getattr_np(pthread_self(), &attributes) != 0)
		return false;
	bool here = pthread_attr_getstack(&attributes, &start, &bytes) == 0 && at - (uintptr_t)start < bytes;
	pthread_attr_destroy(&attributes);
	return here;
}

static bool is_readable(const void *place, size_t bytes)
{
	char copy[sizeof(void *)];
	struct iovec to = { copy, bytes }, from = { (void *)(uintptr_t)place, bytes };
	int before = errno;
	bool unreadable = process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0 && errno == EFAULT;

	errno = before;
	return !unreadable;
}

/*
 * Variables that select the components of a framework ("btl") can be written until the framework is opened; afterwards
 * they cannot be distinguished from variables that can never be written. Two frameworks are opened by MPI_T itself; of
 * these, "if" is opened by MPI_Init since 5.0.
 */
static bool is_written_early(const char *name)
{
	return strcmp(name, "event_external_event_include") == 0 ||
	       (!strchr(name, '_') && strcmp(name, "dl") != 0 && (M2D_OPENMPI_MAJOR >= 5 || strcmp(name, "if") != 0));
}

/*
 * Is a string variable read-only? Tested by writing its present value. A successful write would replace the string by a
 * copy and free it while others may hold a pointer; so our own copy is put in its place during the test, and the old
 * string is put back.
 */
static bool text_write_is_refused(const struct mpit_host *host, int index, MPI_T_cvar_handle handle)
{
	char **place = storage_of(index);

	if (!place)
		return false;
	char *old = *place, *ours = old ? strdup(old) : NULL, *value = strdup(old ? old : "");
	bool refused = false;
	if (value && (ours || !old)) {
		*place = ours;
		int rc = host->cvar_write(handle, value);
		refused = rc == MPI_T_ERR_CVAR_SET_NOT_NOW || rc == MPI_T_ERR_CVAR_SET_NEVER;
		ours = *place; /* our copy if the write was refused, else the host's copy */
		*place = old;
	}
	free(ours);
	free(value);
	return refused;
}
#endif

/*
 * Open MPI declares some variables writable by scope but refuses every write, because they are not settable. They are
 * in fact read-only, which shows when their present value is written.
 */
static bool write_is_refused(const struct mpit_host *host, int index, const struct mpit_cvar_host *c)
{
#if defined(M2D_OPENMPI_MAJOR)
	MPI_T_cvar_handle handle;
	uint64_t value = 0;
	int count = 0;

	if (!m2d_calls_is_openmpi())
		return false;
	if (c->enumtype != MPI_T_ENUM_NULL && !mpit_write_enums)
		return true;
	/* Not tried if MPI_T was initialized before MPI (mpit_host_is_safe()); all processes must report the same. */
	if (strstr(c->name, "_ucx_") || strstr(c->name, "_ofi_"))
		return true;
	bool is_text = c->datatype == mpit_datatype(MPIT_CHAR);
	if (c->bind != MPI_T_BIND_NO_OBJECT || (is_text && is_written_early(c->name)) || !mpit_host_is_safe(c->name) ||
	    host->cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
		return false;
	if (is_text) {
		bool refused = text_write_is_refused(host, index, handle);
		host->cvar_handle_free(&handle);
		return refused;
	}
	int rc = count == 1 ? host->cvar_read(handle, &value) : MPI_ERR_OTHER;
	if (rc == MPI_SUCCESS)
		rc = host->cvar_write(handle, &value);
	host->cvar_handle_free(&handle);
	return rc == MPI_T_ERR_CVAR_SET_NOT_NOW || rc == MPI_T_ERR_CVAR_SET_NEVER;
#else
	(void)host;
	(void)index;
	(void)c;
	return false;
#endif
}

/*
 * The description of a variable shared by several processes must say how it is to be set. The hosts' descriptions do
 * not, but their scopes do.
 * @return @p desc, or a longer string that replaces it
 */
static char *describe_scope(char *desc, int scope)
{
	static const struct {
		int scope;
		const char *rule;
	} rules[] = {
		{ MPI_T_SCOPE_GROUP, "Set it consistently in the processes that use it together." },
		{ MPI_T_SCOPE_GROUP_EQ, "Set it to the same value in the processes that use it together." },
		{ MPI_T_SCOPE_ALL, "Set it consistently in all connected processes." },
		{ MPI_T_SCOPE_ALL_EQ, "Set it to the same value in all connected processes." },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (rules[i].scope != scope)
			continue;
		size_t n = strlen(desc), room = n + strlen(rules[i].rule) + 3;
		char *longer = realloc(desc, room);
		if (!longer)
			return desc;
		bool ends = n == 0 || strchr(".!?)", longer[n - 1]);
		snprintf(longer + n, room - n, "%s%s%s", ends ? "" : ".", n ? " " : "", rules[i].rule);
		return longer;
	}
	return desc;
}

/*
 * Open MPI 5.0 registers local variables of ompi_mpi_register_params() (ompi/runtime/ompi_mpi_params.c) for
 * mpi_ft_verbose and, if it was built without fault tolerance, mpi_ft_enable. After the function has returned, reading
 * them returns unrelated memory, and writing them corrupts the stack. Variables of components that were unloaded may
 * stay valid: their values are no longer mapped.
 */
bool mpit_cvar_host_is_lost(int index, MPI_Datatype datatype)
{
#if defined(M2D_OPENMPI_MAJOR)
	const void *place = storage_of(index);
	bool is_text = datatype == mpit_datatype(MPIT_CHAR);

	if (!place)
		return false;
	if (is_on_stack(place) || !is_readable(place, is_text ? sizeof(char *) : 1))
		return true;
	const char *text = is_text ? *(char *const *)place : NULL;
	return text && !is_readable(text, 1);
#else
	(void)index;
	(void)datatype;
	return false;
#endif
}

int mpit_cvar_host_query(const struct mpit_host *host, int index, struct mpit_cvar_host *ret)
{
	struct mpit_cvar_host c = { .enumtype = MPI_T_ENUM_NULL };
	int name_bytes = 0, desc_bytes = 0;
	int rc = host->cvar_get_info(index, NULL, &name_bytes, NULL, NULL, NULL, NULL, &desc_bytes, NULL, NULL);

	if (rc != MPI_SUCCESS)
		return rc;
	name_bytes += 1;
	desc_bytes += 1;
	c.name = calloc(1, (size_t)name_bytes);
	c.desc = calloc(1, (size_t)desc_bytes);
	if (!c.name || !c.desc)
		rc = MPI_T_ERR_MEMORY;
	if (rc == MPI_SUCCESS)
		rc = host->cvar_get_info(index, c.name, &name_bytes, &c.verbosity, &c.datatype, &c.enumtype, c.desc,
					 &desc_bytes, &c.bind, &c.scope);
	if (rc == MPI_SUCCESS && !*c.name)
		rc = MPI_T_ERR_INVALID_NAME;
	if (rc != MPI_SUCCESS) {
		free(c.name);
		free(c.desc);
		return rc;
	}
	c.enumtype = mpit_enum_of_host(c.datatype == mpit_datatype(MPIT_INT) ? c.enumtype : MPI_T_ENUM_NULL);
	c.lost = mpit_cvar_host_is_lost(index, c.datatype);
	if (may_be_written(c.scope) && (c.lost || write_is_refused(host, index, &c)))
		c.scope = MPI_T_SCOPE_READONLY;
	c.desc = describe_scope(c.desc, c.scope);
	*ret = c;
	return MPI_SUCCESS;
}

/*
 * Open MPI (up to 6.0) copies the whole string, whatever count the handle has, which is 2048 for all
 * (ompi/mpi/tool/cvar_read.c). A value from the environment may have 128 KiB, so it is read into a buffer of our own.
 */
#if defined(M2D_OPENMPI_MAJOR)
static char text[MPIT_TEXT_BYTES];

static bool is_text(MPI_Datatype datatype)
{
	return datatype == mpit_datatype(MPIT_CHAR);
}

static int read_text(const struct mpit_host *host, MPI_T_cvar_handle handle)
{
	text[0] = '\0';
	int rc = host->cvar_read(handle, text);
	text[MPIT_TEXT_BYTES - 1] = '\0';
	return rc;
}
#endif

int mpit_cvar_host_read(const struct mpit_host *host, MPI_Datatype datatype, MPI_T_cvar_handle handle, int count,
			void *buf)
{
	int rc;

#if defined(M2D_OPENMPI_MAJOR)
	if (is_text(datatype)) {
		rc = read_text(host, handle);
		if (rc == MPI_SUCCESS && count > 0) {
			size_t n = strnlen(text, (size_t)count - 1);
			memcpy(buf, text, n);
			((char *)buf)[n] = '\0';
		}
	} else
#endif
	{
		(void)datatype;
		(void)count;
		rc = host->cvar_read(handle, buf);
	}
	/*
	 * Open MPI's error codes for a variable whose component is unloaded, and for those of a type that cvar_read
	 * does not know (6.0: MCA_BASE_VAR_TYPE_VERSION_STRING). Handle and buffer are valid here.
	 */
	return rc == MPI_T_ERR_INVALID_INDEX || rc == MPI_T_ERR_INVALID ? MPI_T_ERR_NOT_ACCESSIBLE : rc;
}

int mpit_cvar_host_count(const struct mpit_host *host, MPI_Datatype datatype, MPI_T_cvar_handle handle, int count)
{
#if defined(M2D_OPENMPI_MAJOR)
	if (is_text(datatype) && read_text(host, handle) == MPI_SUCCESS && (int)strlen(text) >= count)
		return (int)strlen(text) + 1;
#else
	(void)host;
	(void)datatype;
	(void)handle;
#endif
	return count;
}
