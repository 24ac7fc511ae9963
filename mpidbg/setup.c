/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entry points that set up and release, and small queries about a process.
 */
#include "code.h"
#include "names.h"

#include "../mqs/callbacks.h"
#include "../mqs/error.h"

#include <limits.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

char mpidbg_dll_is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
char mpidbg_dll_bitness = (char)(sizeof(void *) * CHAR_BIT);

int mpidbg_init_once(const mqs_basic_callbacks *callbacks)
{
	return mqs_callbacks_set(callbacks) ? MPIDBG_SUCCESS : MPIDBG_ERR_OUT_OF_RANGE;
}

int mpidbg_interface_version_compatibility(void)
{
	return MPIDBG_INTERFACE_VERSION;
}

char *mpidbg_version_string(void)
{
	return (char *)"mpidbg " MPIDBG_VERSION ": MPI handles and processes";
}

int mpidbg_dll_taddr_width(void)
{
	return sizeof(mqs_taddr_t);
}

/*
 * Look up the C and C++ types of handles. Open MPI's handles are pointers: if the debugger does not know MPI_Comm,
 * try the structure that it points to, as Open MPI's own plugin did.
 */
static void find_handle_types(mqs_image *image, const mqs_image_callbacks *callbacks, struct mpidbg_handle_info_t *ret)
{
	const struct {
		mqs_type **at;
		mqs_lang_code language;
		const char *name, *otherwise;
	} types[] = {
		{ &ret->hi_c_aint, mqs_lang_c, "MPI_Aint", NULL },
		{ &ret->hi_c_comm, mqs_lang_c, "MPI_Comm", "ompi_communicator_t" },
		{ &ret->hi_c_datatype, mqs_lang_c, "MPI_Datatype", "ompi_datatype_t" },
		{ &ret->hi_c_errhandler, mqs_lang_c, "MPI_Errhandler", "ompi_errhandler_t" },
		{ &ret->hi_c_file, mqs_lang_c, "MPI_File", "ompi_file_t" },
		{ &ret->hi_c_group, mqs_lang_c, "MPI_Group", "ompi_group_t" },
		{ &ret->hi_c_info, mqs_lang_c, "MPI_Info", "opal_info_t" },
		{ &ret->hi_c_offset, mqs_lang_c, "MPI_Offset", NULL },
		{ &ret->hi_c_op, mqs_lang_c, "MPI_Op", "ompi_op_t" },
		{ &ret->hi_c_request, mqs_lang_c, "MPI_Request", "ompi_request_t" },
		{ &ret->hi_c_status, mqs_lang_c, "MPI_Status", "ompi_status_public_t" },
		{ &ret->hi_c_win, mqs_lang_c, "MPI_Win", "ompi_win_t" },
		{ &ret->hi_cxx_aint, mqs_lang_cplus, "MPI::Aint", "MPI_Aint" },
		{ &ret->hi_cxx_comm, mqs_lang_cplus, "MPI::Comm", NULL },
		{ &ret->hi_cxx_intracomm, mqs_lang_cplus, "MPI::Intracomm", NULL },
		{ &ret->hi_cxx_intercomm, mqs_lang_cplus, "MPI::Intercomm", NULL },
		{ &ret->hi_cxx_graphcomm, mqs_lang_cplus, "MPI::Graphcomm", NULL },
		{ &ret->hi_cxx_cartcomm, mqs_lang_cplus, "MPI::Cartcomm", NULL },
		{ &ret->hi_cxx_datatype, mqs_lang_cplus, "MPI::Datatype", NULL },
		{ &ret->hi_cxx_errhandler, mqs_lang_cplus, "MPI::Errhandler", NULL },
		{ &ret->hi_cxx_file, mqs_lang_cplus, "MPI::File", NULL },
		{ &ret->hi_cxx_group, mqs_lang_cplus, "MPI::Group", NULL },
		{ &ret->hi_cxx_info, mqs_lang_cplus, "MPI::Info", NULL },
		{ &ret->hi_cxx_offset, mqs_lang_cplus, "MPI::Offset", "MPI_Offset" },
		{ &ret->hi_cxx_op, mqs_lang_cplus, "MPI::Op", NULL },
		{ &ret->hi_cxx_request, mqs_lang_cplus, "MPI::Request", NULL },
		{ &ret->hi_cxx_prequest, mqs_lang_cplus, "MPI::Prequest", NULL },
		{ &ret->hi_cxx_grequest, mqs_lang_cplus, "MPI::Grequest", NULL },
		{ &ret->hi_cxx_status, mqs_lang_cplus, "MPI::Status", NULL },
		{ &ret->hi_cxx_win, mqs_lang_cplus, "MPI::Win", NULL },
	};

	memset(ret, 0, sizeof(*ret));
	if (!callbacks->mqs_find_type_fp)
		return;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		*types[i].at = callbacks->mqs_find_type_fp(image, (char *)types[i].name, types[i].language);
		if (!*types[i].at && types[i].otherwise)
			*types[i].at = callbacks->mqs_find_type_fp(image, (char *)types[i].otherwise, mqs_lang_c);
	}
}

int mpidbg_init_per_image(mqs_image *image, const mqs_image_callbacks *callbacks,
			  struct mpidbg_handle_info_t *handle_types)
{
	enum acc_rc rc = mqs_state_image_setup(MQS_FACE_HANDLES, image, callbacks);

	if (!rc && handle_types)
		find_handle_types(image, callbacks, handle_types);
	return mpidbg_code(rc);
}

void mpidbg_finalize_per_image(mqs_image *image, mqs_image_info *image_info)
{
	mqs_state_image_release(MQS_FACE_HANDLES, image_info ? image_info : mqs_state_image(image));
}

int mpidbg_init_per_process(mqs_process *process, const mqs_process_callbacks *callbacks,
			    struct mpidbg_handle_info_t *handle_types)
{
	enum acc_rc rc = mqs_state_process_setup(MQS_FACE_HANDLES, process, callbacks);

	if (!rc && handle_types) {
		struct _mqs_image_info *image = mqs_state_process(process)->image;

		find_handle_types(image->image, mqs_state_image_callbacks(image), handle_types);
	}
	if (!rc)
		mpidbg_names_setup(mqs_state_process(process));
	return mpidbg_code(rc);
}

void mpidbg_finalize_per_process(mqs_process *process, mqs_process_info *process_info)
{
	mqs_state_process_release(MQS_FACE_HANDLES, process_info ? process_info : mqs_state_process(process));
}

const char *mpidbg_error_string(mqs_process *process)
{
	const struct _mqs_process_info *p = mqs_state_process(process);

	if (!p)
		return "the process is not set up";
	return p->note.rc ? p->note.text : "no failure";
}

void mpidbg_free(void *p)
{
	mqs_callbacks_release(p);
}

int mpidbg_get_stats(mqs_process *process, struct mpidbg_stats *ret)
{
	const struct _mqs_process_info *p = mqs_state_process(process);

	if (!p || !ret)
		return MPIDBG_ERR_OUT_OF_RANGE;
	/* all 0 before the first read */
	*ret = (struct mpidbg_stats){
		.n_reads = p->space.stats.n_reads,
		.read_bytes = p->space.stats.read_bytes,
		.n_failed_reads = p->space.stats.n_failed,
		.n_objects = p->space.stats.n_objects,
		.object_bytes = p->space.stats.object_bytes,
	};
	return MPIDBG_SUCCESS;
}
