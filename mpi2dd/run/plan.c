/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include "elf.h"
#include "library.h"
#include "log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char hint[] = "use --mpi openmpi, mpich or abi";

/* Facts about the programs that a command starts. */
struct programs {
	enum run_flavour flavour; /* of the first program that has one */
	const char *name;         /* as the user wrote it */
	char why[64];
	const char *wrong_name; /* a program that no library of ours fits, or NULL */
	char wrong[192];
	const char *wrong_word_size; /* a program of another word size, which cannot load the library; or NULL */
};

static int other_word_size(void)
{
	return sizeof(void *) == 8 ? 32 : 64;
}

/*
 * Add the facts of one program. If it belongs to another MPI than an earlier one, the starter prints a line and exits.
 */
static void inspect_program(const char *name, bool is_checked, struct programs *p)
{
	char *path = run_library_find_command(name);

	if (!path)
		return; /* the launcher reports this, on the host where it matters */
	struct run_program_facts facts = run_flavour_of_program(path);
	free(path);
	if (facts.bits == other_word_size() && !p->wrong_word_size)
		p->wrong_word_size = name;
	if (facts.wrong[0] && !p->wrong_name) {
		p->wrong_name = name;
		snprintf(p->wrong, sizeof(p->wrong), "%s", facts.wrong);
	}
	if (!facts.flavour)
		return;
	if (!p->flavour) {
		p->flavour = facts.flavour;
		p->name = name;
		snprintf(p->why, sizeof(p->why), "%s", facts.why);
	} else if (is_checked && facts.flavour != p->flavour) {
		run_fail(RUN_USAGE, "%s needs %s (%s) and %s needs %s (%s): %s", p->name, run_flavour_title(p->flavour),
			 p->why, name, run_flavour_title(facts.flavour), facts.why, hint);
	}
}

/*
 * Inspect the programs of a launcher, or the command itself. If the command is a script or an unknown launcher, inspect
 * those of its words that are MPI programs.
 */
static struct programs inspect_programs(char *const *argv, bool is_launcher, bool is_checked)
{
	struct programs p = { 0 };
	size_t at[RUN_PROGRAMS_MAX];

	if (is_launcher) {
		size_t n = run_launch_programs(argv, run_library_is_command, at);

		for (size_t i = 0; i < n; i++)
			inspect_program(argv[at[i]], is_checked, &p);
		return p;
	}
	inspect_program(argv[0], false, &p);
	for (size_t i = 1; argv[i] && !p.flavour && is_checked; i++)
		if (argv[i][0] != '-')
			inspect_program(argv[i], false, &p);
	return p;
}

static enum run_flavour choose_flavour(const char *command, bool is_launcher, enum run_flavour of_launcher,
				       const struct programs *p)
{
	if (p->flavour == RUN_ABI)
		return RUN_ABI; /* any launcher's */
	if (of_launcher && p->flavour && of_launcher != p->flavour)
		run_fail(RUN_USAGE, "%s belongs to %s, but %s needs %s (%s): %s", command,
			 run_flavour_title(of_launcher), p->name, run_flavour_title(p->flavour), p->why, hint);
	if (of_launcher || p->flavour)
		return of_launcher ? of_launcher : p->flavour;
	if (is_launcher)
		run_fail(RUN_USAGE, "cannot tell which MPI %s belongs to, and its program names no MPI library: %s",
			 command, hint);
	run_fail(RUN_USAGE, "%s is not a known launcher and needs no MPI library: %s", command, hint);
}

/* Check that the path can be written in LD_PRELOAD and that the library is for the processor of this command. */
static char *check_library(char *path)
{
	struct run_elf elf, own;
	const char *wrong = run_library_wrong_path(path);

	if (wrong)
		run_fail(RUN_USAGE, "%s: there is %s in the path, LD_PRELOAD cannot name it: put the library elsewhere",
			 path, wrong);
	run_elf_init(&elf, path);
	if (elf.bits == 0)
		run_fail(RUN_USAGE, "%s: not a library", path);
	run_elf_init(&own, "/proc/self/exe");
	if (own.bits && (own.bits != elf.bits || own.machine != elf.machine))
		run_fail(RUN_USAGE,
			 "%s: a library for another processor (%d bits, ELF machine %u): programs here are for %d "
			 "bits, %u",
			 path, elf.bits, elf.machine, own.bits, own.machine);
	run_elf_deinit(&own);
	run_elf_deinit(&elf);
	return path;
}

static char *given_library(const char *name)
{
	char *path = realpath(name, NULL);

	if (!path)
		run_fail(RUN_USAGE, "%s: %s", name, strerror(errno));
	return check_library(path);
}

static char *our_library(enum run_flavour flavour)
{
	char *name = run_text("libmpi2dd-%s.so", run_flavour_name(flavour));
	char *path = run_library_find(name);

	if (!path)
		run_fail(RUN_USAGE, "%s is neither beside mpi2dd-run nor in ../lib nor in %s/lib: use --library FILE",
			 name, MPIDBG_PREFIX);
	free(name);
	return check_library(path);
}

void run_plan_make(char *const *argv, enum run_flavour mpi, const char *library, struct run_plan *ret)
{
	bool is_checked = !mpi && !library;

	memset(ret, 0, sizeof(*ret));
	ret->path = run_library_find_command(argv[0]);
	if (!ret->path)
		run_fail(errno == ENOENT ? RUN_NOT_FOUND : RUN_CANNOT_EXECUTE, "%s: %s", argv[0],
			 errno == ENOENT ? "no such command" : strerror(errno));
	bool is_launcher = run_flavour_is_launcher(ret->path);
	enum run_flavour of_launcher = is_launcher ? run_flavour_of_launcher(ret->path) : RUN_NO_FLAVOUR;
	struct programs p = inspect_programs(argv, is_launcher, is_checked);
	ret->is_launcher = is_launcher;
	ret->is_program = !is_launcher && p.flavour && p.name == argv[0];
	if (p.wrong_word_size)
		run_fail(RUN_USAGE, "%s is a %d-bit program: there is no library for it", p.wrong_word_size,
			 other_word_size());
	if (p.wrong_name && is_checked)
		run_fail(RUN_USAGE, "%s: %s: %s", p.wrong_name, p.wrong, hint);
	ret->flavour = mpi;
	if (is_checked)
		ret->flavour = choose_flavour(argv[0], is_launcher, of_launcher, &p);
	else if (!mpi)
		ret->flavour = of_launcher ? of_launcher : p.flavour;
	/* The launcher decides how its options look, whichever MPI the programs use. */
	enum run_flavour option_style = of_launcher ? of_launcher : ret->flavour;
	if (is_launcher && option_style && option_style != RUN_ABI)
		ret->style = option_style == RUN_OPENMPI ? RUN_BY_OPENMPI : RUN_BY_MPICH;
	ret->library = library ? given_library(library) : our_library(ret->flavour);
}

void run_plan_free(struct run_plan *plan)
{
	free(plan->path);
	free(plan->library);
	memset(plan, 0, sizeof(*plan));
}
