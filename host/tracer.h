/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file tracer.h
 * Several mpidbg that read the same processes at one moment: the kernel lets only one of them stop a process.
 */
#ifndef HOST_TRACER_H
#define HOST_TRACER_H

#include <stdbool.h>
#include <sys/types.h>

/** The process that traces a process or thread. @return 0: none, or it cannot be read */
pid_t host_tracer(pid_t pid);

/** Is it another mpidbg, which lets go of what it traces after milliseconds? */
bool host_is_reader(pid_t tracer);

/**
 * Wait until another mpidbg has let go of a process or thread, for at most a second. When that was in vain once, later
 * calls do not wait: a stopped mpidbg may hold all ranks of a job.
 *
 * @return true: nobody traces it now, or something may be tried again; false: it is traced, by mpidbg or another one
 */
bool host_wait_for_reader(pid_t pid);

/**
 * Take the turn to read the processes of a job: wait for at most some seconds until no other mpidbg has it. Two that
 * stop half of the ranks each would wait for each other. It also ends with this process.
 *
 * @param pid a process of the job, which all choose alike
 * @return for host_turn_end(); -1: the turn cannot be taken; read all the same
 */
int host_turn_take(pid_t pid);

/** End the turn. -1 is accepted. */
void host_turn_end(int turn);

#endif /* HOST_TRACER_H */
