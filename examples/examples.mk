# SPDX-License-Identifier: BSD-3-Clause
# Examples: tools that use the libraries, a preloadable library per MPI flavour.

EXAMPLES := $(FLAVOURS:%=$B/examples/libcount_messages-%.so)

$B/examples/libcount_messages-%.so: examples/count_messages.c include/mpi2dd_mpit.h | build/.deps
	$(call say,MPICC,$< ($*))
	$(Q)mkdir -p $(@D)
	$(Q)mpicc.$* -std=gnu11 -O2 -g $(WARN) -Iinclude -fPIC -shared -o $@ $<

.PHONY: examples
examples: $(EXAMPLES) ## build the examples
build programs: $(EXAMPLES)
