// ErrorText: what a call says when it cannot be done.
#pragma once

#include <string>

#include "schemas/error.h"

namespace samestep::foreign {

/// The text of the Error that `call` throws; "no error" when it throws none.
template <typename Call>
std::string error_text(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace samestep::foreign
