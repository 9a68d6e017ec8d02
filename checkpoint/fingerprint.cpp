#include "checkpoint/fingerprint.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "checkpoint/crew.h"
#include "checkpoint/fingerprint_kernel.h"
#include "checkpoint/hasher.h"
#include "schemas/check.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::size_t kPieceBytes = 512 << 10;
constexpr std::size_t kThreadBytesMin = 1 << 20;

/// How elements are words.
struct Words {
  std::uint64_t item = 0;  ///< bytes of an element
  std::uint64_t each = 1;  ///< words of an element
  unsigned width = 0;      ///< bytes of a word, 0 when an element is cut unevenly
  explicit Words(std::uint64_t item_bytes) : item(item_bytes), each((item_bytes + 7) / 8) {
    if (item == 1 || item == 2 || item == 4 || item % 8 == 0)
      width = static_cast<unsigned>(std::min<std::uint64_t>(item, 8));
  }
};

std::uint64_t count_of(std::span<const std::int64_t> shape) {
  std::uint64_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::uint64_t>(size);
  return count;
}

Words words_of(Dtype dtype, std::uint64_t bytes, std::uint64_t elements) {
  // Several elements a byte: the bytes are what is counted.
  if (dtype == Dtype::quint4x2 || dtype == Dtype::quint2x4) return Words(1);
  const std::uint64_t known = element_bytes(dtype);
  const std::uint64_t item = known > 0 ? known : bytes / std::max<std::uint64_t>(elements, 1);
  SAMESTEP_CHECK(bytes == elements * item);
  return Words(std::max<std::uint64_t>(item, 1));
}

void add_elements(std::span<const std::byte> bytes, const Words& words, std::uint64_t first,
                  WideSum& sum) {
  if (words.width > 0) {
    fingerprint_kernel().add(bytes.data(), bytes.size() / words.width, words.width,
                             first * words.each, &sum);
    return;
  }
  for (std::size_t at = 0; at < bytes.size(); at += words.item, ++first) {
    for (std::uint64_t word = 0; word < words.each; ++word) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + at + 8 * word,
                  std::min<std::size_t>(8, words.item - 8 * word));
      add_to(sum, mix_word(first * words.each + word, value));
    }
  }
}

/// The runs of a block in row-major order: elements that are consecutive in the whole too.
class Runs {
 public:
  /// One run of `length` elements from `first` on.
  Runs(std::uint64_t first, std::uint64_t length) : next_(first), length_(length) {}

  Runs(std::span<const std::int64_t> shape, std::span<const std::int64_t> offsets,
       std::span<const std::int64_t> whole) {
    std::uint64_t stride = 1;
    bool merging = true;
    for (std::size_t i = shape.size(); i-- > 0;) {
      next_ += static_cast<std::uint64_t>(offsets[i]) * stride;
      if (merging) {
        length_ *= static_cast<std::uint64_t>(shape[i]);
      } else {
        outer_.push_back({static_cast<std::uint64_t>(shape[i]), stride, 0});
      }
      merging = merging && shape[i] == whole[i];
      stride *= static_cast<std::uint64_t>(whole[i]);
    }
  }

  /// Index in the whole of the next element, and how many follow one another from it.
  std::uint64_t index() const { return next_ + done_; }
  std::uint64_t left() const { return length_ - done_; }

  void advance(std::uint64_t count) {
    done_ += count;
    if (done_ < length_) return;
    done_ = 0;
    for (Dimension& dimension : outer_) {
      next_ += dimension.stride;
      if (++dimension.index < dimension.size) return;
      next_ -= dimension.stride * dimension.size;
      dimension.index = 0;
    }
  }

 private:
  struct Dimension {
    std::uint64_t size, stride, index;
  };
  std::uint64_t next_ = 0, length_ = 1, done_ = 0;
  std::vector<Dimension> outer_;  ///< innermost first
};

/// Takes canonical bytes in pieces of any size.
class Summer {
 public:
  Summer(Words words, Runs runs) : words_(words), runs_(std::move(runs)) {}

  void add(std::span<const std::byte> bytes) {
    if (!cut_.empty()) {
      const std::size_t count = std::min<std::size_t>(words_.item - cut_.size(), bytes.size());
      cut_.insert(cut_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
      bytes = bytes.subspan(count);
      if (cut_.size() < words_.item) return;
      add_whole(cut_);
      cut_.clear();
    }
    const std::size_t over = bytes.size() % words_.item;
    add_whole(bytes.first(bytes.size() - over));
    cut_.assign(bytes.end() - static_cast<std::ptrdiff_t>(over), bytes.end());
  }

  Fingerprint sum() const {
    SAMESTEP_CHECK(cut_.empty());
    return {sum_.high, sum_.low};
  }

 private:
  void add_whole(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const std::uint64_t count = std::min<std::uint64_t>(runs_.left(), bytes.size() / words_.item);
      const std::size_t size = static_cast<std::size_t>(count * words_.item);
      add_elements(bytes.first(size), words_, runs_.index(), sum_);
      runs_.advance(count);
      bytes = bytes.subspan(size);
    }
  }

  Words words_;
  Runs runs_;
  WideSum sum_{0, 0};
  std::vector<std::byte> cut_;  ///< the part of an element with which a piece ended
};

Fingerprint sum_of_memory(std::span<const std::byte> memory, const Words& words,
                          std::uint64_t first) {
  const std::size_t elements_each = std::max<std::size_t>(kPieceBytes / words.item, 1);
  const std::size_t piece_bytes = elements_each * words.item;
  const std::size_t pieces = (memory.size() + piece_bytes - 1) / piece_bytes;
  std::vector<Fingerprint> sums(pieces);
  const unsigned threads = memory.size() < kThreadBytesMin ? 1 : threads_to_use();
  share_work(pieces, threads, [&](std::size_t i) {
    const std::size_t begin = i * piece_bytes;
    WideSum sum{0, 0};
    add_elements(memory.subspan(begin, std::min(piece_bytes, memory.size() - begin)), words,
                 first + i * elements_each, sum);
    sums[i] = {sum.high, sum.low};
  });
  Fingerprint total;
  for (const Fingerprint& sum : sums) total += sum;
  return total;
}

Fingerprint sum_of(const FieldBytes& bytes, const Words& words, Runs runs) {
  if (bytes.size() == 0) return {};
  if (const auto memory = bytes.contiguous();
      !memory.empty() && runs.left() >= memory.size() / words.item) {
    return sum_of_memory(memory, words, runs.index());
  }
  Summer summer(words, std::move(runs));
  bytes.stream([&summer](std::span<const std::byte> piece) { summer.add(piece); });
  return summer.sum();
}

void check_inside(std::span<const std::int64_t> shape, std::span<const std::int64_t> offsets,
                  std::span<const std::int64_t> whole) {
  bool inside = shape.size() == whole.size() && offsets.size() == whole.size();
  for (std::size_t i = 0; inside && i < whole.size(); ++i) {
    inside = shape[i] >= 0 && offsets[i] >= 0 && shape[i] <= whole[i] &&
             offsets[i] <= whole[i] - shape[i];
  }
  if (!inside) {
    throw Error(ErrorCode::corrupt, "a part does not lie in the tensor it is said to be a part of",
                "shape and offsets");
  }
}

}  // namespace

Fingerprint fingerprint_of(const FieldBytes& bytes, Dtype dtype,
                           std::span<const std::int64_t> shape) {
  return fingerprint_of_range(bytes, dtype, count_of(shape), 0);
}

Fingerprint fingerprint_of_block(const FieldBytes& bytes, Dtype dtype,
                                 std::span<const std::int64_t> shape,
                                 std::span<const std::int64_t> offsets,
                                 std::span<const std::int64_t> whole) {
  check_inside(shape, offsets, whole);
  return sum_of(bytes, words_of(dtype, bytes.size(), count_of(shape)), Runs(shape, offsets, whole));
}

Fingerprint fingerprint_of_range(const FieldBytes& bytes, Dtype dtype, std::uint64_t elements,
                                 std::uint64_t first) {
  const Words words = words_of(dtype, bytes.size(), elements);
  return sum_of(bytes, words, Runs(first, bytes.size() / words.item));
}

Digest bound(const Fingerprint& sum, Dtype dtype, std::span<const std::int64_t> whole) {
  std::vector<std::byte> record(25 + 8 * whole.size());
  std::byte* at = record.data();
  const auto append = [&at](const void* value, std::size_t size) {
    if (size > 0) std::memcpy(at, value, size);
    at += size;
  };
  const auto dimensions = static_cast<std::uint32_t>(whole.size());
  append("fpr1", 4);
  append(&dtype, 1);
  append(&dimensions, 4);
  append(whole.data(), 8 * whole.size());
  append(&sum.low, 8);
  append(&sum.high, 8);
  return digest_of_chunk(record);
}

}  // namespace samestep
