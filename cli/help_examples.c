/* SPDX-License-Identifier: BSD-3-Clause */
#include "help_examples.h"

#include <stddef.h>
#include <string.h>

const char *cmd_help_examples(const char *subcommand)
{
	static const struct {
		const char *subcommand, *lines;
	} table[] = {
		{ "agent", "ssh n3 mpidbg agent slurm:4711 --show procs   # what another host answers\n" },
		{ "calls", "mpidbg calls --job 4711                   # the MPI call of each thread\n"
			   "mpidbg calls --core core.4712              # the same, of a core\n" },
		{ "comms", "mpidbg comms -p 4712                      # communicators with members and topologies\n"
			   "mpidbg comms --job 4711 --json\n" },
		{ "deadlock", "mpidbg deadlock --job 4711                # why does the job hang?\n"
			      "mpidbg deadlock --job 4711 --watch 10      # does it still move?\n"
			      "mpidbg deadlock --job slurm:4711           # a job of Slurm, from the login node\n"
			      "mpidbg deadlock --cores cores --all        # from cores, with every line\n" },
		{ "diff", "mpidbg snapshot --job 4711 > a.json\n"
			  "mpidbg snapshot --job 4711 > b.json        # some time later\n"
			  "mpidbg diff a.json b.json                  # what has changed\n" },
		{ "doctor", "mpidbg doctor -p 4712                     # which MPI this is, and what can be read\n" },
		{ "explain",
		  "mpidbg explain 3 --job 4711               # all threads of rank 3, and what each waits for\n" },
		{ "handles", "mpidbg handles -p 4712                    # MPI objects of a process\n"
			     "mpidbg handles --leaks --job 4711          # what is not freed (with mpi2dd-run)\n"
			     "mpidbg handles datatype -p 4712\n" },
		{ "jobs", "mpidbg jobs                               # the MPI jobs of this machine and of Slurm\n" },
		{ "layout", "mpidbg layout list                        # layout packs, and where they are\n"
			    "mpidbg layout make --source openmpi-4.1.6 -o site.layout\n" },
		{ "pmix", "mpidbg pmix 4711                          # the hosts of a job of Open MPI 5\n" },
		{ "print", "mpidbg print comm MPI_COMM_WORLD -p 4712\n"
			   "mpidbg print datatype 0x55d0c8a012a0 -p 4712\n" },
		{ "procs", "mpidbg procs --job 4711                   # the processes of a job, with spawned ones\n"
			   "mpidbg procs --cores cores\n" },
		{ "queues", "mpidbg queues --job 4711                  # message queues of each rank, and the verdict\n"
			    "mpidbg queues --ranks 0-3 --job 4711\n"
			    "mpidbg queues --cores cores --json\n" },
		{ "report", "mpidbg report --job 4711 -o job.html      # one page for the ticket\n"
			    "mpidbg report --snapshot job.json --dot | dot -Tpdf -o waits.pdf\n" },
		{ "snapshot", "mpidbg snapshot --job 4711 > job.json     # for diff, deadlock, stacks and report\n" },
		{ "stacks", "mpidbg stacks --job 4711                  # all stacks as one tree\n"
			    "mpidbg stacks --folded --job 4711 | flamegraph.pl > job.svg\n" },
		{ "top", "mpidbg top --job 4711                     # watch a running job\n" },
		{ "vars", "mpidbg vars eager --job 4711              # variables of MPI_T (with mpi2dd-run)\n"
			  "mpidbg vars cvars btl --job 4711 --diff    # those that differ between ranks\n" },
		{ "watch", "mpidbg watch --job 4711 --after 600 -o hangs\n"
			   "mpidbg watch --after 600 -o hangs --then end -- mpirun -n 4 ./solve\n" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].subcommand, subcommand) == 0)
			return table[i].lines;
	return NULL;
}
