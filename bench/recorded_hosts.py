#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: recorded_hosts.py BUILD SNAPSHOT HOSTS RANKS

Measure mpidbg deadlock --job for a job on many hosts whose agents' answers are recorded. SNAPSHOT is what mpidbg snapshot has written
of a real job, a ring over MPI_COMM_WORLD: its process of rank 1 is the model of all. Each host has RANKS ranks; a program that prints
the answers takes the place of pdsh. Prints the processor time and the memory of mpidbg, and the size of the answers.
"""

import base64
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
import zlib

LINE_BYTES = 375  # below HS_LINE_MAX characters of base64
FIRST = 10_000_000  # ranks of the model, which are replaced
SIZE = 99_999_999


def model(line, ranks):
    """The processes of a host, with ranks FIRST, FIRST + 1 ... of a job of SIZE."""
    numbers = random.Random(36)
    ret = []
    for i in range(ranks):
        shift = numbers.randrange(1 << 28) << 12
        text = re.sub('"0x([0-9a-f]+)"', lambda m: '"0x%x"' % (int(m[1], 16) + shift), line)
        process = json.loads(text)
        old = process["pid"]
        pid = 3000 + 8 * i
        for thread in process["calls"] + process["threads"]:
            thread["thread"] = thread["thread"] - old + pid
        rank = FIRST + i
        process.update(rank=rank, pid=pid, host="HOST")
        process["identity"].update(rank=rank, pid=pid)
        process["world"].update(rank=rank, size=SIZE)
        world, own = process["communicators"][:2]
        world.update(rank=rank, size=SIZE, members=["0-%d" % (SIZE - 1)])
        world["flows"] = [rank - 1, 0, 2, rank + 1, 1, 1]
        own["members"] = [rank]
        for kind, peer in (("pending_sends", rank + 1), ("pending_receives", rank - 1), ("unexpected", rank - 1)):
            for op in world[kind]:
                op["peer"] = op["peer_world"] = peer
                op["sequence"] = 1
                if "thread" in op:
                    op["thread"] = op["thread"] - old + pid
        ret.append(process)
    return ret


def folded(build, snapshot, ranks):
    """The snapshot of a host as its agent writes it."""
    with open(snapshot) as f:
        lines = f.read().splitlines()
    head = json.loads(lines[0])
    head["job"]["size"] = SIZE
    head["host"] = "HOST"
    for world in head["worlds"]:
        world["size"] = SIZE
    head.pop("parts", None)
    rows = [json.dumps(p, separators=(",", ":")) for p in model(lines[2], ranks)]
    end = {"end": ranks, "problems": []}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        f.write(
            "\n".join([json.dumps(head, separators=(",", ":"))] + rows + [json.dumps(end, separators=(",", ":"))])
            + "\n"
        )
        f.flush()
        return subprocess.run(
            [build + "/mpidbg", "snapshot", "--fold", "--snapshot", f.name], stdout=subprocess.PIPE, text=True
        ).stdout


def lines_of(host, kind, text):
    packed = zlib.compress(text.encode(), 6)
    for at in range(0, len(packed), LINE_BYTES):
        yield "%s: mpidbg1 - %s %d %s\n" % (host, kind, at, base64.b64encode(packed[at : at + LINE_BYTES]).decode())
    yield "%s: mpidbg1 - %s end %d %d %d\n" % (host, kind, len(packed), len(text.encode()), zlib.crc32(packed))


def main():
    build, snapshot, hosts, ranks = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    text = folded(build, snapshot, ranks)
    size = hosts * ranks
    version = subprocess.run([build + "/mpidbg", "--version"], stdout=subprocess.PIPE, text=True).stdout.split()[-1]
    numbers = re.compile(r"(?<!\d)(%d\d{0}\d*|99999998|99999999|9999999)(?!\d)" % (FIRST // 10_000))
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/answers", "w") as f:
            for h in range(hosts):
                host = "n%d" % h
                first = h * ranks

                def number(m):
                    n = int(m[0])
                    if n >= SIZE - 1:
                        return str(n - SIZE + size)
                    return str((n - FIRST + first) % size) if FIRST - 1 <= n <= FIRST + ranks else m[0]

                its = numbers.sub(number, text).replace("HOST", host)
                body = its[: its.rindex(',"sum":"')]
                its = '%s,"sum":"%08x"}\n' % (body, zlib.crc32((body + "}\n").encode()))
                f.writelines(lines_of(host, "a", its))
                f.writelines(lines_of(host, "b", its))
                # so far apart that no clocks are needed
                about = {"version": version, "host": host, "first": [0, 1], "second": [100000, 100001], "cpu": 0.1}
                f.writelines(lines_of(host, "i", json.dumps(about)))
        with open(folder + "/pdsh", "w") as f:
            f.write("#!/bin/sh\nexec cat %s/answers\n" % folder)
        os.chmod(folder + "/pdsh", 0o755)
        command = [build + "/mpidbg", "deadlock", "--job", "slurm:1", "--via", "pdsh", "--limit", "3000"]
        command += ["--hosts", "n[0-%d]" % (hosts - 1)]
        start = time.time()
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={"PATH": folder + ":/usr/bin:/bin"},
        )
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(done.stdout[:300] + "\n...\n" + done.stdout[-300:])
        size_mb = os.path.getsize(folder + "/answers") / 1e6
        print(
            "%d hosts, %d ranks: %.1f MB, %.1f s of a processor, %.1f s, %.0f MB at its peak, exit %d"
            % (
                hosts,
                size,
                size_mb,
                used.ru_utime + used.ru_stime,
                time.time() - start,
                used.ru_maxrss / 1e3,
                done.returncode,
            )
        )


main()
