/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file fuzz.h
 * One function per kind of hostile input. A fuzzer calls it with bytes that it makes up; make check calls it with
 * every file of fuzz/seeds/NAME and fuzz/regress/NAME (tests/unit/check_fuzz_regress.c).
 *
 * Each of them may be called any number of times, leaves nothing behind, and finds a defect by crashing: a
 * sanitizer's report, a wrong answer (FUZZ_MUST), a leak, or the time limit.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/** Stop with the place and the condition: what must hold for every input does not. */
#define FUZZ_MUST(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_fail(const char *file, int line, const char *condition);

/** A file in memory with these bytes. @return its descriptor; fuzz_path() names it until it is closed. */
int fuzz_file(const uint8_t *data, size_t n);

/** "/proc/self/fd/N"; static. */
const char *fuzz_path(int fd);

/** access/pack.h: the text of a layout pack. */
int fuzz_pack(const uint8_t *data, size_t n);

/** readers/openmpi: changes to the memory of a small process (fuzz/image.h says how they are written). */
int fuzz_ompi(const uint8_t *data, size_t n);

/** readers/mpich, readers/ucx: a recorded process (fuzz/recorded.h). */
int fuzz_mpich(const uint8_t *data, size_t n);

/** mqs/, mpidbg/, render/: both faces of the plugin on such a process. */
int fuzz_faces(const uint8_t *data, size_t n);

/** readers/jobs: the memory of a launcher. */
int fuzz_proctable(const uint8_t *data, size_t n);

/** readers/jobs: the memory of a process with MPI2DD_info. */
int fuzz_mpi2dd(const uint8_t *data, size_t n);

/** readers/tracked, mpidbg/: changes to the registry of a process (fuzz_tracked.c says how they are written). */
int fuzz_tracked(const uint8_t *data, size_t n);

/** readers/python: changes to the memory of a CPython (fuzz_python.c says how they are written). */
int fuzz_python(const uint8_t *data, size_t n);

/** readers/ucx: the memory of a worker (fuzz_ucx.c says how it is written). */
int fuzz_ucx(const uint8_t *data, size_t n);

/** host/: a core file. */
int fuzz_core(const uint8_t *data, size_t n);

/** host/types.h: an ELF file with DWARF. */
int fuzz_types(const uint8_t *data, size_t n);

#endif /* FUZZ_H */
