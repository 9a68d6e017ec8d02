#include "capture/session.h"

#include <unistd.h>

#include <fstream>
#include <optional>

#include "capture/background_record.h"
#include "capture/checkpoint_copy.h"
#include "capture/claim.h"
#include "capture/earlier_captures.h"
#include "capture/native_contract.h"
#include "capture/run_folder.h"
#include "capture/schedule.h"
#include "capture/state_record.h"
#include "capture/step_log_writer.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/files/mapped_file.h"
#include "checkpoint/files/whole_file.h"
#include "schemas/check.h"
#include "schemas/json/plan_json.h"
#include "schemas/json/writer.h"

namespace samestep {
namespace {

class RecordingSession final : public Session {
 public:
  RecordingSession(Plan plan, int rank, int world_size)
      : plan_(std::move(plan)),
        rank_(rank),
        world_size_(world_size),
        folder_(plan_.run),
        schedule_(plan_),
        copy_(plan_, look_at_checkpoint),
        log_(folder_.log(rank), {plan_.leg, rank, world_size, plan_.start}) {}

  ~RecordingSession() override { flush_quietly(); }

  const Plan& plan() const override { return plan_; }

  Decision at_begin(std::int64_t completed, bool window_open, bool save_running) override {
    if (is_forked()) return {};
    Moment moment{plan_.start + completed, window_open, false, true};
    if (!schedule_.at()) moment.checkpoint_there = copy_.is_there();
    const bool capture_now =
        schedule_.at() ? *schedule_.at() == moment.completed : moment.checkpoint_there;
    // At the capture itself a wait is worth its 50 ms: a later save may replace the file.
    moment.may_stop = copy_is_settled(moment.completed, save_running, capture_now);
    return schedule_.begin(moment);
  }

  Decision at_end(std::int64_t completed, bool save_running) override {
    if (is_forked()) return {};
    log_.flush();
    Moment moment{plan_.start + completed, false, false, true};
    moment.may_stop = copy_is_settled(moment.completed, save_running, false);
    return schedule_.end(moment);
  }

  Decision at_exit(std::int64_t completed) override {
    if (is_forked()) return {};
    exiting_ = true;
    Moment moment{plan_.start + completed, false, false, true};
    moment.may_stop = copy_is_settled(moment.completed, false, true);
    return schedule_.exit(moment);
  }

  void begin_record(std::int64_t completed, const std::string& phase,
                    Decision::Record depth) override {
    SAMESTEP_CHECK(depth != Decision::Record::none);
    if (is_forked()) return;
    collect_record(true);
    SAMESTEP_CHECK(!background_);
    const std::int64_t total = plan_.start + completed;
    if (depth == Decision::Record::full && plan_.background) {
      background_ = std::make_unique<BackgroundRecord>(std::make_unique<StateRecord>(
          folder_, rank_, world_size_, total, phase, &earlier_, plan_.store));
    } else if (depth == Decision::Record::full) {
      record_.emplace(folder_, rank_, world_size_, total, phase, &earlier_, plan_.store);
    } else {
      record_.emplace(total, phase);
    }
  }

  void add_field(Field field, const FieldBytes& bytes) override {
    if (is_forked()) return;
    SAMESTEP_CHECK(record_.has_value() || background_);
    abandon_on_error([&] {
      background_ ? background_->add_now(std::move(field), bytes)
                  : record_->add(std::move(field), bytes);
    });
  }

  void add_fields(std::vector<FieldWithBytes> fields) override {
    if (is_forked()) return;
    SAMESTEP_CHECK(record_.has_value() || background_);
    abandon_on_error([&] {
      if (!background_) return record_->add_all(std::move(fields));
      for (FieldWithBytes& each : fields) background_->add_now(std::move(each.field), *each.bytes);
    });
  }

  void add_field_later(Field field, TensorView view, std::shared_ptr<const void> owner) override {
    if (is_forked()) return;
    if (!background_) return add_field(std::move(field), *tensor_bytes(std::move(view), owner));
    abandon_on_error(
        [&] { background_->add_later(std::move(field), std::move(view), std::move(owner)); });
  }

  void add_field_later(Field field, FieldBytesPtr bytes) override {
    if (is_forked()) return;
    if (!background_) return add_field(std::move(field), *bytes);
    abandon_on_error([&] { background_->add_later(std::move(field), std::move(bytes)); });
  }

  bool is_in_background() const noexcept override { return background_ != nullptr; }

  void start_record() override {
    if (background_ && !is_forked()) abandon_on_error([&] { background_->start(); });
  }

  std::size_t settle_record() override {
    std::size_t count = 0;
    if (background_ && !is_forked()) abandon_on_error([&] { count = background_->settle(); });
    return count;
  }

  void barrier() override {
    if (background_ && !is_forked()) abandon_on_error([&] { background_->barrier(); });
  }

  void collect_record(bool wait) override {
    if (is_forked() || !background_ || !handed_over_ || !(wait || background_->is_done())) return;
    abandon_on_error([&] { log_record(*background_->finish()); });
    background_.reset();
    handed_over_ = false;
  }

  void set_contract(Contract contract) override { contract_ = std::move(contract); }

  void commit_record() override {
    if (is_forked()) return;
    SAMESTEP_CHECK(record_.has_value() || background_);
    abandon_on_error([&] {
      Contract contract = merge_contracts(contract_, native_contract());
      if (background_) {
        background_->commit(std::move(contract));
        handed_over_ = true;
        return;
      }
      record_->set_contract(std::move(contract));
      record_->commit();
      log_record(*record_);
    });
    record_.reset();
  }

  void abandon_record() noexcept override {
    record_.reset();
    if (is_forked()) return;
    background_.reset();
    handed_over_ = false;
  }

  void trace(std::int64_t completed, const std::string& phase, const Digest& digest) override {
    if (!is_forked()) log_.trace(plan_.start + completed, phase, digest);
  }
  void observe_loaded(const FieldPath& path, const Digest& digest,
                      const std::string& call) override {
    if (!is_forked()) log_.loaded(path, digest, call);
  }
  void dead_gradients(const std::vector<std::string>& paths) override {
    if (!is_forked()) log_.dead_gradients(paths);
  }
  void event(const std::string& name, const std::string& json) override {
    if (is_forked()) return;
    log_.event(name, json);
    log_.flush();
  }

  void close() override {
    if (is_forked()) return;
    try {
      collect_record(true);
    } catch (const std::exception& error) {
      log_.event("recorder_error",
                 R"({"where":"close","error":)" + json_string(error.what()) + R"(,"place":""})");
    }
    abandon_record();
    log_.close();
  }

 private:
  // A worker of a data loader is a fork of the trainer: it holds this object and must not write.
  bool is_forked() const { return ::getpid() != owner_; }

  template <typename Work>
  void abandon_on_error(const Work& work) {
    try {
      work();
    } catch (...) {
      abandon_record();
      throw;
    }
  }

  void log_record(const StateRecord& record) {
    log_.begin(record.completed(), record.phase(), record.is_full(), record.digests(),
               record.values());
    log_.flush();
  }

  // Not closed: the log then says that the session did not end in order.
  void flush_quietly() noexcept {
    if (is_forked()) return;
    try {
      log_.flush();
    } catch (const std::exception&) {  // the log ends with its last whole frame
    }
  }

  /// Tries the copy where it is due; true when nothing keeps the leg from stopping at this
  /// boundary.
  bool copy_is_settled(std::int64_t completed, bool save_running, bool wait) {
    if (plan_.copy_to.empty()) return true;
    const auto at = schedule_.at() ? schedule_.at() : first_seen(completed);
    if (!at || completed < *at) return false;
    if (rank_ == 0 && !copied_at_ && !save_running) try_copy(completed, *at, wait);
    if (rank_ != 0 && !copied_at_) copied_at_ = read_copied();
    // Ranks stop together: a step with its collectives lies between the copy and the first boundary
    // at which all know.
    return copied_at_ && (world_size_ == 1 || completed > *copied_at_);
  }

  std::optional<std::int64_t> first_seen(std::int64_t completed) const {
    return copy_.is_there() ? std::optional(completed) : std::nullopt;
  }

  void try_copy(std::int64_t completed, std::int64_t at, bool wait) {
    const bool last = exiting_ || completed >= at + plan_.steps;
    if (!copy_.attempt(at, {wait || last, last})) return;
    copied_at_ = completed;
    write_whole_file(folder_.copied(), std::to_string(completed) + "\n");
    event("copied", "{\"completed\":" + std::to_string(completed) + "}");
  }

  std::optional<std::int64_t> read_copied() const {
    std::ifstream file(folder_.copied());
    std::int64_t completed = 0;
    return file >> completed ? std::optional(completed) : std::nullopt;
  }

  Plan plan_;
  int rank_, world_size_;
  RunFolder folder_;
  Schedule schedule_;
  CheckpointCopy copy_;
  StepLogWriter log_;
  Contract contract_;
  EarlierCaptures earlier_;
  std::optional<StateRecord> record_;
  std::unique_ptr<BackgroundRecord> background_;
  bool handed_over_ = false;  // background_ has all it needs to become durable
  std::optional<std::int64_t> copied_at_;
  bool exiting_ = false;
  const int owner_ = ::getpid();
};

Plan read_plan(const std::string& path) {
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  return plan_from_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace

std::unique_ptr<Session> Session::open(const std::string& plan_path, int rank, int world_size) {
  SAMESTEP_CHECK(rank >= 0 && world_size >= 1 && rank < world_size);
  Plan plan = read_plan(plan_path);
  const RunFolder folder(plan.run);
  make_folders(folder.captures());
  make_folders(folder.logs());
  if (!claim_rank(folder.claim(rank))) return nullptr;
  return std::make_unique<RecordingSession>(std::move(plan), rank, world_size);
}

}  // namespace samestep
