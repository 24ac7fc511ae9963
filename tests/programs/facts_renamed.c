/* SPDX-License-Identifier: BSD-3-Clause */
/* Predefined objects that the program has given other names are found by those of the standard. On 1 rank. */
#include "facts.h"

/* Two of them are one handle: MPI_LONG_LONG_INT and MPI_LONG_LONG, MPI_C_FLOAT_COMPLEX and MPI_C_COMPLEX. */
#define TYPES(X)                                                                                                       \
	X(MPI_2DOUBLE_PRECISION)                                                                                       \
	X(MPI_2INT)                                                                                                    \
	X(MPI_2INTEGER)                                                                                                \
	X(MPI_2REAL)                                                                                                   \
	X(MPI_AINT)                                                                                                    \
	X(MPI_BYTE)                                                                                                    \
	X(MPI_CHAR)                                                                                                    \
	X(MPI_CHARACTER)                                                                                               \
	X(MPI_COMPLEX)                                                                                                 \
	X(MPI_COUNT)                                                                                                   \
	X(MPI_CXX_BOOL)                                                                                                \
	X(MPI_CXX_DOUBLE_COMPLEX)                                                                                      \
	X(MPI_CXX_FLOAT_COMPLEX)                                                                                       \
	X(MPI_CXX_LONG_DOUBLE_COMPLEX)                                                                                 \
	X(MPI_C_BOOL)                                                                                                  \
	X(MPI_C_COMPLEX)                                                                                               \
	X(MPI_C_DOUBLE_COMPLEX)                                                                                        \
	X(MPI_C_FLOAT_COMPLEX)                                                                                         \
	X(MPI_C_LONG_DOUBLE_COMPLEX)                                                                                   \
	X(MPI_DOUBLE)                                                                                                  \
	X(MPI_DOUBLE_COMPLEX)                                                                                          \
	X(MPI_DOUBLE_INT)                                                                                              \
	X(MPI_DOUBLE_PRECISION)                                                                                        \
	X(MPI_FLOAT)                                                                                                   \
	X(MPI_FLOAT_INT)                                                                                               \
	X(MPI_INT)                                                                                                     \
	X(MPI_INT16_T)                                                                                                 \
	X(MPI_INT32_T)                                                                                                 \
	X(MPI_INT64_T)                                                                                                 \
	X(MPI_INT8_T)                                                                                                  \
	X(MPI_INTEGER)                                                                                                 \
	X(MPI_LOGICAL)                                                                                                 \
	X(MPI_LONG)                                                                                                    \
	X(MPI_LONG_DOUBLE)                                                                                             \
	X(MPI_LONG_DOUBLE_INT)                                                                                         \
	X(MPI_LONG_INT)                                                                                                \
	X(MPI_LONG_LONG)                                                                                               \
	X(MPI_LONG_LONG_INT)                                                                                           \
	X(MPI_OFFSET)                                                                                                  \
	X(MPI_PACKED)                                                                                                  \
	X(MPI_REAL)                                                                                                    \
	X(MPI_SHORT)                                                                                                   \
	X(MPI_SHORT_INT)                                                                                               \
	X(MPI_SIGNED_CHAR)                                                                                             \
	X(MPI_UINT16_T)                                                                                                \
	X(MPI_UINT32_T)                                                                                                \
	X(MPI_UINT64_T)                                                                                                \
	X(MPI_UINT8_T)                                                                                                 \
	X(MPI_UNSIGNED)                                                                                                \
	X(MPI_UNSIGNED_CHAR)                                                                                           \
	X(MPI_UNSIGNED_LONG)                                                                                           \
	X(MPI_UNSIGNED_LONG_LONG)                                                                                      \
	X(MPI_UNSIGNED_SHORT)                                                                                          \
	X(MPI_WCHAR)

static void rename_types(void)
{
#define ROW(name) { #name, name },
	const struct {
		const char *name;
		MPI_Datatype type;
	} types[] = { TYPES(ROW) };
	size_t n_types = sizeof(types) / sizeof(types[0]);
	char name[MPI_MAX_OBJECT_NAME];

	for (size_t i = 0; i < n_types; i++) {
		snprintf(name, sizeof(name), "my own %zu", i);
		if (types[i].type != MPI_DATATYPE_NULL)
			MPI_Type_set_name(types[i].type, name);
	}
	for (size_t i = 0; i < n_types; i++)
		if (types[i].type != MPI_DATATYPE_NULL)
			emit("print datatype %s handle \"0x%" PRIx64 "\"", types[i].name, BITS(types[i].type));
	/* one has a name that the standard gives to another one */
	MPI_Type_set_name(MPI_CHAR, "MPI_INT");
	emit("print datatype MPI_INT handle \"0x%" PRIx64 "\"", BITS(MPI_INT));
	emit("print datatype MPI_CHAR handle \"0x%" PRIx64 "\"", BITS(MPI_CHAR));
	FACT("datatype", MPI_CHAR, "name", "\"MPI_INT\"");
}

static void pairs(void)
{
	const MPI_Datatype some[] = { MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT,
				      MPI_SHORT_INT, MPI_2INT,       MPI_LONG_DOUBLE_INT };

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		FACT("datatype", some[i], "elements", "2");
	emit("print datatype MPI_SHORT_INT holes [{\"displacement\": 2, \"bytes\": 2}]");
}

static void two_of_a_name(void)
{
	MPI_Comm first, second;

	MPI_Comm_dup(MPI_COMM_WORLD, &first);
	MPI_Comm_set_name(first, "same");
	MPI_Comm_dup(MPI_COMM_WORLD, &second);
	MPI_Comm_set_name(second, "same");
	emit("print comm same handle \"0x%" PRIx64 "\"", BITS(first));
	emit("print comm same others_of_this_name 1");
	emit("print comm MPI_COMM_SELF others_of_this_name 1");
}

static void comms(void)
{
	MPI_Comm c;

	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Comm_set_name(c, "MPI_COMM_SELF");
	MPI_Comm_set_name(MPI_COMM_SELF, "myself");
	MPI_Comm_set_name(MPI_COMM_WORLD, "MPI_COMM_NULL");
	emit("print comm MPI_COMM_SELF handle \"0x%" PRIx64 "\"", BITS(MPI_COMM_SELF));
	emit("print comm myself handle \"0x%" PRIx64 "\"", BITS(MPI_COMM_SELF));
	emit("print comm MPI_COMM_WORLD handle \"0x%" PRIx64 "\"", BITS(MPI_COMM_WORLD));
	emit("print comm MPI_COMM_WORLD size 1");
	emit("print comm MPI_COMM_NULL size null");
	emit("print comm MPI_COMM_NULL handle \"0x%" PRIx64 "\"", BITS(MPI_COMM_NULL));
}

int main(int argc, char **argv)
{
	int buffer;

	facts_init(&argc, &argv);
	TRUST(facts_size == 1);
	rename_types();
	pairs();
	comms();
	two_of_a_name();
	emit("call function \"MPI_Recv\"");
	emit_ready();
	MPI_Recv(&buffer, 1, MPI_LONG, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return 1;
}
