// Digests on the device outside the project: of nothing, or why there is no device.
#include <iostream>

#include "capture/cuda/device_digest.h"

int main() {
  const std::string missing = samestep::missing_device();
  if (missing.empty())
    samestep::DeviceDigest({}, samestep::DeviceDigest::Prints::without).start(nullptr);
  std::cout << (missing.empty() ? "a device" : "no device") << '\n';
  return 0;
}
