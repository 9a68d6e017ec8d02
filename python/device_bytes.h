// DeviceBytes: canonical bytes of a tensor on a device, which Python copies to the host in pieces.
#pragma once

#include <cstdint>
#include <memory>

#include "python/bindings.h"

namespace samestep::python {

/// `pieces`: a callable without arguments; what it returns gives pairs (address, bytes) of host
/// memory, each valid until the next is asked for, `bytes` together (samestep.device.Reader). The
/// sink runs without the GIL, in any thread. An exception of Python's is thrown as
/// Error{unreadable}.
FieldBytesPtr device_bytes(nb::object pieces, std::uint64_t bytes);

}  // namespace samestep::python
