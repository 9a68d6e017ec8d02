#include "python/device_bytes.h"

#include <cstddef>
#include <string>
#include <utility>

#include "schemas/error.h"

namespace samestep::python {
namespace {

constexpr const char* kRemedy = "record without `background`, or look at the device's own errors";

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::unreadable, message, "memory of a device", kRemedy);
}

/// A thread that asks for the GIL then is ended by Python.
bool is_ending() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsInitialized() == 0 || Py_IsFinalizing() != 0;
#else
  return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0;
#endif
}

class DeviceBytes final : public FieldBytes {
 public:
  DeviceBytes(nb::object pieces, std::uint64_t bytes) : pieces_(std::move(pieces)), bytes_(bytes) {}
  ~DeviceBytes() override {
    if (is_ending()) {
      static_cast<void>(pieces_.release());
      return;
    }
    const nb::gil_scoped_acquire locked;
    pieces_.reset();
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;

  std::uint64_t size() const override { return bytes_; }

  void stream(const ByteSink& sink) const override {
    if (is_ending()) fail("Python ended before it was read");
    const nb::gil_scoped_acquire locked;
    try {
      pass(sink);
    } catch (const nb::python_error& error) {
      fail(error.what());
    } catch (const nb::builtin_exception& error) {
      fail(error.what());
    }
  }

 private:
  void pass(const ByteSink& sink) const {
    std::uint64_t passed = 0;
    const nb::object pieces = pieces_();
    for (const nb::handle piece : pieces) {
      const auto address = nb::cast<std::uintptr_t>(piece[0]);
      const auto bytes = nb::cast<std::size_t>(piece[1]);
      if (bytes > bytes_ - passed) fail("more bytes came than the tensor has");
      passed += bytes;
      const nb::gil_scoped_release unlocked;
      // NOLINTNEXTLINE(performance-no-int-to-ptr): Python has addresses as numbers.
      sink({reinterpret_cast<const std::byte*>(address), bytes});
    }
    if (passed != bytes_) fail("fewer bytes came than the tensor has");
  }

  nb::object pieces_;
  std::uint64_t bytes_;
};

}  // namespace

FieldBytesPtr device_bytes(nb::object pieces, std::uint64_t bytes) {
  return std::make_shared<DeviceBytes>(std::move(pieces), bytes);
}

}  // namespace samestep::python
