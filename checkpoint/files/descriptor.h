// Descriptor: an open file descriptor that closes itself.
#pragma once

#include <utility>

namespace samestep {

/// Owns a descriptor (or none, -1). Movable, not copyable.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.number_, -1));
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }
  int release() noexcept { return std::exchange(number_, -1); }
  /// Closes what is held and takes `number`.
  void reset(int number = -1) noexcept;

 private:
  int number_ = -1;
};

}  // namespace samestep
