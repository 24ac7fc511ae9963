# SPDX-License-Identifier: BSD-3-Clause
# make check-neutral: MPICH's own test suite, each program bare and with the in-target library, on each MPI. It fetches
# the Debian source package mpich and takes an hour or two; what is done is not done again while the library is the same.
# NEUTRAL="pt2pt rma/lockopts" runs these only, NEUTRAL_MPI=mpich with this MPI only.

NEUTRAL ?=
NEUTRAL_MPI ?= $(FLAVOURS)
NEUTRAL_JOBS ?= 2
NEUTRAL_ALL := attr init info group errhan mpi_t topo comm pt2pt datatype io threads coll rma errors spawn part impls
NEUTRAL_ROOMS = $(or $(sort $(foreach w,$(NEUTRAL),$(firstword $(subst /, ,$(w))))),$(NEUTRAL_ALL))

.PHONY: check-neutral
check-neutral: mpi2dd build/.deps ## MPICH's test suite with and without the in-target library (hours; NEUTRAL=pt2pt: a part)
	$(Q)for f in $(NEUTRAL_MPI); do tests/neutral/make_suite $B/neutral $$f $(NEUTRAL_ROOMS) || exit 1; done
	$(Q)tests/neutral/compare_runs $B --mpi $(subst $(eval) ,$(comma),$(strip $(NEUTRAL_MPI))) --jobs $(NEUTRAL_JOBS) \
		$(NEUTRAL)
