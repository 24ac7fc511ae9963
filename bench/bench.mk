# SPDX-License-Identifier: BSD-3-Clause
# make bench: the numbers of docs/benchmarks.md, measured side by side on this machine.

$B/bench/queue_speed: $B/obj/bench/queue_speed.o $B/libhost.a $B/libplugin.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $< $B/libhost.a $B/libplugin.a $(CLI_LIBS)

.PHONY: bench
bench: build $B/bench/queue_speed $B/programs/flood $B/programs/blocked ## measure, and compare with the goals
	$(Q)bench/run $B
