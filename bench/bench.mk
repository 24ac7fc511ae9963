# SPDX-License-Identifier: BSD-3-Clause
# make bench: the numbers of docs/benchmarks.md, measured side by side on this machine.

$B/bench/queue_speed $B/bench/table_speed $B/bench/verdict_speed: $B/bench/%: $B/obj/bench/%.o $B/obj/bench/spent.o $B/libhost.a $B/libplugin.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $< $B/obj/bench/spent.o $B/libhost.a $B/libplugin.a $(CLI_LIBS)

# What it runs on is never sanitized.
$B/bench/table_target: bench/table_target.c include/mpi2dd.h | build/.deps
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O2 -g $(WARN) -o $@ $<

$B/bench/init_speed-%: bench/init_speed.c mpi2dd/tables/counts.h | build/.deps
	$(call say,MPICC,$< ($*))
	$(Q)mkdir -p $(@D)
	$(Q)mpicc.$* -std=gnu11 -D_GNU_SOURCE -O2 -g $(WARN) -o $@ $< -ldl

# What a wrapped call costs, with each MPI.
$B/bench/call_cost-%: bench/call_cost.c | build/.deps
	$(call say,MPICC,$< ($*))
	$(Q)mkdir -p $(@D)
	$(Q)mpicc.$* -std=gnu11 -O2 $(WARN) -o $@ $< -lpthread

# What MPI_T costs.
$B/bench/mpit_cost-%: bench/mpit_cost.c mpi2dd/mpit/event.h mpi2dd/mpit/own_events.def | build/.deps
	$(call say,MPICC,$< ($*))
	$(Q)mkdir -p $(@D)
	$(Q)mpicc.$* -std=gnu11 -O2 $(WARN) -o $@ $<

.PHONY: bench
bench: $(FLAVOURS:%=$B/bench/mpit_cost-%)
bench: $(FLAVOURS:%=$B/bench/init_speed-%) $(FLAVOURS:%=$B/bench/call_cost-%)
bench: build $B/bench/queue_speed $B/bench/table_speed $B/bench/verdict_speed $B/bench/table_target $B/programs/flood $B/programs/blocked $B/programs/gdb_values $B/programs/ring_hang $B/programs/hangs $B/programs-mpich/hangs $B/programs-mpich/blocked $B/programs-mpich/gdb_values $B/programs-mpich/ring_hang ## measure, and compare with the goals; BENCH="gdb calls" these parts alone
	$(Q)bench/run $B $(BENCH)
