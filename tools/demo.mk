# SPDX-License-Identifier: BSD-3-Clause
.PHONY: demo
demo: build $B/programs/ring_hang $B/programs/spawn ## start a job of 4 ranks that hangs and analyze it, live and from cores; also a job that spawns processes
	$(Q)$(if $(MPIRUN_openmpi),MPIRUN_openmpi='$(MPIRUN_openmpi)') tools/demo $B
