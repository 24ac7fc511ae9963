/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mounts.h
 * The file systems of a process.
 */
#ifndef WT_MOUNTS_H
#define WT_MOUNTS_H

enum { WT_MOUNT_TYPE_BYTES = 64 };

/**
 * The type of the file system that has a path: "nfs4", "lustre". Asks no file system, which may not answer.
 *
 * @param mountinfo of /proc/PID/mountinfo; is changed. NULL: it cannot be read
 * @param[out] ret  "": unknown
 */
void wt_mount_type(char *mountinfo, const char *path, char ret[WT_MOUNT_TYPE_BYTES]);

#endif /* WT_MOUNTS_H */
