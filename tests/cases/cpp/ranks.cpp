#include "ranks.h"

#include <c10/core/GradMode.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace {

std::string word(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) throw std::runtime_error(std::string(name) + " is not set");
  return value;
}

/// torchrun may hold the store itself.
bool is_held_by_launcher() {
  const char* value = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  return value != nullptr && std::string(value) == "True";
}

}  // namespace

Ranks::Ranks() : rank_(std::stoi(word("RANK"))), size_(std::stoi(word("WORLD_SIZE"))) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(std::stoi(word("MASTER_PORT")));
  options.isServer = rank_ == 0 && !is_held_by_launcher();
  options.waitWorkers = false;
  options.timeout = std::chrono::seconds(60);
  store_ = c10::make_intrusive<c10d::TCPStore>(word("MASTER_ADDR"), options);
}

Ranks::~Ranks() {
  try {
    meet();
    // The store goes with rank 0: not before the others have read their last from it.
    if (rank_ != 0) store_->set("left/" + std::to_string(rank_), std::vector<std::uint8_t>{1});
    for (int other = 1; rank_ == 0 && other < size_; ++other)
      store_->get("left/" + std::to_string(other));
  } catch (const std::exception&) {  // another rank is gone already
  }
}

std::string Ranks::key_of(std::int64_t round, int rank) const {
  return "round/" + std::to_string(round) + "/" + std::to_string(rank);
}

void Ranks::average(const std::vector<torch::Tensor>& tensors) {
  const c10::AutoGradMode no_grad(false);
  std::vector<torch::Tensor> flat;
  for (const auto& tensor : tensors) flat.push_back(tensor.detach().flatten());
  const auto mine = torch::cat(flat).contiguous();
  std::vector<std::uint8_t> bytes(mine.nbytes());
  std::memcpy(bytes.data(), mine.const_data_ptr(), bytes.size());
  store_->set(key_of(round_, rank_), bytes);

  auto sum = torch::zeros_like(mine);
  for (int rank = 0; rank < size_; ++rank) {
    auto theirs = store_->get(key_of(round_, rank));
    sum += torch::from_blob(theirs.data(), mine.sizes(), torch::kFloat32);
  }
  sum /= size_;
  std::int64_t begin = 0;
  for (const auto& tensor : tensors) {
    tensor.detach().copy_(sum.narrow(0, begin, tensor.numel()).view(tensor.sizes()));
    begin += tensor.numel();
  }
  // All have begun this round: nobody reads the one before any more.
  if (round_ > 0) store_->deleteKey(key_of(round_ - 1, rank_));
  ++round_;
}

void Ranks::meet() { average({torch::zeros({1})}); }
