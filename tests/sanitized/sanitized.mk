# SPDX-License-Identifier: BSD-3-Clause
# The in-target library and programs of the tests built with sanitizers, apart: $B/tsan by make check, $B/asan by
# make check SAN=asan,ubsan. tests/live/check_track_sanitized.c runs them; make check-sanitized runs nothing else.

M2D_SAN_tsan := -O1 -fsanitize=thread -Wno-tsan
M2D_SAN_asan := -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined
SANITIZER := $(if $(findstring asan,$(SAN)),asan,tsan)
$(foreach f,$(FLAVOURS),$(eval $(call m2d_objects,$(f),$B/$(SANITIZER),$(M2D_SAN_$(SANITIZER)))) \
	$(eval $(call m2d_library,$(f),$B/$(SANITIZER),$(M2D_SAN_$(SANITIZER)))))
# All wrappers are in these files; with the undefined ones too it would take minutes.
$(FLAVOURS:%=$B/asan/obj-%/mpi2dd/calls/wrap.o): LESS := -fno-sanitize=undefined

# $(1) flavour
define sanitized_programs
$B/$(SANITIZER)/programs-$(1)/%: tests/programs/%.c $$(wildcard tests/programs/*.h include/*.h) | build/.deps
	$$(call say,MPICC,$$< ($(1), $(SANITIZER)))
	$$(Q)mkdir -p $$(@D)
	$$(Q)mpicc.$(1) -std=gnu11 -O1 -g -Wall -Wextra $(PROGRAM_WARN) $(M2D_SAN_$(SANITIZER)) -Itests/programs -o $$@ $$< -lpthread -ldl
endef
$(foreach f,$(FLAVOURS),$(eval $(call sanitized_programs,$(f))))

SANITIZED_tsan := track_traffic track_calls track_clock track_requests track_rounds track_turns mpit_events neutral storm mpit_own_threads mpit_threads mpit_levels stall \
	mpit_vars first_calls
SANITIZED_asan := $(SANITIZED_tsan) mpit_rules mpit_bad track_comms track_groups track_types track_others track_windows track_limits \
	worlds
SANITIZED := $(foreach f,$(FLAVOURS),$B/$(SANITIZER)/libmpi2dd-$(f).so \
	$(addprefix $B/$(SANITIZER)/programs-$(f)/,$(SANITIZED_$(SANITIZER))))

# check_track_sanitized is in the wildcard of the tests; what it runs is built before it.
$B/tests/live/check_track_sanitized: | $(SANITIZED)

.PHONY: check-sanitized
check-sanitized: $B/tests/live/check_track_sanitized ## the in-target library with ThreadSanitizer; SAN=asan,ubsan: with these
	$(Q)tools/run_tests $B $<
