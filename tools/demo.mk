# SPDX-License-Identifier: BSD-3-Clause
.PHONY: demo
demo: build $B/programs/ring_hang $B/programs/spawn ## show a real 4-rank job that hangs: its processes, its queues, its cores; one that spawns
	$(Q)tools/demo $B
