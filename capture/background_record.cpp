#include "capture/background_record.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "capture/copied_bytes.h"
#include "capture/memory_sample.h"
#include "checkpoint/signals_blocked.h"
#include "schemas/check.h"
#include "schemas/error.h"

namespace samestep {
namespace {

/// Not worth a look at the end of the step; and whatever is done to them, they are right.
constexpr std::uint64_t kSmallBytes = kChunkBytes;

}  // namespace

class BackgroundRecord::Work {
 public:
  Work(std::unique_ptr<StateRecord> record, std::uint64_t copied_bytes_max)
      : record_(std::move(record)), copied_bytes_max_(copied_bytes_max) {}

  ~Work() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void add_now(Field field, const FieldBytes& bytes) {
    if (bytes.size() > copied_bytes_max_) return add_and_wait(std::move(field), bytes);
    take_room(bytes.size());
    FieldBytesPtr copy = std::make_shared<CopiedBytes>(bytes);
    push(std::move(field), std::move(copy), false);
  }

  void add_later(Field field, TensorView view, std::shared_ptr<const void> owner) {
    FieldBytesPtr bytes = tensor_bytes(view, nullptr);
    Deferred deferred{nullptr, field.path.text(), {}, nullptr};
    if (!lends(view.dtype, bytes->size())) {
      add_now(std::move(field), *bytes);
    } else {
      const Digest sample = sample_of(view);
      deferred.sample = {sample, std::move(view)};
      deferred.owner = std::move(owner);
      deferred.item = &push(std::move(field), std::move(bytes), true);
    }
    deferred_.push_back(std::move(deferred));
  }

  void add_later(Field field, FieldBytesPtr bytes) {
    Deferred deferred{nullptr, field.path.text(), {}, bytes};
    deferred.item = &push(std::move(field), std::move(bytes), true);
    deferred_.push_back(std::move(deferred));
  }

  void start() {
    throw_failure();
    if (thread_.joinable()) return;
    try {
      const SignalsBlocked blocked;
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
      throw Error(ErrorCode::failed, std::string("no thread can be made: ") + error.what(),
                  "background record", "raise the limit of threads, or record in the foreground");
    }
  }

  std::size_t settle() {
    std::size_t count = settled_;
    {
      const std::lock_guard lock(mutex_);
      rethrow();
      while (count < deferred_.size() && !needs_memory(deferred_[count])) ++count;
    }
    for (; settled_ < count; ++settled_) check_and_release(deferred_[settled_]);
    return settled_;
  }

  void barrier() {
    std::unique_lock lock(mutex_);
    bool may_copy = true;
    for (;;) {
      rethrow();
      Item* const item = may_copy ? last_that_fits() : nullptr;
      if (item != nullptr) {
        may_copy = copy(*item, lock);
      } else if (std::ranges::none_of(deferred_, needs_memory)) {
        return;
      } else if (!thread_.joinable()) {
        lock.unlock();
        start();
        lock.lock();
      } else {
        changed_.wait(lock);
      }
    }
  }

  void commit(Contract contract) {
    start();
    SAMESTEP_CHECK(settled_ == deferred_.size());
    {
      const std::lock_guard lock(mutex_);
      rethrow();
      contract_ = std::move(contract);
    }
    changed_.notify_all();
  }

  std::uint64_t copied_bytes_most() {
    const std::lock_guard lock(mutex_);
    return copied_bytes_most_;
  }

  bool is_done() {
    const std::lock_guard lock(mutex_);
    return durable_ || failure_;
  }

  std::unique_ptr<StateRecord> finish() {
    {
      std::unique_lock lock(mutex_);
      SAMESTEP_CHECK(contract_ || durable_ || failure_);
      changed_.wait(lock, [this] { return durable_ || failure_; });
      rethrow();
    }
    thread_.join();
    return std::move(record_);
  }

 private:
  struct Item {
    enum class State : unsigned char { waiting, copying, reading, done };
    Field field;
    FieldBytesPtr bytes;
    std::uint64_t size = 0;
    bool in_place = false;  ///< in memory of the caller
    State state = State::waiting;
  };

  struct Sample {
    Digest digest;
    TensorView view;
  };

  struct Deferred {
    Item* item;  ///< null: it was copied at once
    std::string path;
    std::optional<Sample> sample;  ///< of host memory
    std::shared_ptr<const void> owner;
  };

  static bool needs_memory(const Deferred& deferred) {
    return deferred.item != nullptr && deferred.item->in_place &&
           deferred.item->state != Item::State::done;
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  void throw_failure() {
    const std::lock_guard lock(mutex_);
    rethrow();
  }

  Item& push(Field field, FieldBytesPtr bytes, bool in_place) {
    const std::uint64_t size = bytes->size();
    Item* item = nullptr;
    {
      const std::lock_guard lock(mutex_);
      rethrow();
      SAMESTEP_CHECK(!contract_ && !durable_);
      item = &items_.emplace_back(
          Item{std::move(field), std::move(bytes), size, in_place, Item::State::waiting});
    }
    if (thread_.joinable()) changed_.notify_all();
    return *item;
  }

  void add_and_wait(Field field, const FieldBytes& bytes) {
    start();
    const Item& item = push(std::move(field), FieldBytesPtr(FieldBytesPtr(), &bytes), true);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_ || item.state == Item::State::done; });
    rethrow();
  }

  void take_room(std::uint64_t bytes) {
    std::unique_lock lock(mutex_);
    rethrow();
    if (copied_bytes_ + bytes > copied_bytes_max_) {
      lock.unlock();
      start();
      lock.lock();
      changed_.wait(lock, [&] { return failure_ || copied_bytes_ + bytes <= copied_bytes_max_; });
      rethrow();
    }
    copied_bytes_ += bytes;
    copied_bytes_most_ = std::max(copied_bytes_most_, copied_bytes_);
  }

  /// The writing thread goes from the front: what it would come to last is copied first.
  Item* last_that_fits() {
    for (std::size_t i = items_.size(); i-- > next_;) {
      Item& item = items_[i];
      if (item.in_place && item.state == Item::State::waiting &&
          copied_bytes_ + item.size <= copied_bytes_max_)
        return &item;
    }
    return nullptr;
  }

  /// False when there is no memory: the writing thread reads it in place then.
  bool copy(Item& item, std::unique_lock<std::mutex>& lock) {
    item.state = Item::State::copying;
    copied_bytes_ += item.size;
    copied_bytes_most_ = std::max(copied_bytes_most_, copied_bytes_);
    lock.unlock();
    FieldBytesPtr copied;
    try {
      copied = std::make_shared<CopiedBytes>(*item.bytes);
    } catch (const std::bad_alloc&) {
    }
    lock.lock();
    item.state = Item::State::waiting;
    if (copied) {
      item.bytes = std::move(copied);
      item.in_place = false;
    } else {
      copied_bytes_ -= item.size;
    }
    changed_.notify_all();
    return !item.in_place;
  }

  void check_and_release(Deferred& deferred) {
    if (deferred.item == nullptr) return;
    const auto& sample = deferred.sample;
    if (!sample || sample_of(sample->view) == sample->digest) {
      if (deferred.item->in_place) deferred.item->bytes.reset();
      return deferred.owner.reset();
    }
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (!failure_) {
      failure_ = std::make_exception_ptr(Error(
          ErrorCode::failed,
          "the field was changed between the begin of the step and the optimizer", deferred.path,
          "change it after the optimizer's step, or record without `background`"));
    }
    changed_.notify_all();
    rethrow();
  }

  void run() noexcept {
    try {
      while (Item* const item = take()) {
        record_->add(std::move(item->field), *item->bytes);
        give_back(*item);
      }
      if (const auto contract = wanted_contract()) {
        record_->set_contract(*contract);
        record_->commit();
        const std::lock_guard lock(mutex_);
        contract_.reset();
        durable_ = true;
      }
    } catch (...) {
      record_.reset();
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
    changed_.notify_all();
  }

  /// Null when there is nothing more to write.
  Item* take() {
    std::unique_lock lock(mutex_);
    const auto is_there = [this] {
      return next_ < items_.size() && items_[next_].state != Item::State::copying;
    };
    changed_.wait(lock,
                  [&] { return stopped_ || is_there() || (contract_ && next_ == items_.size()); });
    if (stopped_ || !is_there()) return nullptr;
    items_[next_].state = Item::State::reading;
    return &items_[next_++];
  }

  void give_back(Item& item) {
    FieldBytesPtr copy;  // freed without the lock
    {
      const std::lock_guard lock(mutex_);
      if (!item.in_place) {
        copy.swap(item.bytes);
        copied_bytes_ -= item.size;
      }
      item.state = Item::State::done;
    }
    changed_.notify_all();
  }

  std::optional<Contract> wanted_contract() {
    const std::lock_guard lock(mutex_);
    return stopped_ ? std::nullopt : contract_;
  }

  // Of the writing thread while it runs.
  std::unique_ptr<StateRecord> record_;
  // Of the caller.
  std::vector<Deferred> deferred_;
  std::size_t settled_ = 0;
  std::thread thread_;
  const std::uint64_t copied_bytes_max_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::size_t next_ = 0;  ///< that the writing thread takes
  std::uint64_t copied_bytes_ = 0, copied_bytes_most_ = 0;
  std::optional<Contract> contract_;
  bool stopped_ = false, durable_ = false;
  std::exception_ptr failure_;
};

BackgroundRecord::BackgroundRecord(std::unique_ptr<StateRecord> record,
                                   std::uint64_t copied_bytes_max)
    : owner_(::getpid()) {
  SAMESTEP_CHECK(record->is_full());
  work_ = std::make_unique<Work>(std::move(record), copied_bytes_max);
}

BackgroundRecord::~BackgroundRecord() {
  // The thread and the files are the parent's.
  if (::getpid() != owner_) static_cast<void>(work_.release());
}

bool BackgroundRecord::lends(Dtype dtype, std::uint64_t bytes) {
  const bool is_packed = dtype == Dtype::quint4x2 || dtype == Dtype::quint2x4;
  return bytes > kSmallBytes && !is_packed;
}

void BackgroundRecord::add_now(Field field, const FieldBytes& bytes) {
  work_->add_now(std::move(field), bytes);
}

void BackgroundRecord::add_later(Field field, TensorView view, std::shared_ptr<const void> owner) {
  work_->add_later(std::move(field), std::move(view), std::move(owner));
}

void BackgroundRecord::add_later(Field field, FieldBytesPtr bytes) {
  work_->add_later(std::move(field), std::move(bytes));
}

void BackgroundRecord::start() { work_->start(); }

std::size_t BackgroundRecord::settle() { return work_->settle(); }

void BackgroundRecord::barrier() {
  work_->barrier();
  work_->settle();
}

void BackgroundRecord::commit(Contract contract) { work_->commit(std::move(contract)); }

std::uint64_t BackgroundRecord::copied_bytes_most() const { return work_->copied_bytes_most(); }

bool BackgroundRecord::is_done() const { return work_->is_done(); }

std::unique_ptr<StateRecord> BackgroundRecord::finish() { return work_->finish(); }

}  // namespace samestep
