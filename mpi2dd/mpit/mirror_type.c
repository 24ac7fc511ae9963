/* SPDX-License-Identifier: BSD-3-Clause */
#include "mirror_type.h"

#include "../calls/calls.h"

#include <string.h>

#if defined(OPEN_MPI)
/* The datatypes of Open MPI's variables. The standard does not allow the last two, but Open MPI uses them. */
static const struct {
	const char *symbol;
	enum trk_var_type type;
} types[] = {
	{ "ompi_mpi_int", TRK_VAR_INT },
	{ "ompi_mpi_char", TRK_VAR_CHAR },
	{ "ompi_mpi_unsigned", TRK_VAR_UNSIGNED },
	{ "ompi_mpi_unsigned_long", TRK_VAR_UNSIGNED_LONG },
	{ "ompi_mpi_unsigned_long_long", TRK_VAR_UNSIGNED_LONG_LONG },
	{ "ompi_mpi_double", TRK_VAR_DOUBLE },
	{ "ompi_mpi_count", TRK_VAR_COUNT },
	{ "ompi_mpi_int32_t", TRK_VAR_INT32 },
	{ "ompi_mpi_int64_t", TRK_VAR_INT64 },
	{ "ompi_mpi_uint32_t", TRK_VAR_UINT32 },
	{ "ompi_mpi_uint64_t", TRK_VAR_UINT64 },
	{ "ompi_mpi_long", TRK_VAR_LONG },
	{ "ompi_mpi_c_bool", TRK_VAR_BOOL },
};

enum trk_var_type mpit_mirror_type(MPI_Datatype datatype)
{
	static const void *known[sizeof(types) / sizeof(types[0])];

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!known[i] && m2d_calls_resolve())
			known[i] = m2d_calls_symbol(types[i].symbol);
		if (known[i] && known[i] == (const void *)datatype)
			return types[i].type;
	}
	return TRK_VAR_OTHER;
}
#else
enum trk_var_type mpit_mirror_type(MPI_Datatype datatype)
{
	static const struct {
		MPI_Datatype datatype;
		enum trk_var_type type;
	} types[] = {
		{ MPI_INT, TRK_VAR_INT },
		{ MPI_CHAR, TRK_VAR_CHAR },
		{ MPI_UNSIGNED, TRK_VAR_UNSIGNED },
		{ MPI_UNSIGNED_LONG, TRK_VAR_UNSIGNED_LONG },
		{ MPI_UNSIGNED_LONG_LONG, TRK_VAR_UNSIGNED_LONG_LONG },
		{ MPI_DOUBLE, TRK_VAR_DOUBLE },
		{ MPI_COUNT, TRK_VAR_COUNT },
		{ MPI_INT32_T, TRK_VAR_INT32 },
		{ MPI_INT64_T, TRK_VAR_INT64 },
		{ MPI_UINT32_T, TRK_VAR_UINT32 },
		{ MPI_UINT64_T, TRK_VAR_UINT64 },
		{ MPI_LONG, TRK_VAR_LONG },
		{ MPI_C_BOOL, TRK_VAR_BOOL },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].datatype == datatype)
			return types[i].type;
	return TRK_VAR_OTHER;
}
#endif

enum trk_var_type mpit_mirror_own_type(enum mpit_type type)
{
	switch (type) {
	case MPIT_INT:
		return TRK_VAR_INT;
	case MPIT_CHAR:
		return TRK_VAR_CHAR;
	case MPIT_UNSIGNED_LONG_LONG:
		return TRK_VAR_UNSIGNED_LONG_LONG;
	case MPIT_UNSIGNED_LONG:
		return TRK_VAR_UNSIGNED_LONG;
	case MPIT_DOUBLE:
		return TRK_VAR_DOUBLE;
	case MPIT_UINT64:
		return TRK_VAR_UINT64;
	case MPIT_INT32:
		return TRK_VAR_INT32;
	default:
		return TRK_VAR_OTHER;
	}
}

size_t mpit_mirror_bytes(enum trk_var_type type)
{
	static const unsigned char bytes[TRK_VAR_TYPES] = {
		[TRK_VAR_INT] = sizeof(int),
		[TRK_VAR_UNSIGNED] = sizeof(unsigned),
		[TRK_VAR_UNSIGNED_LONG] = sizeof(unsigned long),
		[TRK_VAR_UNSIGNED_LONG_LONG] = sizeof(unsigned long long),
		[TRK_VAR_COUNT] = sizeof(MPI_Count),
		[TRK_VAR_CHAR] = 1,
		[TRK_VAR_DOUBLE] = sizeof(double),
		[TRK_VAR_INT32] = 4,
		[TRK_VAR_INT64] = 8,
		[TRK_VAR_UINT32] = 4,
		[TRK_VAR_UINT64] = 8,
		[TRK_VAR_LONG] = sizeof(long),
		[TRK_VAR_BOOL] = sizeof(_Bool),
	};

	return bytes[type];
}

static bool is_signed(enum trk_var_type type)
{
	return type == TRK_VAR_INT || type == TRK_VAR_LONG || type == TRK_VAR_COUNT || type == TRK_VAR_INT32 ||
	       type == TRK_VAR_INT64;
}

uint64_t mpit_mirror_number(enum trk_var_type type, const void *element)
{
	size_t bytes = mpit_mirror_bytes(type);
	uint32_t narrow = 0;
	uint64_t ret = 0;

	if (bytes == 8) {
		memcpy(&ret, element, 8);
	} else if (bytes == 4) {
		memcpy(&narrow, element, 4);
		ret = is_signed(type) ? (uint64_t)(int64_t)(int32_t)narrow : narrow;
	} else if (bytes == 1) {
		ret = *(const unsigned char *)element;
	}
	return ret;
}

/* ---- what the standard numbers by names --------------------------------------------------------------- */

static int place_of(int value, const int *values, int n)
{
	for (int i = 0; i < n; i++)
		if (values[i] == value)
			return i;
	return -1;
}

int mpit_mirror_bind(int bind)
{
	static const int binds[] = { MPI_T_BIND_NO_OBJECT,      MPI_T_BIND_MPI_COMM,    MPI_T_BIND_MPI_DATATYPE,
				     MPI_T_BIND_MPI_ERRHANDLER, MPI_T_BIND_MPI_FILE,    MPI_T_BIND_MPI_GROUP,
				     MPI_T_BIND_MPI_OP,         MPI_T_BIND_MPI_REQUEST, MPI_T_BIND_MPI_WIN,
				     MPI_T_BIND_MPI_MESSAGE,    MPI_T_BIND_MPI_INFO };

	return place_of(bind, binds, sizeof(binds) / sizeof(binds[0]));
}

int mpit_mirror_scope(int scope)
{
	static const int scopes[TRK_SCOPES] = { MPI_T_SCOPE_CONSTANT, MPI_T_SCOPE_READONLY, MPI_T_SCOPE_LOCAL,
						MPI_T_SCOPE_GROUP,    MPI_T_SCOPE_GROUP_EQ, MPI_T_SCOPE_ALL,
						MPI_T_SCOPE_ALL_EQ };

	return place_of(scope, scopes, TRK_SCOPES);
}

int mpit_mirror_class(int var_class)
{
	static const int classes[TRK_CLASSES] = { MPI_T_PVAR_CLASS_STATE,         MPI_T_PVAR_CLASS_LEVEL,
						  MPI_T_PVAR_CLASS_SIZE,          MPI_T_PVAR_CLASS_PERCENTAGE,
						  MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_PVAR_CLASS_LOWWATERMARK,
						  MPI_T_PVAR_CLASS_COUNTER,       MPI_T_PVAR_CLASS_AGGREGATE,
						  MPI_T_PVAR_CLASS_TIMER,         MPI_T_PVAR_CLASS_GENERIC };

	return place_of(var_class, classes, TRK_CLASSES);
}

int mpit_mirror_verbosity(int verbosity)
{
	static const int levels[] = { MPI_T_VERBOSITY_USER_BASIC,   MPI_T_VERBOSITY_USER_DETAIL,
				      MPI_T_VERBOSITY_USER_ALL,     MPI_T_VERBOSITY_TUNER_BASIC,
				      MPI_T_VERBOSITY_TUNER_DETAIL, MPI_T_VERBOSITY_TUNER_ALL,
				      MPI_T_VERBOSITY_MPIDEV_BASIC, MPI_T_VERBOSITY_MPIDEV_DETAIL,
				      MPI_T_VERBOSITY_MPIDEV_ALL };

	return place_of(verbosity, levels, sizeof(levels) / sizeof(levels[0])) + 1;
}
