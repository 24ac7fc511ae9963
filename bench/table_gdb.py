# SPDX-License-Identifier: BSD-3-Clause
"""gdb -nx -batch -p PID -ex 'python part = 10000' -x bench/table_gdb.py

Reads the first entries of the MPI2DD process table with GDB's values, as a script of a debugger without the plugin does,
and prints one line: entries, seconds. The time is that of reading alone, without the start of GDB.
"""

import time

import gdb

table = gdb.parse_and_eval("(struct MPI2DD_PROCDESC *) MPI2DD_info.proctable")
n = min(int(gdb.parse_and_eval("MPI2DD_info.proctable_size")), globals().get("part", 10000))
char = gdb.lookup_type("char").pointer()


def string(value):
    return value.cast(char).string()


start = time.perf_counter()
procs = []
for i in range(n):
    entry = table[i]
    procs.append(
        (
            int(entry["rank"]),
            int(entry["pid"]),
            string(entry["host_name"]),
            string(entry["executable_name"]),
            string(entry["comm_world_id"]),
        )
    )
seconds = time.perf_counter() - start
assert all(p[0] == i and p[1] == 1000 + i and p[2].startswith("node") for i, p in enumerate(procs))
print(f"table_gdb {len(procs)} {seconds:.6f}")
