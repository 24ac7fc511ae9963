/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file alarm.h
 * Which ranks of a watched job are stuck. Its ranks are read one after another, so that ranks of a healthy job may seem
 * to wait for each other; what several views agree on is confirmed by the two simultaneous readings of mpidbg deadlock
 * before it counts.
 */
#ifndef CMD_ALARM_H
#define CMD_ALARM_H

#include "watch.h"

/** Start with all zero; cmd_alarm_deinit() frees. */
struct cmd_alarm {
	size_t *ranks; /**< that are stuck: indexes in cmd_watch.ranks */
	size_t n;
	unsigned n_views; /**< consecutive views in which a rank seemed to be stuck */
	double asked_s;   /**< cmd_watch_now() of the last reading; those that are stuck have not changed since */
	double next_s;    /**< not before that time again */
	double later_s;   /**< how long after a reading that has confirmed nothing */
};

/** Consider a new view. Now and then this stops and reads the whole job, as mpidbg deadlock does. */
void cmd_alarm_look(struct cmd_alarm *a, const struct cmd_watch *w, const struct cmd_view *v);

/** For a job on other hosts, each of whose readings is confirmed: these ranks are stuck, indexes in cmd_watch.ranks. */
void cmd_alarm_set(struct cmd_alarm *a, const size_t *ranks, size_t n);

/** Is the rank stuck or missing, as far as confirmed? @param rank index in the job of the view */
bool cmd_alarm_is_stuck(const struct cmd_alarm *a, const struct cmd_view *v, int32_t rank);
void cmd_alarm_deinit(struct cmd_alarm *a);

#endif /* CMD_ALARM_H */
