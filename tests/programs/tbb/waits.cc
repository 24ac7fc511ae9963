// SPDX-License-Identifier: BSD-3-Clause
// Three ranks. The others wait for rank 0, whose main thread waits for another thread, which, as argv[1] says, never ends. In TBB for a
// task: "tbb_receives": it waits for a message from rank 1, which is in a barrier; "tbb_computes". For a promise: "future_receives",
// "future_computes".
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <mpi.h>
#include <oneapi/tbb/task_group.h>
#include <thread>
#include <unistd.h>

static std::atomic<bool> begun{ false };
static volatile unsigned long sum;

// Say to the test, by a file that is renamed when it is complete, that this rank comes into its state now.
static void announce(int rank)
{
	const char *dir = std::getenv("TRUTH_DIR");
	char path[4096], unfinished[4096];

	std::snprintf(path, sizeof(path), "%s/truth.%d.json", dir ? dir : ".", rank);
	std::snprintf(unfinished, sizeof(unfinished), "%s/making.%d", dir ? dir : ".", rank);
	std::FILE *f = std::fopen(unfinished, "w");
	if (!f || std::fprintf(f, "{\"pid\": %ld}\n", (long)getpid()) < 0 || std::fclose(f) || std::rename(unfinished, path))
		MPI_Abort(MPI_COMM_WORLD, 9);
}

static void receive()
{
	int value;

	begun = true;
	MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void compute()
{
	begun = true;
	for (;;)
		sum = sum + 1;
}

static std::promise<int> promised;

// In a function that another one of a header calls.
static int wait_for_promise()
{
	return promised.get_future().get();
}

static void wait_for_future(bool receives, int rank)
{
	std::thread other(receives ? receive : compute);
	std::function<int()> wait = wait_for_promise;

	while (!begun)
		std::this_thread::yield();
	announce(rank);
	std::exit(wait());
}

int main(int argc, char **argv)
{
	int provided, rank;
	bool receives = argc > 1 && std::strstr(argv[1], "receives"), tbb = argc > 1 && std::strstr(argv[1], "tbb");

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0 && !tbb)
		wait_for_future(receives, rank);
	if (rank == 0) {
		oneapi::tbb::task_group tasks;
		tasks.run(receives ? receive : compute);
		while (!begun)
			std::this_thread::yield();
		announce(rank);
		tasks.wait();
	}
	announce(rank);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
}
