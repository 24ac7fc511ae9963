# SPDX-License-Identifier: BSD-3-Clause
"""The format of snapshots (docs/json.md), as cli/snapshot_text.c and verdict/members.c write it: tests/unit/check_members.c compares
both. This file does not need GDB."""

import json

SCHEMA = "mpidbg-snapshot/3"
RANGE_MIN = 4  # shorter runs stay numbers
MESSAGES_MAX = 10000  # operations of one kind in a communicator; more are counted


def pack_members(members):
    """Replace consecutive ranks by ranges, "0-4095". An array that already has ranges is unchanged."""
    packed, i = [], 0
    if any(isinstance(member, str) for member in members):
        return members
    while i < len(members):
        n = 1
        while (
            isinstance(members[i], int)
            and 0 <= members[i] < 1 << 31
            and i + n < len(members)
            and members[i + n] == members[i] + n
        ):
            n += 1
        if n >= RANGE_MIN:
            packed.append("%d-%d" % (members[i], members[i] + n - 1))
        else:
            packed.extend(members[i : i + n])
        i += n
    return packed


def write(file, head, processes, problems):
    """Write a snapshot: its head, a line for each process, its end."""
    end = {"end": len(processes), "problems": problems}
    for line in [dict(schema=SCHEMA, command="snapshot", **head), *processes, end]:
        json.dump(line, file, separators=(",", ":"))
        file.write("\n")
