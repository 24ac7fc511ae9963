/* SPDX-License-Identifier: BSD-3-Clause */
/* Files in every state; on 2 ranks. Rank 0 ends in MPI_Recv. The argument is the path of a file that may be made. */
#include "facts.h"

static MPI_Comm comm;
static MPI_File viewed;

static void handler(MPI_File *file, int *code, ...)
{
	(void)file, (void)code;
}

/* The words of a mode, in the order of the standard's list of them. */
static void emit_mode(MPI_File file)
{
	static const struct {
		int bit;
		const char *name;
	} bits[] = { { MPI_MODE_CREATE, "CREATE" },
		     { MPI_MODE_RDONLY, "RDONLY" },
		     { MPI_MODE_WRONLY, "WRONLY" },
		     { MPI_MODE_RDWR, "RDWR" },
		     { MPI_MODE_DELETE_ON_CLOSE, "DELETE_ON_CLOSE" },
		     { MPI_MODE_UNIQUE_OPEN, "UNIQUE_OPEN" },
		     { MPI_MODE_EXCL, "EXCL" },
		     { MPI_MODE_APPEND, "APPEND" },
		     { MPI_MODE_SEQUENTIAL, "SEQUENTIAL" } };
	char text[256] = "";
	int mode;

	MPI_File_get_amode(file, &mode);
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		if (mode & bits[i].bit) {
			strcat(text, text[0] ? "|MPI_MODE_" : "MPI_MODE_");
			strcat(text, bits[i].name);
		}
	}
	FACT("file", file, "mode", "\"%s\"", text);
}

static void emit_file(MPI_File file, const char *path)
{
	MPI_Offset at;
	MPI_Datatype etype, filetype;
	MPI_Errhandler errhandler;
	char representation[MPI_MAX_DATAREP_STRING];
	int atomic;

	FACT("file", file, "path", "\"%s\"", path);
	emit_mode(file);
	FACT("file", file, "made_by", "\"MPI_File_open\"");
	FACT("file", file, "predefined", "false");
	FACT("file", file, "state", "\"live\"");
	FACT("file", file, "object_freed", "false");
	FACT("file", file, "comm", "\"0x%" PRIx64 "\"", BITS(comm));
	FACT("file", file, "comm_name", "\"of files\"");
	FACT("file", file, "fortran", "%d", (int)MPI_File_c2f(file));
	HAS("comm", comm, "files", "\"0x%" PRIx64 "\"", BITS(file));
	MPI_File_get_atomicity(file, &atomic);
	FACT("file", file, "atomic", atomic ? "true" : "false");
	MPI_File_get_view(file, &at, &etype, &filetype, representation);
	FACT("file", file, "displacement", "%lld", (long long)at);
	FACT("file", file, "representation", "\"%s\"", representation);
	MPI_File_get_errhandler(file, &errhandler);
	FACT("file", file, "errhandler", "\"0x%" PRIx64 "\"", BITS(errhandler));
	MPI_Errhandler_free(&errhandler);
}

static void plain(const char *path)
{
	MPI_File file;
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "access_style", "write_once");
	MPI_Info_set(info, "striping_factor", "4");
	MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN, info, &file);
	emit_file(file, path);
	FACT("file", file, "info", "\"0x%" PRIx64 "\"", BITS(info));
	FACT("file", file, "etype_name", "\"MPI_BYTE\"");
	FACT("file", file, "filetype_name", "\"MPI_BYTE\"");
	HAS("file", file, "hints", "{\"key\": \"access_style\", \"value\": \"write_once\"}");
	HAS("file", file, "hints", "{\"key\": \"striping_factor\", \"value\": \"4\"}");
	FACT("info", info, "files", "[\"0x%" PRIx64 "\"]", BITS(file));
	LACKS("file", file, "split_collective");
	FACT("file", file, "requests", "[]");
	FACT("file", file, "calls", "[]");
}

/* A file whose view is of a vector of ints with this name. */
static MPI_File open_view(const char *path, int n, int stride, MPI_Offset at, const char *name, MPI_Datatype *filetype)
{
	MPI_File file;

	MPI_File_open(comm, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
	MPI_Type_vector(n, 1, stride, MPI_INT, filetype);
	MPI_Type_set_name(*filetype, name);
	MPI_Type_commit(filetype);
	MPI_File_set_view(file, at, MPI_INT, *filetype, "native", MPI_INFO_NULL);
	return file;
}

static void view(const char *path)
{
	static MPI_File variable;
	MPI_Datatype filetype;
	MPI_Errhandler errhandler;

	viewed = open_view(path, 2, 3, 4096, "every third", &filetype);
	MPI_File_create_errhandler(handler, &errhandler);
	MPI_File_set_errhandler(viewed, errhandler);
	emit_file(viewed, path);
	variable = viewed;
	PRINTS("file", &variable, MPI_File_c2f(viewed));
	FACT("file", viewed, "etype_name", "\"MPI_INT\"");
	FACT("file", viewed, "filetype_name", "\"every third\"");
	FACT("file", viewed, "hints", "[]");
	FACT("datatype", filetype, "files", "[\"0x%" PRIx64 "\"]", BITS(viewed));
	FACT("errhandler", errhandler, "files", "[\"0x%" PRIx64 "\"]", BITS(viewed));
	FACT("errhandler", errhandler, "of", "\"file\"");
}

/* The type of its view is freed, and another one has its handle. */
static void type_freed(const char *path)
{
	MPI_Datatype filetype, value, next, etype, got;
	char representation[MPI_MAX_DATAREP_STRING];
	MPI_Offset at;
	MPI_File file;

	file = open_view(path, 3, 4, 0, "every fourth", &filetype);
	value = filetype;
	MPI_Type_free(&filetype);
	MPI_Type_contiguous(5, MPI_CHAR, &next);
	if (next != value) {
		FACT("file", file, "filetype", "\"0x%" PRIx64 "\"", BITS(value));
	} else {
		FACT("file", file, "filetype", "null");
		FACT("file", file, "filetype_why", "\"freed by the application\"");
		FACT("datatype", next, "files", "[]");
	}
	FACT("file", file, "filetype_name", "\"every fourth\"");
	/* the type that the library returns for it is derived from it */
	MPI_File_get_view(file, &at, &etype, &got, representation);
	FACT("datatype", got, "parent_name", "\"every fourth\"");
}

/* Hints given at open remain when more are set; MPI_DISPLACEMENT_CURRENT is the position that the library reports. */
static void hints(const char *path)
{
	char sequential[1024], representation[MPI_MAX_DATAREP_STRING];
	MPI_Datatype etype, filetype;
	MPI_Info info, more;
	MPI_File file;
	MPI_Offset at;

	MPI_Info_create(&info);
	MPI_Info_set(info, "access_style", "write_once");
	MPI_Info_set(info, "striping_factor", "4");
	MPI_File_open(comm, path, MPI_MODE_RDWR, info, &file);
	MPI_Info_create(&more);
	MPI_Info_set(more, "striping_factor", "2");
	MPI_Info_set(more, "striping_unit", "4096");
	MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", more);
	FACT("file", file, "hints",
	     "[{\"key\": \"access_style\", \"value\": \"write_once\"}, {\"key\": \"striping_factor\", \"value\": "
	     "\"2\"}, {\"key\": \"striping_unit\", \"value\": \"4096\"}]");
	FACT("file", file, "info", "\"0x%" PRIx64 "\"", BITS(more));
	snprintf(sequential, sizeof(sequential), "%s.sequential", path);
	MPI_File_open(comm, sequential,
		      MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
		      &file);
	MPI_File_write_shared(file, "sixteen bytes ..", 16, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_Barrier(comm);
	MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	MPI_File_get_view(file, &at, &etype, &filetype, representation);
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4 && OMPI_MINOR_VERSION == 1 && OMPI_RELEASE_VERSION == 0
	(void)at; /* Open MPI 4.1.0 stores MPI_DISPLACEMENT_CURRENT itself, a negative number */
#else
	FACT("file", file, "displacement", "%lld", (long long)at);
	TRUST(at > 0);
#endif
}

static void states(const char *path)
{
	static int data[4], more[2][4];
	MPI_File file;
	MPI_Request requests[2];

	MPI_File_open(comm, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	MPI_File_set_atomicity(file, 1);
	MPI_File_seek_shared(file, 64, MPI_SEEK_SET);
	emit_file(file, path);
	/* a split collective that is open */
	MPI_File_open(comm, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	MPI_File_write_at_all_begin(file, 16 * facts_rank, data, 4, MPI_INT);
	emit_mode(file);
	FACT("file", file, "split_collective", "\"MPI_File_write_at_all_begin\"");
	/* one that has ended */
	MPI_File_open(comm, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
	MPI_File_read_all_begin(file, data, 4, MPI_INT);
	MPI_File_read_all_end(file, data, MPI_STATUS_IGNORE);
	LACKS("file", file, "split_collective");
	/* operations that nobody has completed */
	MPI_File_open(comm, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	MPI_File_iread_at(file, 0, more[0], 4, MPI_INT, &requests[0]);
	MPI_File_iwrite_at(file, 256, more[1], 4, MPI_INT, &requests[1]);
	HAS("file", file, "requests", "\"0x%" PRIx64 "\"", BITS(requests[0]));
	HAS("file", file, "requests", "\"0x%" PRIx64 "\"", BITS(requests[1]));
	FACT("file", file, "path", "\"%s\"", path);
}

static void closed(const char *path)
{
	MPI_File file;

	MPI_File_open(comm, path, MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_INFO_NULL, &file);
	uint64_t bits = BITS(file);
	MPI_File_close(&file);
	PAST("file", bits, "path", "\"%s\"", path);
	PAST("file", bits, "mode", "\"MPI_MODE_WRONLY|MPI_MODE_APPEND\"");
	emit("print file MPI_FILE_NULL predefined true");
	emit("print file MPI_FILE_NULL name \"MPI_FILE_NULL\"");
}

/* As of_freed() in facts_windows.c. */
static void of_freed(const char *path)
{
	MPI_Comm gone, other;
	MPI_Info info, new_info;
	MPI_File file;

	MPI_Comm_dup(MPI_COMM_WORLD, &gone);
	MPI_Comm_set_name(gone, "of a file");
	MPI_Info_create(&info);
	MPI_File_open(gone, path, MPI_MODE_RDONLY, info, &file);
	MPI_Comm_free(&gone);
	MPI_Info_free(&info);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	MPI_Comm_set_name(other, "another one");
	MPI_Info_create(&new_info);
	FACT("file", file, "comm_why", "\"freed by the application\"");
	FACT("file", file, "comm_name", "\"of a file\"");
	FACT("file", file, "info_why", "\"freed by the application\"");
	FACT("comm", other, "files", "[]");
	FACT("info", new_info, "files", "[]");
}

static int deleted(MPI_Comm of, int key, void *value, void *extra)
{
	(void)of, (void)key, (void)value, (void)extra;
	return MPI_SUCCESS;
}

static void combine(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)n, (void)type;
}

/* The library creates an internal keyval and operation when the
 * first file is opened; they are not objects of the program. */
static void beside(void)
{
	MPI_Op op;
	int key;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);
	MPI_Op_create(combine, 1, &op);
	emit("live keyval 1");
	emit("live op 1");
}

int main(int argc, char **argv)
{
	int buffer;

	facts_init(&argc, &argv);
	TRUST(facts_size == 2 && argc == 2);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_name(comm, "of files");
	plain(argv[1]);
	closed(argv[1]);
	of_freed(argv[1]);
	view(argv[1]);
	type_freed(argv[1]);
	hints(argv[1]);
	states(argv[1]);
	beside();
	emit("call function \"MPI_Recv\"");
	emit_ready();
	MPI_Recv(&buffer, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return 1;
}
