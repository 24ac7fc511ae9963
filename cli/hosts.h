/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hosts.h
 * A job whose ranks are on other hosts: mpidbg agent reads them there at two moments (plan.h, hosts/gather.h), and the answers
 * of all hosts are judged together.
 */
#ifndef CMD_HOSTS_H
#define CMD_HOSTS_H

#include "judged.h"
#include "plan.h"

#include "../hosts/gather.h"

/**
 * As cmd_judged_take(), for a job that may be on other hosts.
 *
 * Each host has its own first and second moment. A state that a rank has at both of its moments is one that it had in between,
 * so states of different hosts are compared only if there is a time between the two moments of all of them. If there is none,
 * because a host was slow to start or its clock differs, all hosts are asked again with more time in between.
 */
enum cmd_exit cmd_hosts_take(const struct cmd_options *o, struct host_plugin *plugin, bool keep,
			     struct cmd_judged *ret);

#endif /* CMD_HOSTS_H */
