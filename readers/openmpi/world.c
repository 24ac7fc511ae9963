/* SPDX-License-Identifier: BSD-3-Clause */
#include "openmpi.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum acc_rc rd_ompi_read_state(struct rd_ompi *o)
{
	uint64_t addr, raw;
	unsigned width = o->sp->sizes.int_bytes;

	enum acc_rc rc = rd_ompi_symbol(o, S_ompi_mpi_state, &addr);
	if (rc == ACC_OK)
		rc = acc_read_u(o->sp, addr, width, &raw);
	if (rc)
		return acc_note(&o->sp->note, rc, "ompi_mpi_state: %s", acc_rc_text(rc));
	/* ompi/runtime/mpiruntime.h, 4.1 and 5.0: 0 to 5 */
	if (raw > RD_OMPI_STATE_FINALIZED)
		return acc_note(&o->sp->note, ACC_ECORRUPT, "ompi_mpi_state is %llu: %s", (unsigned long long)raw,
				acc_rc_text(ACC_ECORRUPT));
	o->mpi_state = (int64_t)raw;
	struct mdl_library *lib = &o->p->library;
	lib->state = o->mpi_state < RD_OMPI_STATE_INIT        ? MDL_BEFORE_INIT
		     : o->mpi_state < RD_OMPI_STATE_FINALIZE  ? MDL_INITIALIZED
		     : o->mpi_state < RD_OMPI_STATE_FINALIZED ? MDL_FINALIZING
							      : MDL_FINALIZED;
	return ACC_OK;
}

/* Read text without control characters; else "". */
static bool printable(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			return false;
	return true;
}

/* The name of the component at @p addr: mca_base_component_2_1_0_t is its first member. */
static bool component_name(struct rd_ompi *o, uint64_t addr, char *ret, size_t size)
{
	struct acc_obj c;

	if (!rd_ompi_has(o, F_mca_base_component_2_1_0_t_mca_component_name))
		return false;
	acc_obj_load(&c, o->sp, o->layout, T_mca_base_component_2_1_0_t, addr);
	acc_get_chars(&c, F_mca_base_component_2_1_0_t_mca_component_name, ret, size);
	return c.rc == ACC_OK && printable(ret);
}

void rd_ompi_read_version(struct rd_ompi *o)
{
	struct mdl_library *lib = &o->p->library;
	uint64_t addr;

	lib->version[0] = '\0';
	if (rd_ompi_symbol(o, S_ompi_version_string, &addr) == ACC_OK &&
	    acc_read_string(o->sp, addr, lib->version, sizeof(lib->version)) == ACC_OK && printable(lib->version) &&
	    lib->version[0])
		return;
	lib->version[0] = '\0';
	/* the version string is in read-only data, which a core does
	 * not contain; the numbers of a component are in writable data */
	if (!o->layout || !rd_ompi_has(o, F_mca_base_component_2_1_0_t_mca_component_major_version) ||
	    rd_ompi_symbol(o, S_mca_pml_base_selected_component, &addr))
		return;
	struct acc_note note = o->sp->note; /* an unknown version is not a failure */
	struct acc_obj c;
	acc_obj_load(&c, o->sp, o->layout, T_mca_base_component_2_1_0_t, addr);
	int64_t major = acc_get_i(&c, F_mca_base_component_2_1_0_t_mca_component_major_version);
	int64_t minor = acc_get_i(&c, F_mca_base_component_2_1_0_t_mca_component_minor_version);
	int64_t release = acc_get_i(&c, F_mca_base_component_2_1_0_t_mca_component_release_version);
	if (c.rc == ACC_OK && major > 0 && major < 1000 && minor >= 0 && minor < 1000 && release >= 0 && release < 1000)
		snprintf(lib->version, sizeof(lib->version), "%d.%d.%d", (int)major, (int)minor, (int)release);
	o->sp->note = note;
}

/*
 * Which pml transfers messages, and are its queues ob1's? The class of the object that it attaches to a communicator
 * decides, not its name: pml/monitoring and pml/v forward everything to another pml and use its queues.
 */
static void read_pml(struct rd_ompi *o, uint64_t pml_comm_addr)
{
	struct mdl_library *lib = &o->p->library;
	struct acc_note note = o->sp->note;
	char name[64] = "", inner[64] = "";
	uint64_t addr;

	if (rd_ompi_symbol(o, S_mca_pml_base_selected_component, &addr) || !component_name(o, addr, name, sizeof(name)))
		name[0] = '\0';
	if (!strcmp(name, "monitoring") && rd_ompi_symbol(o, S_pml_selected_component, &addr) == ACC_OK &&
	    !component_name(o, addr, inner, sizeof(inner)))
		inner[0] = '\0';

	o->ob1 = pml_comm_addr && rd_ompi_check(o, pml_comm_addr, C_mca_pml_ob1_comm_t) == ACC_OK;
	o->by_ucx = false;
	o->pml_why = NULL;
	const char *real = inner[0] ? inner : name;
	if (!o->ob1) {
		if (!strcmp(real, "ucx"))
			rd_ompi_ucx_find(o);
		else if (!strcmp(real, "cm"))
			o->pml_why = "pml cm hands messages to an MTL, which matches them out of Open MPI's sight; its "
				     "requests keep neither peer nor tag; with mpi2dd-run pending sends and receives "
				     "are "
				     "shown";
		else if (!strcmp(real, "yalla"))
			o->pml_why = "pml yalla hands messages to MXM, which matches them out of Open MPI's sight";
		else if (!strcmp(real, "monitoring"))
			o->pml_why = "pml monitoring forwards messages to another pml, which is unknown here";
		else if (!strcmp(real, "v"))
			o->pml_why = "pml v forwards messages to another pml, which is unknown here";
		else if (!strcmp(real, "ob1"))
			o->pml_why = "pml ob1 is selected, but what it hangs on MPI_COMM_WORLD is not ob1's";
		else
			o->pml_why = "only the queues of pml ob1 are known";
	} else if (!real[0] || !strcmp(real, "monitoring") || !strcmp(real, "v")) {
		snprintf(inner, sizeof(inner), "ob1");
		real = inner;
	}
	if (real != name && name[0])
		snprintf(lib->component, sizeof(lib->component), "%.24s (under %.24s)", real, name);
	else
		snprintf(lib->component, sizeof(lib->component), "%.60s", real);
	o->sp->note = note;
}

/* This process's own name: *ompi_proc_local_proc, or else its entry in the group of MPI_COMM_WORLD. */
static void read_self(struct rd_ompi *o, const struct rd_ompi_comm *world)
{
	uint64_t addr, proc_addr;

	o->job_known = false;
	if (rd_ompi_symbol(o, S_ompi_proc_local_proc, &addr) == ACC_OK &&
	    acc_read_ptr(o->sp, addr, &proc_addr) == ACC_OK &&
	    rd_ompi_proc_name(o, proc_addr, &o->job, &o->vpid) == ACC_OK)
		o->job_known = true;
	if (!o->job_known && world->local.procs_addr &&
	    acc_read_ptr(o->sp, world->local.procs_addr + (uint64_t)world->facts.rank * o->sp->sizes.pointer_bytes,
			 &proc_addr) == ACC_OK &&
	    rd_ompi_proc_name(o, proc_addr, &o->job, &o->vpid) == ACC_OK)
		o->job_known = true;
}

enum acc_rc rd_ompi_read_world(struct rd_ompi *o)
{
	struct mdl_library *lib = &o->p->library;
	struct rd_ompi_comm world;
	struct acc_slots slots;
	uint64_t addr, world_addr;

	if (!rd_ompi_alive(o))
		return ACC_OK;
	/* slot 0 is the live MPI_COMM_WORLD; because of copy relocation,
	 * its symbol may refer to the unused one in the library */
	enum acc_rc rc = rd_ompi_symbol(o, S_ompi_mpi_communicators, &addr);
	if (rc)
		return acc_note(&o->sp->note, rc, "ompi_mpi_communicators: %s", acc_rc_text(rc));
	rc = rd_ompi_array(o, addr, &slots);
	if (rc == ACC_OK)
		rc = acc_slots_next(&slots, &world_addr);
	if (rc == ACC_OK && !world_addr)
		rc = ACC_NONE;
	if (rc == ACC_OK)
		rc = rd_ompi_comm_load(o, world_addr, &world);
	if (rc == ACC_OK && (world.slot != 0 || world.facts.rank != world.local.my_rank || world.facts.inter))
		rc = ACC_ECORRUPT;
	/* ompi_mpi_finalize() frees it before it sets the state "finished" */
	if (rc && rc != ACC_EREAD && o->mpi_state >= RD_OMPI_STATE_FINALIZE) {
		lib->world_rank = lib->world_size = lib->job = mdl_unavailable(
			"MPI_Finalize is in progress: MPI_COMM_WORLD was already freed");
		o->mpi_state = RD_OMPI_STATE_FINALIZED; /* nothing is read any more */
		acc_note_clear(&o->sp->note);
		return ACC_OK;
	}
	if (rc == ACC_EREAD)
		return acc_note(&o->sp->note, rc, "MPI_COMM_WORLD: %s", acc_rc_text(rc));
	if (rc)
		return acc_note(
			&o->sp->note, ACC_EWITNESS,
			"MPI_COMM_WORLD does not read back: the layout is not this library's; run mpidbg doctor");
	read_pml(o, world.pml_comm_addr);
	read_self(o, &world);
	lib->world_rank = mdl_known(world.facts.rank);
	lib->world_size = mdl_known(world.facts.size);
	lib->job = o->job_known ? mdl_known(o->job) : mdl_unavailable("this process's name cannot be read");
	uint64_t flag;
	lib->thread_multiple_known = rd_ompi_symbol(o, S_ompi_mpi_thread_multiple, &addr) == ACC_OK &&
				     acc_read_u(o->sp, addr, o->sp->sizes.bool_bytes, &flag) == ACC_OK && flag <= 1;
	lib->thread_multiple = lib->thread_multiple_known && flag;
	return ACC_OK;
}
