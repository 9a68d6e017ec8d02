#include "checkpoint/files/descriptor.h"

#include <unistd.h>

namespace samestep {

void Descriptor::reset(int number) noexcept {
  if (number_ >= 0) ::close(number_);
  number_ = number;
}

}  // namespace samestep
