// share_work: one job for several threads that end with it.
#pragma once

#include <cstddef>
#include <functional>

namespace samestep {

/// Calls piece(0) ... piece(pieces - 1), each once, in this thread and at most `threads - 1`
/// others, and returns when all have returned. A piece that throws ends the job: the others are not
/// begun, and the first exception is thrown here.
///
/// The threads live as long as the call. A trainer forks (data loader workers) and counts its
/// threads before it does, so none is left waiting for the next job, and no lock of ours can be
/// held at a fork; to start one costs some 20 us, less than 1 MiB of digests. They block all
/// signals: the trainer's handlers run in the trainer's threads. Where no thread can be had, this
/// one does it all.
void share_work(std::size_t pieces, unsigned threads,
                const std::function<void(std::size_t)>& piece);

/// Threads worth using: the processors this process may run on, at most 16 (memory, which digests
/// wait for, is then busy). At least 1.
unsigned threads_to_use() noexcept;

}  // namespace samestep
