/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hangs_groups.h
 * Cases of hangs.c: communicators made in different order, collectives of intercommunicators, groups and jobs that wait
 * for each other in MPI_Intercomm_create, MPI_Comm_accept and MPI_Comm_connect.
 */
#ifndef HANGS_GROUPS_H
#define HANGS_GROUPS_H

#include "hangs.h"

/* The even and the odd ranks; their leaders are 0 and 1. */
static MPI_Comm halves(void)
{
	MPI_Comm half;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Comm_set_name(half, rank % 2 ? "odd" : "even");
	return half;
}

static void create_inter(MPI_Comm half, int odd_leader, int tag)
{
	MPI_Comm inter;

	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : odd_leader, tag, &inter);
	MPI_Comm_free(&inter);
}

/* Rank 0 and the others make communicators in different order, when the program has two already. */
static void crossed_dups(void)
{
	MPI_Comm second, made;

	MPI_Comm_dup(MPI_COMM_WORLD, &second);
	MPI_Comm_dup(rank ? second : MPI_COMM_WORLD, &made);
	MPI_Comm_dup(rank ? MPI_COMM_WORLD : second, &made);
}

static void crossed_creates(void)
{
	MPI_Comm second, made;
	MPI_Group all;

	MPI_Comm_dup(MPI_COMM_WORLD, &second);
	MPI_Comm_group(second, &all);
	MPI_Comm_create(rank ? second : MPI_COMM_WORLD, all, &made);
	MPI_Comm_create(rank ? MPI_COMM_WORLD : second, all, &made);
}

/* Rank 0 and the others disconnect from two communicators in different order. MPICH does not wait there. */
static void crossed_disconnects(void)
{
	MPI_Comm first, second;

	MPI_Comm_dup(MPI_COMM_WORLD, &first);
	MPI_Comm_dup(MPI_COMM_WORLD, &second);
	MPI_Comm_disconnect(rank ? &first : &second);
	MPI_Comm_disconnect(rank ? &second : &first);
}

static MPI_Comm inter_of_halves(void)
{
	MPI_Comm half = halves(), inter;

	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 99, &inter);
	return inter;
}

/* The last rank waits for a message that the first one sends afterwards. */
static void inter_barrier_recv(void)
{
	MPI_Comm inter = inter_of_halves();

	if (rank == size - 1)
		receive_from(0, TAG, MPI_COMM_WORLD);
	MPI_Barrier(inter);
	if (rank == 0)
		send_to(size - 1, TAG, MPI_COMM_WORLD);
}

static void inter_allreduce_recv(void)
{
	MPI_Comm inter = inter_of_halves();

	if (rank == size - 1)
		receive_from(0, TAG, MPI_COMM_WORLD);
	MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, inter);
	if (rank == 0)
		send_to(size - 1, TAG, MPI_COMM_WORLD);
}

/* Each group's leader waits for the other one, which waits for a message of its. */
static void inter_create_recv(void)
{
	MPI_Comm half = halves();

	if (rank % 2)
		receive_from(rank - 1, TAG, MPI_COMM_WORLD);
	create_inter(half, 1, 99);
	if (rank % 2 == 0)
		send_to(rank + 1, TAG, MPI_COMM_WORLD);
}

static void inter_create_tags(void)
{
	create_inter(halves(), 1, rank % 2 ? 98 : 99);
}

/* The even ranks take their leader to be 1, and the odd ones' to be 3. */
static void inter_create_leaders(void)
{
	create_inter(halves(), 3, 99);
}

static void inter_create_sleeps(void)
{
	MPI_Comm half = halves();

	if (rank == 3)
		read_block();
	create_inter(half, 1, 99);
}

/* The leader of the odd ranks does not come. */
static void inter_create_leader_sleeps(void)
{
	MPI_Comm half = halves();

	if (rank == 1)
		read_block();
	create_inter(half, 1, 99);
}

static void inter_creates(void)
{
	for (MPI_Comm half = halves();;)
		create_inter(half, 1, 99);
}

/* The first group is late. */
static void inter_create_computes(void)
{
	MPI_Comm half = halves();

	if (rank % 2 == 0)
		compute();
	create_inter(half, 1, 99);
}

/* ---- ports ---------------------------------------------------------------------------------------------------- */

static char port[MPI_MAX_PORT_NAME];

static void accept_sleeps(void)
{
	MPI_Comm inter;

	if (rank == 0)
		MPI_Open_port(MPI_INFO_NULL, port);
	if (rank == 2)
		read_block();
	MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
}

/* The rank that others wait for in MPI_Comm_accept waits for a message of its root. */
static void accept_recv(void)
{
	MPI_Comm inter;

	if (rank == 0)
		MPI_Open_port(MPI_INFO_NULL, port);
	if (rank == 2)
		receive_from(0, TAG, MPI_COMM_WORLD);
	MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
}

/* Another job may connect at any time. */
static void accepts(void)
{
	MPI_Comm inter;

	if (rank == 0)
		MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
}

static void spawn_member_recv(void)
{
	MPI_Comm children;

	if (rank == 1)
		receive_from(0, TAG, MPI_COMM_WORLD);
	MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
}

#endif /* HANGS_GROUPS_H */
