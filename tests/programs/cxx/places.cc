/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: places FILE, 1 process, with the in-target library and MPI2DD_TRACK_WHERE=4
 * Is in a call that was made through the C++ bindings, and has made an object so: both places are the program's own, not
 * those of the bindings. Says what calls and handles say then (answers.h).
 */
#ifndef PLACES_INLINED
/* so that the bindings are functions of their own */
#pragma GCC optimize("O0")
#endif
#include "../answers.h"

static int line_call, line_leak;

static int copy(MPI_Comm, int, void *, void *, void *, int *)
{
	emit("{'args': 'calls', 'is': {'calls': [{'function': 'MPI_Comm_dup', 'caller_place': 'main at "
	     "places.cc:%d'}]}}",
	     line_call);
	emit("{'args': 'calls', 'words': ', in main at places.cc:%d'}", line_call);
	emit("{'args': 'handles info --leaks', 'is': {'leaks': [{'place': 'main at places.cc:%d'}]}}", line_leak);
	emit("{'args': 'handles info --leaks', 'words': '1 info by MPI_Info_create in main at places.cc:%d'}",
	     line_leak);
	emit_ready();
}

int main(int argc, char **argv)
{
	int key;

	MPI::Init(argc, argv);
	MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);
	line_leak = __LINE__ + 1;
	MPI::Info info = MPI::Info::Create();
	line_call = __LINE__ + 1;
	MPI::Intracomm c = MPI::COMM_SELF.Dup();
}
