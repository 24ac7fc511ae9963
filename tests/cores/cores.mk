# SPDX-License-Identifier: BSD-3-Clause
.PHONY: cores
cores: ## make the kept cores of tests/cores again (needs gdb, zstd and the distribution's Open MPI)
	$(Q)tests/cores/make_cores
