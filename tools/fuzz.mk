# SPDX-License-Identifier: BSD-3-Clause
# make fuzz: every target of fuzz/fuzz_NAME.c for T seconds, with clang's address and undefined behaviour sanitizers.
# New inputs are collected in $B/fuzz/corpus/NAME; crashing inputs are stored in fuzz/regress/NAME, which make check replays.

T ?= 60
FUZZ_TARGETS := $(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c))
# Objects that fuzz/fuzz.h needs in addition to the components; the driver is compiled once per target.
FUZZ_SRC := $(filter-out fuzz/driver.c,$(wildcard fuzz/*.c))
FUZZ_BIN := $(FUZZ_TARGETS:%=$B/fuzz/fuzz_%)
FUZZ_ROOMS := $(filter-out cli/main.c,$(COMPONENT_SRC)) $(wildcard tests/support/*.c) $(FUZZ_SRC)
FUZZ_OBJ := $(FUZZ_ROOMS:%.c=$B/fuzz/obj/%.o) $B/fuzz/obj/gen/packs.o
FUZZ_CC := clang $(CLANG_FLAGS) -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined

# make check links them as well (tests/unit/check_fuzz_regress.c), compiled as everything else.
$B/libsupport.a: $(FUZZ_SRC:%.c=$B/obj/%.o)
$(FUZZ_SRC:%.c=$B/obj/%.o): | build/.deps-test

$B/fuzz/obj/%.o: %.c | build/.deps-lint
	$(call say,CLANG,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer-no-link -MMD -MP -c $< -o $@
$B/fuzz/obj/gen/packs.o: $B/gen/packs.c | build/.deps-lint
	$(Q)mkdir -p $(@D)
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer-no-link -I. -c $< -o $@
$B/fuzz/libfuzz.a: $(FUZZ_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^
$B/fuzz/fuzz_%: fuzz/driver.c $B/fuzz/libfuzz.a
	$(call say,FUZZ,$@)
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer -DFUZZ_ONE=fuzz_$* -o $@ $< $B/fuzz/libfuzz.a -lcheck -lsubunit -lrt -lm -lpthread \
		$(CLI_LIBS)

.PHONY: fuzz
fuzz: $(FUZZ_BIN) ## run each fuzzer for T seconds (T=60)
	$(Q)tools/run_fuzz $B $(T) $(FUZZ_TARGETS)

-include $(shell find $B/fuzz/obj -name '*.d' 2>/dev/null)
