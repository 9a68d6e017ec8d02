// system_error: errno -> Error, with a remedy where one is known.
#pragma once

#include <string>

#include "schemas/error.h"

namespace samestep {

/// Error for a system call that failed with `number` while doing `doing` ("cannot write") to
/// `where`. ENOENT is not_found; EACCES, EIO and their kin are unreadable; ENOSPC, EDQUOT, EFBIG
/// and the rest are failed.
Error system_error(int number, const std::string& doing, const std::string& where);

}  // namespace samestep
