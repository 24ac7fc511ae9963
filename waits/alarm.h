/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file alarm.h
 * Alarms of processes (alarm(), setitimer()), which end them when they have no handler. The kernel tells nobody whether
 * a process has one.
 */
#ifndef WT_ALARM_H
#define WT_ALARM_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * May the process have one? Not if no process of this machine has, nor if it has been forked from a program without
 * exec, and neither the program nor its libraries can call these functions. fork() does not copy an alarm.
 *
 * @param program a process that runs this program
 * @return true also if it is not known
 */
bool wt_alarm_possible(pid_t pid, pid_t program);

#endif /* WT_ALARM_H */
