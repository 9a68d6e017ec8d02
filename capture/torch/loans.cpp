#include "capture/torch/loans.h"

#include <algorithm>
#include <utility>

namespace samestep::libtorch {

bool Loans::may_lend(const at::Tensor& tensor) { return !tensor.is_inference(); }

void Loans::add(std::string path, const at::Tensor& tensor) {
  loans_.push_back({std::move(path), tensor, tensor._version(), tensor.const_data_ptr()});
}

bool Loans::has(const std::string& path) const {
  return std::ranges::find(loans_, path, &Loan::path) != loans_.end();
}

std::vector<std::string> Loans::changed() const {
  std::vector<std::string> paths;
  for (std::size_t i = settled_; i < loans_.size(); ++i)
    if (is_changed(loans_[i])) paths.push_back(loans_[i].path);
  return paths;
}

std::vector<std::string> Loans::settle(std::size_t count) {
  std::vector<std::string> paths;
  for (; settled_ < std::min(count, loans_.size()); ++settled_) {
    Loan& loan = loans_[settled_];
    if (is_changed(loan)) paths.push_back(loan.path);
    loan.tensor.reset();
  }
  return paths;
}

void Loans::clear() noexcept {
  loans_.clear();
  settled_ = 0;
}

bool Loans::is_changed(const Loan& loan) {
  return loan.tensor._version() != loan.version || loan.tensor.const_data_ptr() != loan.memory;
}

}  // namespace samestep::libtorch
