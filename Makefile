# terrain: build, test, demo. `make help` lists the targets.
#
#   config=release|debug|sanitize|fuzz   what is built, into build/<config>/        CC=gcc|clang   the compiler
config ?= release
CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
B := build/$(config)

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef -Wvla
# Contraction off is what keeps bytes equal between compilers and machines. errno and traps of math have no users here and would
# keep loops from being vectorised; neither changes a value.
EXACT := -ffp-contract=off -fno-math-errno -fno-trapping-math -fopenmp-simd
CFLAGS_release := -O3 -g
CFLAGS_debug := -O0 -g3 -DTR_DEBUG
CFLAGS_sanitize := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS += -std=c17 $(WARN) $(EXACT) $(CFLAGS_$(config)) $(EXTRA_CFLAGS)
CPPFLAGS += -D_GNU_SOURCE -I. -I$(B)/gen -I$(B)/spv -isystem /usr/include/stb
LDFLAGS_sanitize := -fsanitize=address,undefined
CFLAGS_fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
LDFLAGS_fuzz := -fsanitize=fuzzer,address,undefined
LDFLAGS += $(LDFLAGS_$(config))
LDLIBS := -ldl -lcjson -lmsgpackc -lxxhash -lzstd -lpng -lmeshoptimizer -lpthread -lm

# One source, three instruction sets; only on x86-64, elsewhere the plain one carries the name v2.
ISAS := $(if $(filter x86_64,$(shell uname -m)),v2 v3 v4,v2)
MARCH_x86_64 := -march=x86-64-
march = $(if $(filter x86_64,$(shell uname -m)),-march=x86-64-$(1))

LIB_SRC := $(filter-out %_isa.c,$(wildcard lib/*/*.c))
ISA_SRC := $(wildcard lib/*/*_isa.c)
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o) $(foreach i,$(ISAS),$(ISA_SRC:%.c=$(B)/%.$(i).o))
CMD_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard cmd/*.c))
SPV := $(patsubst shaders/%.comp,$(B)/spv/%.spv,$(wildcard shaders/*.comp))
SPV_INC := $(SPV:.spv=.inc)
SUPPORT_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/support/*.c tests/naive/*.c))
TEST_SRC := $(wildcard tests/unit/*_test.c tests/property/*_test.c)
TESTS := $(TEST_SRC:%.c=$(B)/%)
TOOLS := $(patsubst %.c,$(B)/%,$(wildcard tests/devices/*.c tests/tools/*.c))
FUZZ_TESTS := $(patsubst %.c,$(B)/%,$(wildcard tests/fuzz/*_fuzz.c))

# `make V=1` shows whole commands.
Q := $(if $(V),,@)
say = $(if $(V),,@echo '  $(1)')

.SECONDARY:
.PHONY: all all-objects help deps deps-check deps-peers demo test test-peers test-device test-devices test-crash test-mutation test-sanitize fuzz fuzz-targets check format install clean spv
all: $(B)/terrain
help:
	@echo 'make            build $(B)/terrain        make demo    bake the sample world into build/demo'
	@echo 'make test       build, run all tests     make check   format, layers, warnings of gcc and clang, lint'
	@echo 'make deps       install what the build needs   make test-peers   judge the exports with other programs'
	@echo 'make test-devices, test-mutation, test-crash, fuzz   see README, Help'
	@echo 'config=debug|release|sanitize   CC=gcc|clang   jobs by -j'

$(B)/terrain: $(CMD_OBJ) $(B)/libterrain.a
	$(call say,LINK  $@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(CMD_OBJ) $(B)/libterrain.a $(LDLIBS)
$(B)/libterrain.a: $(LIB_OBJ)
	@rm -f $@
	$(Q)$(AR) rcs $@ $(LIB_OBJ)

$(B)/%.o: %.c | $(B)/gen/case_table.inc $(B)/gen/transition_table.inc $(SPV_INC)
	@mkdir -p $(@D)
	$(call say,CC    $<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
define isa_rule
$(B)/%_isa.$(1).o: %_isa.c
	@mkdir -p $$(@D)
	$(call say,CC    $$< $(1))
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(call march,$(1)) -DTR_ISA=$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach i,$(ISAS),$(eval $(call isa_rule,$(i))))

# The generator runs on the building machine and prints the tables of the regular and of the transition cell.
GEN_SRC := $(wildcard lib/mesh/gen/*.c)
$(B)/gen/case_table_gen: $(GEN_SRC) $(wildcard lib/mesh/gen/*.h) shaders/cell.h shaders/transition.h shaders/shared.h
	@mkdir -p $(@D)
	$(call say,CC    $@)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 $(WARN) -O1 -o $@ $(GEN_SRC)
$(B)/gen/case_table.inc: $(B)/gen/case_table_gen
	$(call say,GEN   $@)
	$(Q)./$< regular > $@.tmp && mv $@.tmp $@
$(B)/gen/transition_table.inc: $(B)/gen/case_table_gen
	$(call say,GEN   $@)
	$(Q)./$< transition > $@.tmp && mv $@.tmp $@

# SPIR-V: the words are embedded, the binary form is what the lint reads.
$(B)/spv/%.spv: shaders/%.comp
	@mkdir -p $(@D)
	$(call say,GLSL  $<)
	$(Q)glslc -O --target-env=vulkan1.2 -Ishaders -MD -MF $@.d -o $@ $<
$(B)/spv/%.inc: $(B)/spv/%.spv
	@od -An -v -tu4 -w16 $< | sed 's/ *\([0-9][0-9]*\)/\1,/g' > $@.tmp && mv $@.tmp $@
spv: $(SPV)

$(B)/tests/devices/make_log: $(B)/tests/support/every_edit.o
$(TOOLS): $(B)/tests/%: $(B)/tests/%.o $(B)/libterrain.a
	$(call say,LINK  $@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(B)/libterrain.a $(LDLIBS)
$(B)/tests/%: $(B)/tests/%.o $(SUPPORT_OBJ) $(B)/libterrain.a
	$(call say,LINK  $@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $< $(SUPPORT_OBJ) $(B)/libterrain.a -lcmocka $(LDLIBS)
# A fuzz target runs over its corpus as a test; with config=fuzz (clang) the driver is libFuzzer.
FUZZ_DRIVER := $(if $(filter fuzz,$(config)),,$(B)/tests/fuzz/driver.o)
$(FUZZ_TESTS): $(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(FUZZ_DRIVER) $(B)/libterrain.a
	$(call say,LINK  $@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $< $(FUZZ_DRIVER) $(B)/libterrain.a $(LDLIBS)
$(B)/spirv_lint: tests/lint/spirv_lint.c
	@mkdir -p $(@D)
	$(call say,CC    $<)
	$(Q)$(CC) -std=c17 -D_GNU_SOURCE $(WARN) -O1 -g -o $@ $<

# Everything that is compiled, tests too: what `make check` builds with warnings as errors.
all-objects: $(CMD_OBJ) $(LIB_OBJ) $(SUPPORT_OBJ) $(TEST_SRC:%.c=$(B)/%.o) $(TOOLS:=.o) $(patsubst %.c,$(B)/%.o,$(wildcard tests/fuzz/*.c))

test: $(B)/terrain $(TESTS) $(FUZZ_TESTS) $(TOOLS) $(B)/spirv_lint
	@tests/run.sh $(B)
# Fewer random logs: sanitizers are ten times slower.
test-sanitize:
	TERRAIN_TEST_LOGS=20 TERRAIN_TEST_CASES=5 TERRAIN_TEST_WINDOWS=100 $(MAKE) config=sanitize test TESTS_ONLY=unit
test-devices:
	@sh tests/devices/same_bytes.sh
# Prints what the device named by DEVICE computes; run on a real GPU its output is kept as tests/devices/<name>.txt.
test-device: $(B)/terrain $(B)/tests/devices/make_log
	@sh tests/devices/hashes.sh $(B)/terrain $(B)/tests/devices/make_log $(or $(DEVICE),auto)
# Fuzzes every reader for FUZZ_SECONDS each, starting from its corpus; new inputs go to build/fuzz/corpus.
FUZZ_SECONDS ?= 300
fuzz:
	$(MAKE) config=fuzz CC=clang fuzz-targets
	@sh tests/fuzz/run.sh build/fuzz $(FUZZ_SECONDS)
fuzz-targets: $(FUZZ_TESTS)

# Every system call that fails, and kills at random moments.
test-crash: all
	@sh tests/crash/crash.sh $(B)/terrain $(B)

# Mutated kernels, built aside, that the tests must notice.
test-mutation:
	@sh tests/mutation.sh
test-peers: demo
	@tests/peers/run.sh $(B)

# The packages come first, whatever -j says.
demo: deps
	@$(MAKE) --no-print-directory all
	@samples/demo.sh $(B)/terrain build/demo

deps:
	@tests/deps.sh build
deps-check:
	@tests/deps.sh check
deps-peers:
	@tests/deps.sh peers

check:
	@tests/check.sh
format:
	clang-format -i $$(git ls-files -co --exclude-standard '*.c' '*.h')

PREFIX ?= /usr/local
install: all
	install -Dm755 $(B)/terrain $(DESTDIR)$(PREFIX)/bin/terrain

clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' 2>/dev/null)
