// A trainer without PyTorch: eight weights with momentum, recorded through a Session as the
// bindings do it.
//   fake_trainer --out DIR [--resume FILE] [--fault NAME] [--fixed-steps N] [--rank N --ranks N]
// Faults: crash, break-off (ends in the middle, with status 0), hang, silent (records nothing),
// no-checkpoint, two-checkpoints, ignore-resume, lose-momentum, noise, threads (another plan and
// other bits in a resumed run), torn (a checkpoint that cannot be read).
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <vector>

#include "capture/session.h"
#include "checkpoint/hasher.h"

namespace samestep {
namespace {

using Weights = std::vector<float>;
constexpr std::int64_t kSaveAt = 4, kStepsMax = 8;

struct Trainer {
  std::map<std::string, std::string> options;
  Weights weight = Weights(8, 0.5f), momentum = Weights(8, 0.0f);
  std::int64_t step = 0, start = 0;
  std::unique_ptr<Session> session;

  bool has(const std::string& fault) const {
    const auto found = options.find("--fault");
    return found != options.end() && found->second == fault;
  }
  int number(const std::string& option, int otherwise) const {
    const auto found = options.find(option);
    return found == options.end() ? otherwise : std::stoi(found->second);
  }
  bool resumed() const { return options.count("--resume") > 0; }
};

FieldBytesPtr bytes_of(const Weights& weights) {
  return tensor_bytes(
      {reinterpret_cast<const std::byte*>(weights.data()), Dtype::float32, {8}, {1}}, nullptr);
}

Field field(const char* path, Role role, const char* declared) {
  Field made;
  made.path = FieldPath(path);
  made.role = role;
  made.traits["declared"] = declared;
  return made;
}

void add_weights(Session& session, const char* path, Role role, const char* declared,
                 const Weights& weights) {
  Field made = field(path, role, declared);
  made.kind = FieldKind::tensor;
  made.dtype = Dtype::float32;
  made.shape = {8};
  session.add_field(made, *bytes_of(weights));
}

void record(Trainer& trainer, const char* phase, Decision::Record depth) {
  auto& session = *trainer.session;
  session.begin_record(trainer.step - trainer.start, phase, depth);
  add_weights(session, "model/w", Role::parameter, "parameter", trainer.weight);
  add_weights(session, "optimizer/state/w/momentum_buffer", Role::moment, "state_dict",
              trainer.momentum);
  Field counter = field("loop/step", Role::cursor, "frame");
  counter.value = Value(trainer.step);
  session.add_field(counter, *value_bytes(*counter.value));
  const bool threads = trainer.has("threads") && trainer.resumed();
  if (depth == Decision::Record::full)
    session.set_contract({{{"torch.num_threads", threads ? "2" : "1"}}});
  session.commit_record();
}

void end_if(Trainer& trainer, const Decision& decision) {
  if (decision.record != Decision::Record::none) record(trainer, "begin", decision.record);
  if (!decision.stop) return;
  trainer.session->close();
  std::_Exit(0);
}

std::uint64_t clock_noise() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

void train_step(Trainer& trainer) {
  const bool noisy = trainer.has("noise");
  const bool other_bits = trainer.has("threads") && trainer.resumed();
  for (std::size_t i = 0; i < trainer.weight.size(); ++i) {
    float gradient = trainer.weight[i] * 0.1f + 0.01f * static_cast<float>(i) +
                     0.001f * static_cast<float>(trainer.step);
    if (noisy) gradient += 1e-3f * static_cast<float>(clock_noise() % 1000);
    if (other_bits) gradient = std::nextafter(gradient, 1.0f);
    trainer.momentum[i] = 0.9f * trainer.momentum[i] + gradient;
    trainer.weight[i] -= 0.1f * trainer.momentum[i];
  }
  ++trainer.step;
}

void save(const Trainer& trainer, const std::string& path) {
  if (trainer.has("torn")) {
    std::ofstream(path) << "not a checkpoint";
    return;
  }
  std::string header =
      R"({"model.w":{"dtype":"F32","shape":[8],"data_offsets":[0,32]},)"
      R"("optimizer.state.w.momentum_buffer":{"dtype":"F32","shape":[8],"data_offsets":[32,64]},)"
      R"("step":{"dtype":"I64","shape":[],"data_offsets":[64,72]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = header.size();
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&length), 8);
  file << header;
  file.write(reinterpret_cast<const char*>(trainer.weight.data()), 32);
  file.write(reinterpret_cast<const char*>(trainer.momentum.data()), 32);
  file.write(reinterpret_cast<const char*>(&trainer.step), 8);
}

void load(Trainer& trainer) {
  std::ifstream file(trainer.options["--resume"], std::ios::binary);
  std::uint64_t length = 0;
  file.read(reinterpret_cast<char*>(&length), 8);
  file.seekg(static_cast<std::streamoff>(8 + length));
  file.read(reinterpret_cast<char*>(trainer.weight.data()), 32);
  if (trainer.has("lose-momentum")) {
    file.seekg(32, std::ios::cur);
  } else {
    file.read(reinterpret_cast<char*>(trainer.momentum.data()), 32);
  }
  file.read(reinterpret_cast<char*>(&trainer.step), 8);
}

void save_as_told(const Trainer& trainer) {
  const std::string out = trainer.options.at("--out");
  if (!trainer.has("no-checkpoint")) save(trainer, out + "/checkpoint.safetensors");
  if (trainer.has("two-checkpoints")) save(trainer, out + "/checkpoint2.safetensors");
}

void train(Trainer& trainer) {
  while (trainer.step < kStepsMax) {
    if (trainer.session)
      end_if(trainer, trainer.session->at_begin(trainer.step - trainer.start, false, false));
    train_step(trainer);
    std::printf("step %d\n", static_cast<int>(trainer.step));
    if (trainer.has("crash") && trainer.step == 2) {
      std::printf("Traceback: out of luck\n");
      std::exit(1);
    }
    if (trainer.has("break-off") && trainer.step == kSaveAt + 2) std::_Exit(0);
    if (trainer.has("hang")) pause();
    if (trainer.step == kSaveAt) save_as_told(trainer);
    if (trainer.session)
      end_if(trainer, trainer.session->at_end(trainer.step - trainer.start, false));
  }
  if (!trainer.session) return;
  const auto decision = trainer.session->at_exit(trainer.step - trainer.start);
  if (decision.record != Decision::Record::none) record(trainer, "end", decision.record);
  trainer.session->close();
}

}  // namespace
}  // namespace samestep

int main(int count, char** arguments) {
  using namespace samestep;
  Trainer trainer;
  for (int i = 1; i + 1 < count; i += 2) trainer.options[arguments[i]] = arguments[i + 1];
  if (trainer.resumed() && !trainer.has("ignore-resume")) load(trainer);
  const char* plan = std::getenv("SAMESTEP_PLAN");
  if (plan && !trainer.has("silent"))
    trainer.session =
        Session::open(plan, trainer.number("--rank", 0), trainer.number("--ranks", 1));
  trainer.start = trainer.step;
  train(trainer);
  return 0;
}
