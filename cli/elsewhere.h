/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file elsewhere.h
 * A job that is named by a process of another host: --job PID@HOST.
 */
#ifndef CMD_ELSEWHERE_H
#define CMD_ELSEWHERE_H

/**
 * If the arguments name a job on another host, run the whole command there, by ssh, in place of this one: that host
 * knows how the launcher has reached the others.
 *
 * @param argv argv[0] is the subcommand
 * @return -1: they do not; else an exit code, if ssh cannot be run. Does not return if it can.
 */
int cmd_elsewhere(int argc, char **argv);

#endif /* CMD_ELSEWHERE_H */
