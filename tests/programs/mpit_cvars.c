/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_cvars WHEN: the rules of control variables, 000.1 to 000.25. WHEN: before (MPI_Init), during, after
 * (MPI_Finalize), all; across: what was said before MPI_Init is said again, and handles stay, during and after.
 */
#include "mpit_common.h"

enum { VALUE_BYTES = 1 << 18 };
static char value[VALUE_BYTES], value2[VALUE_BYTES];

static bool known_scope(int scope)
{
	return scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_READONLY || scope == MPI_T_SCOPE_LOCAL ||
	       scope == MPI_T_SCOPE_GROUP || scope == MPI_T_SCOPE_GROUP_EQ || scope == MPI_T_SCOPE_ALL ||
	       scope == MPI_T_SCOPE_ALL_EQ;
}

static bool is_fixed(const struct said *s)
{
	return s->scope == MPI_T_SCOPE_CONSTANT || s->scope == MPI_T_SCOPE_READONLY;
}

static bool is_shared(const struct said *s)
{
	return s->scope == MPI_T_SCOPE_GROUP || s->scope == MPI_T_SCOPE_GROUP_EQ || s->scope == MPI_T_SCOPE_ALL ||
	       s->scope == MPI_T_SCOPE_ALL_EQ;
}

static void information(void)
{
	static struct said a, b;
	bool all = true, stable = true, ignored = true, named = true, enums = true, descs = true, scopes = true;
	bool shared = true, inverse = true;
	int n = -1, index, again, length;

	rule("000.1", MPI_T_cvar_get_num(&n) == MPI_SUCCESS && n > 0, "no control variables");
	char **list = calloc((size_t)n, sizeof *list);
	for (int i = 0; i < n; i++) {
		all = all && ask_cvar(i, &a) == MPI_SUCCESS && ask_cvar(i, &b) == MPI_SUCCESS;
		stable = stable && same(&a, &b);
		/* each pointer on its own, the others NULL */
		memset(&b, 0, sizeof b);
		length = sizeof b.name;
		ignored = ignored &&
			  MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_SUCCESS &&
			  MPI_T_cvar_get_info(i, b.name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
				  MPI_SUCCESS &&
			  MPI_T_cvar_get_info(i, NULL, NULL, &b.verbosity, NULL, NULL, NULL, NULL, NULL, NULL) ==
				  MPI_SUCCESS &&
			  MPI_T_cvar_get_info(i, NULL, NULL, NULL, &b.datatype, NULL, NULL, NULL, NULL, NULL) ==
				  MPI_SUCCESS &&
			  MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, &b.enumtype, NULL, NULL, NULL, NULL) ==
				  MPI_SUCCESS;
		length = sizeof b.desc;
		ignored = ignored &&
			  MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, NULL, b.desc, &length, NULL, NULL) ==
				  MPI_SUCCESS &&
			  MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &b.bind, NULL) ==
				  MPI_SUCCESS &&
			  MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &b.scope) ==
				  MPI_SUCCESS &&
			  same(&a, &b);
		named = named && *a.name;
		enums = enums && (a.datatype == MPI_INT || a.enumtype == MPI_T_ENUM_NULL) &&
			(is_own(&a) ? bytes_of(a.datatype) : bytes_of_host(a.datatype)) != 0;
		length = -1;
		descs = descs &&
			MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, &length, NULL, NULL) ==
				MPI_SUCCESS &&
			length == (int)strlen(a.desc) + 1;
		scopes = scopes && known_scope(a.scope);
		shared = shared && (!is_shared(&a) || strstr(a.desc, "processes"));
		inverse = inverse && MPI_T_cvar_get_index(a.name, &index) == MPI_SUCCESS && index == i;
		list[i] = strdup(a.name);
	}
	rule("000.1", all, "an index below the number is refused");
	rule("000.5", stable, "a variable says different things of itself");
	rule("000.6", ignored, "NULL is not ignored");
	rule("000.7", unique(list, n) && named, "a name is empty or there twice");
	rule("000.8", enums, "a type or enumeration that may not be");
	rule("000.9", descs, "a description and its length");
	rule("000.10", scopes, "an unknown scope");
	rule("000.11", shared, "a variable of several processes does not say how it is set");
	rule("000.13", inverse, "the index of a name is another one");
	rule("000.13", MPI_T_cvar_get_index("no variable has this name", &index) == MPI_T_ERR_INVALID_NAME,
	     "an unknown name is known");
	rule("000.15",
	     MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX &&
		     MPI_T_cvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
			     MPI_T_ERR_INVALID_INDEX,
	     "get_info outside of the range");
	MPI_T_cvar_get_num(&again);
	rule("000.2", again >= n, "variables have vanished");
}

/* A handle on a variable, to an object of the kind that it is bound to if there is such an object. */
static bool handle_on(int i, const struct said *s, MPI_T_cvar_handle *h, int *count, void **object)
{
	static MPI_Comm world;

	*object = NULL;
	if (s->bind == MPI_T_BIND_MPI_COMM && is_up()) {
		world = MPI_COMM_WORLD;
		*object = &world;
	} else if (s->bind != MPI_T_BIND_NO_OBJECT) {
		return false;
	}
	return MPI_T_cvar_handle_alloc(i, *object, h, count) == MPI_SUCCESS;
}

/* Write another number, read it back, and put the old one where it was. */
static bool writes(MPI_T_cvar_handle h, size_t bytes, int *n_refused, int *n_written)
{
	uint64_t old = 0, other = 0, got = 0;

	if (MPI_T_cvar_read(h, &old) != MPI_SUCCESS)
		return true;
	other = old == 133 ? 123 : 133;
	int rc = MPI_T_cvar_write(h, &other);
	if (MPI_T_cvar_read(h, &got) != MPI_SUCCESS)
		return false;
	if (rc != MPI_SUCCESS) {
		(*n_refused)++;
		return (rc == MPI_T_ERR_CVAR_SET_NOT_NOW || rc == MPI_T_ERR_CVAR_SET_NEVER) &&
		       memcmp(&got, &old, bytes) == 0;
	}
	(*n_written)++;
	bool right = memcmp(&got, &other, bytes) == 0;
	return MPI_T_cvar_write(h, &old) == MPI_SUCCESS && MPI_T_cvar_read(h, &got) == MPI_SUCCESS &&
	       memcmp(&got, &old, bytes) == 0 && right;
}

static void access_all(void)
{
	static struct said s;
	bool reads = true, exact = true, refusals = true, frees = true, counts = true, two = true, written = true;
	int n, count, count2, n_read = 0, n_refused = 0, n_written = 0, n_gone = 0;
	MPI_T_cvar_handle h, copy, second;
	void *object;

	MPI_T_cvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		ask_cvar(i, &s);
		if (!handle_on(i, &s, &h, &count, &object)) {
			n_gone++;
			continue;
		}
		copy = h;
		size_t bytes = (size_t)count * bytes_of_host(s.datatype);
		memset(value, 0x5a, sizeof value);
		memset(value2, 0xa5, sizeof value2);
		int rc = MPI_T_cvar_read(h, value);
		MPI_T_cvar_read(h, value2);
		n_read += rc == MPI_SUCCESS;
		reads = reads && (rc == MPI_SUCCESS || rc == MPI_T_ERR_NOT_ACCESSIBLE) && count >= 1;
		if (rc == MPI_SUCCESS) {
			exact = exact && value[bytes] == 0x5a && (unsigned char)value2[bytes] == 0xa5 &&
				(s.datatype == MPI_CHAR ? strcmp(value, value2) == 0
							: memcmp(value, value2, bytes) == 0);
			counts = counts && MPI_T_cvar_handle_alloc(i, object, &second, &count2) == MPI_SUCCESS &&
				 count2 == count && second != h && MPI_T_cvar_handle_free(&second) == MPI_SUCCESS;
			two = two && MPI_T_cvar_read(h, value2) == MPI_SUCCESS;
		}
		if (is_fixed(&s)) {
			int refused = MPI_T_cvar_write(h, value);
			refusals = refusals &&
				   (refused == MPI_T_ERR_CVAR_SET_NEVER || refused == MPI_T_ERR_CVAR_SET_NOT_NOW) &&
				   (rc != MPI_SUCCESS || s.datatype == MPI_CHAR ||
				    (MPI_T_cvar_read(h, value2) == MPI_SUCCESS && memcmp(value, value2, bytes) == 0));
		} else if (count == 1 && rc == MPI_SUCCESS && s.datatype != MPI_CHAR && bytes <= 8) {
			written = written && (s.datatype == MPI_C_BOOL || writes(h, bytes, &n_refused, &n_written));
			if (!written)
				printf("note: %s\n", s.name);
		}
		frees = frees && MPI_T_cvar_handle_free(&h) == MPI_SUCCESS && h == MPI_T_CVAR_HANDLE_NULL;
		frees = frees && MPI_T_cvar_read(copy, value) == MPI_T_ERR_INVALID_HANDLE;
	}
	printf("note: %d variables, %d read, %d without a handle, %d written, %d refused\n", n, n_read, n_gone,
	       n_written, n_refused);
	rule("000.17", counts, "the count is not the same for two handles");
	rule("000.18", two && counts, "two handles of one variable are not independent");
	rule("000.20", reads && exact && n_read > 0, "not as many elements are read as were counted");
	/* a variable that claims to be writable accepts any number, as public test programs assume */
	rule("000.21", written && (n_written > 0 || !is_up()) && (n_refused == 0 || getenv("MPI2DD_WRITE_ENUMS")),
	     "a value that was written is not read, or is refused");
	rule("000.22", refusals && written, "a refused variable has changed, or a read-only one is written");
	rule("000.19", frees, "a handle is not null after it was freed, or still read");
}

/*
 * Texts of which Open MPI says that they can be written, and which refuse every write, before MPI_Init too: in 4.1 all
 * of these, in 5.0 some. Those that we say can be written take what they have.
 */
static void never_written(void)
{
	static const char *const names[] = {
		"dl",
		"if",
		"mpool_base_default_hints",
		"oob_tcp_if_exclude",
		"oob_tcp_if_include",
		"opal_event_include",
		"orte_jobfam_session_dir",
		"orte_local_tmpdir_base",
		"orte_no_session_dirs",
		"orte_remote_tmpdir_base",
		"orte_tmpdir_base",
		"orte_top_session_dir",
		"osc_rdma_btls",
		"osc_rdma_mtls",
		"pmix_server_uri",
		"shmem_base_RUNTIME_QUERY_hint",
	};
	MPI_T_cvar_handle h;
	int index, count;
	void *object;
	bool fixed = true, refused = true;
	struct said s;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (MPI_T_cvar_get_index(names[i], &index) != MPI_SUCCESS)
			continue; /* another version, or MPICH */
		ask_cvar(index, &s);
		if (!handle_on(index, &s, &h, &count, &object))
			continue;
		if (is_fixed(&s)) {
			refused = refused && MPI_T_cvar_write(h, "x") == MPI_T_ERR_CVAR_SET_NEVER;
		} else if (MPI_T_cvar_read(h, value) != MPI_SUCCESS || MPI_T_cvar_write(h, value) != MPI_SUCCESS) {
			printf("note: %s has scope %d and is refused\n", names[i], s.scope);
			/* the choice of a framework's components is refused from MPI_Init on */
			fixed = fixed && is_or_was_up() && !strchr(names[i], '_');
		}
		MPI_T_cvar_handle_free(&h);
	}
	rule("000.22", fixed && refused, "what can never be written does not say so");
}

static void misuse(void)
{
	int n, index, count;
	MPI_T_cvar_handle h;
	static struct said s;
	bool bound = true;

	MPI_T_cvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		ask_cvar(i, &s);
		bound = bound && (s.bind == MPI_T_BIND_NO_OBJECT ||
				  MPI_T_cvar_handle_alloc(i, NULL, &h, &count) == MPI_T_ERR_INVALID);
	}
	bool garbage = MPI_T_cvar_get_index("MPI2DD_VERSION", &index) == MPI_SUCCESS &&
		       MPI_T_cvar_handle_alloc(index, (void *)(uintptr_t)3, &h, &count) == MPI_SUCCESS &&
		       MPI_T_cvar_handle_free(&h) == MPI_SUCCESS;
	rule("000.16", bound && garbage, "what is bound to an object takes none, or the other way");
	rule("000.15",
	     MPI_T_cvar_handle_alloc(-1, NULL, &h, &count) == MPI_T_ERR_INVALID_INDEX &&
		     MPI_T_cvar_handle_alloc(n, NULL, &h, &count) == MPI_T_ERR_INVALID_INDEX,
	     "handle_alloc outside of the range");
	rule("000.25",
	     MPI_T_cvar_read(MPI_T_CVAR_HANDLE_NULL, value) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_cvar_write(MPI_T_CVAR_HANDLE_NULL, value) == MPI_T_ERR_INVALID_HANDLE,
	     "the null handle is taken");
	h = MPI_T_CVAR_HANDLE_NULL;
	rule("000.25", MPI_T_cvar_handle_free(&h) == MPI_T_ERR_INVALID_HANDLE, "the null handle is freed");
	h = (MPI_T_cvar_handle)(void *)&n;
	rule("000.25", MPI_T_cvar_read(h, value) == MPI_T_ERR_INVALID_HANDLE,
	     "a foreign pointer is taken for a handle");
}

static void rules(void)
{
	information();
	access_all();
	never_written();
	misuse();
}

/* ---- over the life of MPI --------------------------------------------------------------------------------------- */

static struct known {
	struct said *said;
	MPI_T_cvar_handle handle;
	bool has_handle;
	char *constant; /* its value, when it is one */
	size_t bytes;
} * known;
static int n_known;

static void learn(int n)
{
	known = realloc(known, (size_t)n * sizeof *known);
	for (; n_known < n; n_known++) {
		struct known *k = &known[n_known];
		int count;
		*k = (struct known){ .said = malloc(sizeof *k->said) };
		ask_cvar(n_known, k->said);
		k->has_handle = k->said->bind == MPI_T_BIND_NO_OBJECT &&
				MPI_T_cvar_handle_alloc(n_known, NULL, &k->handle, &count) == MPI_SUCCESS;
		if (!k->has_handle || k->said->scope != MPI_T_SCOPE_CONSTANT ||
		    MPI_T_cvar_read(k->handle, value) != MPI_SUCCESS)
			continue;
		k->bytes = k->said->datatype == MPI_CHAR ? strlen(value) + 1
							 : (size_t)count * bytes_of_host(k->said->datatype);
		k->constant = malloc(k->bytes);
		memcpy(k->constant, value, k->bytes);
	}
}

static void still(void)
{
	static struct said now;
	int n = -1, index, n_inactive = 0, n_active = 0;
	bool stays = true, found = true, codes = true, constant = true;

	MPI_T_cvar_get_num(&n);
	for (int i = 0; i < n_known; i++) {
		stays = stays && ask_cvar(i, &now) == MPI_SUCCESS && same(&now, known[i].said);
		found = found && MPI_T_cvar_get_index(known[i].said->name, &index) == MPI_SUCCESS && index == i;
		if (!known[i].has_handle)
			continue;
		int rc = MPI_T_cvar_read(known[i].handle, value);
		n_inactive += rc == MPI_T_ERR_NOT_ACCESSIBLE;
		n_active += rc == MPI_SUCCESS;
		codes = codes && (rc == MPI_SUCCESS || rc == MPI_T_ERR_NOT_ACCESSIBLE);
		if (rc == MPI_SUCCESS && known[i].constant)
			constant = constant && memcmp(known[i].constant, value, known[i].bytes) == 0;
	}
	printf("note: %d variables before, %d now; of the handles %d are active, %d not\n", n_known, n, n_active,
	       n_inactive);
	rule("000.2", n >= n_known && stays && found, "a variable has another index, or says something else");
	rule("000.3", codes && n_active > 0, "a variable that cannot be had is not refused in words");
	rule("000.5", stays, "a variable says something else of itself than before");
	rule("000.18", codes, "a handle does not outlive MPI's states");
	rule("000.23", constant, "a constant has changed");
	learn(n);
}

static int across(int *argc, char ***argv)
{
	int provided, n;
	bool frees = true;
	const char *argv_0 = **argv;

	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	MPI_T_cvar_get_num(&n);
	learn(n);
	still();
	MPI_Init(argc, argv);
	still();
	/* components are loaded and unloaded at the first use of a feature, such as files */
	MPI_File file;
	if (MPI_File_open(MPI_COMM_SELF, argv_0, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS)
		MPI_File_close(&file);
	still();
	MPI_Finalize();
	still();
	for (int i = 0; i < n_known; i++)
		frees = frees && (!known[i].has_handle || MPI_T_cvar_handle_free(&known[i].handle) == MPI_SUCCESS);
	rule("000.19", frees, "a handle cannot be freed after MPI_Finalize");
	MPI_T_finalize();
	return n_bad != 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "across") == 0)
		return across(&argc, &argv);
	return run_when(argc, argv, rules);
}
