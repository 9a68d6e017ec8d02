// A bit flips on disk: exactly the fields concerned are named, and nothing else is harmed. Every
// class of byte: of a pack its head, frames, indexes and gaps; manifests, capture.json, logs.
#include <gmock/gmock.h>

#include <random>
#include <set>

#include "capture/run_folder.h"
#include "capture/run_reader.h"
#include "capture/state_record.h"
#include "capture/step_log_reader.h"
#include "capture/step_log_writer.h"
#include "checkpoint/files/folder.h"
#include "schemas/error.h"
#include "tests/capture/recorded_tensor.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

using Bytes = std::vector<std::byte>;
using Names = std::set<std::string>;

/// Capture 1 and 2: "kept" lies in the first one's pack, the rest of 2 in its own.
class DamageTest : public testing::Test {
 protected:
  DamageTest() {
    for (const int step : {1, 2}) {
      StateRecord record(run, 0, 1, step, "begin");
      const auto seed = static_cast<unsigned>(step);
      add(record, "model/kept", numbers(20'000, 9), Dtype::float32);
      add(record, "model/long", numbers(150'000, seed), Dtype::float32);
      add(record, "model/noise", noise(3'000, seed), Dtype::uint8);
      add(record, "model/short", numbers(2'000, seed + 5), Dtype::bfloat16);
      record.commit();
    }
  }

  static Bytes noise(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    Bytes bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 255);
    return bytes;
  }
  static Bytes numbers(std::size_t size, unsigned seed) {
    Bytes bytes = noise(size, seed);
    for (std::size_t i = 1; i < size; i += 2) bytes[i] &= std::byte{3};
    return bytes;
  }
  /// Fields of capture `step` whose bytes are not given out, each named in the message.
  Names damaged(std::int64_t step) const {
    Names names;
    for (const RankRecord& record : read_capture(run.capture(step))) {
      for (const StateEntry& entry : record.tree.entries()) {
        try {
          streamed(*entry.bytes);
        } catch (const Error& error) {
          names.insert(entry.field.path.text());
          EXPECT_THAT(error.what(), testing::HasSubstr(entry.field.path.text()));
        }
      }
    }
    return names;
  }

  /// Of capture `step`: the fields whose blob holds byte `at` of `pack`; all of the pack for a byte
  /// of its head.
  Names concerned(std::int64_t step, const std::string& pack, std::uint64_t at) const {
    Names names;
    const CaptureRank capture = read_capture_rank(run.manifest(step, 0));
    for (const Field& field : capture.fields) {
      const BlobPlace& place = capture.blobs.at(*field.digest);
      const bool inside = at >= place.offset && at < place.offset + place.stored_bytes;
      if (place.pack == pack && (at < 16 || inside)) names.insert(field.path.text());
    }
    return names;
  }

  static void flip(const std::string& path, const std::string& whole, std::size_t at) {
    std::string text = whole;
    text[at] = static_cast<char>(text[at] ^ 0x04);
    put_file(path, text);
  }

  TemporaryFolder folder;
  const RunFolder run{folder.path()};
};

TEST_F(DamageTest, AFlippedBitOfAPackNamesItsFieldsAlone) {
  ASSERT_EQ(read_capture_rank(run.manifest(2, 0)).blobs.size(), 4U);
  for (const std::string pack : {"1/rank-0.0.pack", "2/rank-0.0.pack"}) {
    const std::string path = run.captures() + "/" + pack, whole = file_text(path);
    std::set<std::size_t> places;
    for (std::size_t at = 0; at < 80; ++at) places.insert(at);
    for (std::size_t at = 0; at < whole.size(); at += 4099) places.insert(at);
    for (const int step : {1, 2}) {
      // Begin and end of each blob, its whole index, and the gap behind it.
      for (const auto& [digest, place] : read_capture_rank(run.manifest(step, 0)).blobs) {
        if (place.pack != pack) continue;
        const std::size_t end = place.offset + place.stored_bytes;
        for (std::size_t i = 0; i < 20; ++i) places.insert(place.offset + i);
        for (std::size_t at = end - 50; at < std::min(end + 3, whole.size()); ++at)
          places.insert(at);
      }
    }
    for (const std::size_t at : places) {
      SCOPED_TRACE(pack + " byte " + std::to_string(at));
      flip(path, whole, at);
      for (const int step : {1, 2}) EXPECT_EQ(damaged(step), concerned(step, pack, at));
    }
    put_file(path, whole);
  }
}

TEST_F(DamageTest, AFlippedBitOfARecordNamesItAndHarmsNoOther) {
  for (const std::string& path : {run.manifest(2, 0), run.world(2)}) {
    const std::string whole = file_text(path);
    for (std::size_t at = 0; at < whole.size(); at += whole.size() < 500 ? 1 : 13) {
      flip(path, whole, at);
      try {
        read_capture(run.capture(2));
        ADD_FAILURE() << path << " byte " << at;
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr(name_of(path)));
      }
      if (at % 50 == 0) {
        EXPECT_TRUE(damaged(1).empty());
      }
    }
    put_file(path, whole);
  }
  EXPECT_TRUE(damaged(2).empty());
}

TEST_F(DamageTest, AFlippedBitOfALogIsNeverTakenForItsEnd) {
  const std::string path = folder / "log.zst";
  {
    StepLogWriter writer(path, {"uninterrupted", 0, 1, 0});
    for (int step = 0; step < 3; ++step) {
      writer.trace(step, "loss", {7, 8});
      writer.flush();
    }
    writer.close();
  }
  const std::string whole = file_text(path);
  const auto lines = [&] {
    const StepLog log = read_step_log(path);
    return log.traces.size() + (log.closed ? 1 : 0);
  };
  ASSERT_EQ(lines(), 4U);
  // The last frame may look torn: the log then says that the session did not end in order.
  const std::size_t last = whole.rfind("\x28\xB5\x2F\xFD");
  for (std::size_t at = 0; at < last; ++at) {
    flip(path, whole, at);
    try {
      EXPECT_EQ(lines(), 4U) << at;  // a bit that means nothing
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("log.zst"));
    }
  }
  for (std::size_t size = last; size < whole.size(); ++size) {
    put_file(path, whole.substr(0, size));
    EXPECT_EQ(lines(), 3U) << size;
  }
}

}  // namespace
}  // namespace samestep
