#include "resume_check/streams.h"

#include <algorithm>
#include <cstring>
#include <variant>

#include "checkpoint/hasher.h"
#include "resume_check/grade.h"
#include "resume_check/mersenne.h"
#include "resume_check/numbers.h"
#include "resume_check/save_marks.h"

namespace samestep {
namespace {

/// CUDA's generators count: a seed, and how far it was used.
struct Counter {
  std::uint64_t seed = 0, offset = 0;
};
using Engine = std::variant<std::monostate, Mersenne, Counter>;
using Draws = std::optional<std::uint64_t>;

constexpr std::size_t kCounterBytes = 16;
constexpr int kDrawsTried = 20'000;
constexpr std::size_t kPythonNumbers = kMersenneWords + 1;

bool copy_words(const std::vector<Number>& numbers, Mersenne& engine) {
  for (std::size_t i = 0; i < kMersenneWords; ++i) {
    const auto word = numbers[i].exact.value_or(-1);
    if (word < 0 || word > 0xffffffffll) return false;
    engine.words[i] = static_cast<std::uint32_t>(word);
  }
  return true;
}

bool set_given(const std::optional<Number>& number, Mersenne& engine) {
  const auto given = number ? number->exact.value_or(-1) : -1;
  if (given < 0 || given > static_cast<std::int64_t>(kMersenneWords)) return false;
  engine.given = static_cast<std::uint32_t>(given);
  return true;
}

/// "rng/numpy/pos"; in a file of several streams "rng/numpy/pos#2".
bool is_position(const StateEntry& entry) {
  const std::string leaf = entry.field.path.leaf();
  return leaf.substr(0, leaf.rfind('#')) == "pos";
}

/// Of the fields of one stream and one side; the first is the stream's own, others lie below it.
Engine engine_of(const std::vector<const StateEntry*>& fields) {
  if (fields.empty() || !fields.front()) return {};
  const StateEntry& own = *fields.front();
  if (is_octets(own)) {
    const auto bytes = octets_of(own, kTorchGeneratorBytes);
    if (const auto engine = mersenne_of_torch(bytes)) return *engine;
    if (bytes.size() != kCounterBytes) return {};
    Counter counter;
    std::memcpy(&counter.seed, bytes.data(), sizeof counter.seed);
    std::memcpy(&counter.offset, bytes.data() + 8, sizeof counter.offset);
    return counter;
  }
  const auto numbers = numbers_of(own);
  if (!numbers) return {};
  Mersenne engine;
  if (numbers->size() == kPythonNumbers) {
    return copy_words(*numbers, engine) && set_given(numbers->back(), engine) ? Engine(engine)
                                                                              : Engine();
  }
  if (numbers->size() != kMersenneWords || !copy_words(*numbers, engine)) return {};
  for (const auto* field : fields) {
    if (field && is_position(*field) && set_given(number_of(*field), engine)) {
      return engine;
    }
  }
  return {};
}

Draws draws_of(const Engine& from, const Engine& to) {
  if (const auto* a = std::get_if<Mersenne>(&from), *b = std::get_if<Mersenne>(&to); a && b) {
    return draws_between(*a, *b);
  }
  if (const auto* a = std::get_if<Counter>(&from), *b = std::get_if<Counter>(&to); a && b) {
    if (a->seed == b->seed && b->offset >= a->offset) return b->offset - a->offset;
  }
  return std::nullopt;
}

using Fields = std::vector<const FieldFate*>;

/// Each field that the file holds otherwise than captured is as it was beside one and the same
/// write.
bool as_marked(const Fields& fields, const std::vector<StreamMarks>& saves) {
  return std::any_of(saves.begin(), saves.end(), [&](const StreamMarks& marks) {
    return std::all_of(fields.begin(), fields.end(), [&](const FieldFate* fate) {
      if (!fate->match || fate->match->equal) return true;
      const auto mark = marks.find(fate->path.text());
      const auto& digest = fate->match->entry->field.digest;
      return mark != marks.end() && digest && digest->hex() == mark->second;
    });
  });
}

template <typename Choose>
Engine engine_on(const Fields& fields, const std::string& stream, Choose choose) {
  std::vector<const StateEntry*> side;
  for (const auto* fate : fields) {
    const StateEntry* entry = choose(*fate);
    if (fate->path.text() == stream) {
      side.insert(side.begin(), entry);
    } else if (entry) {
      side.push_back(entry);
    }
  }
  return engine_of(side);
}

StreamLook look_at(const Fields& fields, const std::string& stream,
                   const std::vector<StreamMarks>& saves) {
  const auto captured =
      engine_on(fields, stream, [](const FieldFate& fate) { return fate.captured; });
  const auto filed = engine_on(fields, stream, [](const FieldFate& fate) {
    return fate.match ? fate.match->entry : nullptr;
  });
  const auto restored =
      engine_on(fields, stream, [](const FieldFate& fate) { return fate.restored; });
  StreamLook look;
  const bool differs_in_file = std::any_of(fields.begin(), fields.end(), [](const auto* fate) {
    return fate->match && !fate->match->equal;
  });
  if (differs_in_file) look.since_save = draws_of(filed, captured);
  look.as_saved = differs_in_file && (look.since_save.value_or(0) > 0 || as_marked(fields, saves));
  look.restored_ahead = draws_of(captured, restored);
  if (!look.restored_ahead) look.restored_behind = draws_of(restored, captured);
  look.saved_ahead = draws_of(filed, restored);
  return look;
}

}  // namespace

std::map<std::string, StreamLook> look_at_streams(const std::vector<FieldFate>& fates,
                                                  const StepLog& log, std::int64_t completed) {
  std::map<std::string, Fields> streams;
  for (const auto& fate : fates) {
    const auto stream = stream_of(fate.path);
    if (!stream.empty() && fate.captured) streams[stream].push_back(&fate);
  }
  const auto saves = streams_at_saves(log, completed);
  std::map<std::string, StreamLook> looks;
  for (const auto& [stream, fields] : streams) {
    const bool settled = std::all_of(fields.begin(), fields.end(),
                                     [](const auto* fate) { return fate->fate == Fate::kept; });
    if (!settled) looks[stream] = look_at(fields, stream, saves);
  }
  return looks;
}

std::optional<bool> just_seeded(const std::vector<const StateEntry*>& fields) {
  const auto engine = engine_of(fields);
  if (const auto* mersenne = std::get_if<Mersenne>(&engine)) return mersenne->just_seeded();
  if (const auto* counter = std::get_if<Counter>(&engine)) return counter->offset == 0;
  return std::nullopt;
}

bool goes_on_to(const StateEntry& stream, const Digest& later) {
  auto state = octets_of(stream, kTorchGeneratorBytes);
  const std::vector<std::int64_t> shape{static_cast<std::int64_t>(state.size())}, strides{1};
  for (int draws = 0; draws < kDrawsTried; ++draws) {
    if (!advance_by_a_draw(state)) return false;
    const auto bytes = tensor_bytes({state.data(), Dtype::uint8, shape, strides}, nullptr);
    if (digest_of(*bytes, Dtype::uint8, shape).root == later) return true;
  }
  return false;
}

}  // namespace samestep
