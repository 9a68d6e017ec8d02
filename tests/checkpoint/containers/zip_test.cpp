#include "checkpoint/containers/zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "checkpoint/containers/byte_reader.h"
#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/zip_writer.h"

namespace samestep {
namespace {

using foreign::deflated_record;
using foreign::error_text;
using foreign::slice_of;
using foreign::stored_record;
using foreign::zip_of;
using foreign::ZipOptions;
using foreign::ZipRecord;
using testing::HasSubstr;
using testing::IsEmpty;

ZipArchive open(const std::string& file) { return ZipArchive::open(slice_of(file, "a.zip")); }

std::string content(const ZipArchive& archive, const std::string& name) {
  return std::string(characters(archive.content(*archive.find(name), 1 << 20).bytes));
}

TEST(Zip, FindsStoredAndDeflatedRecords) {
  for (const bool zip64 : {false, true}) {
    ZipOptions options;
    options.zip64 = zip64;
    const ZipArchive archive =
        open(zip_of({stored_record("a/x", "hello"), deflated_record("a/y", std::string(1000, 'z')),
                     stored_record("a/e", "")},
                    options));
    ASSERT_EQ(archive.entries().size(), 3u);
    EXPECT_EQ(content(archive, "a/x"), "hello");
    EXPECT_EQ(content(archive, "a/y"), std::string(1000, 'z'));
    EXPECT_EQ(content(archive, "a/e"), "");
    EXPECT_EQ(archive.find("a/z"), nullptr);
    EXPECT_TRUE(archive.has_checksums());
    EXPECT_THAT(archive.notes(), IsEmpty());
  }
}

TEST(Zip, ReadsAnArchiveInsideAFile) {
  const std::string file = "junk" + zip_of({stored_record("r/x", "hello")}) + "more junk";
  FileSlice whole = slice_of(file, "shard.distcp");
  const ZipArchive archive = ZipArchive::open(whole.part(4, file.size() - 13, "record"));
  EXPECT_EQ(content(archive, "r/x"), "hello");
  EXPECT_EQ(archive.stored(*archive.find("r/x")).offset, 4u + 30 + 3);
}

TEST(Zip, KnowsWhenNoChecksumsWereKept) {
  ZipRecord record = stored_record("a", "hello");
  record.crc = 0;
  EXPECT_FALSE(open(zip_of({record, stored_record("empty", "")})).has_checksums());
  EXPECT_TRUE(open(zip_of({record, stored_record("b", "x")})).has_checksums());
}

TEST(Zip, FollowsTheZip64EndRecordAndNotesADifferentClassicOne) {
  std::string file = zip_of({stored_record("a", "hello")});
  file[file.size() - 12] = 9;  // entries, in the classic record
  const ZipArchive archive = open(file);
  EXPECT_EQ(archive.entries().size(), 1u);
  EXPECT_THAT(archive.notes(), testing::ElementsAre(HasSubstr("end records of a.zip disagree")));
}

TEST(Zip, LooksAtLocalHeadersOnlyWhenAskedForARecord) {
  ZipRecord record = stored_record("a/x", "hello");
  record.local_name = "a/y";
  const ZipArchive archive = open(zip_of({record}));
  std::string mismatch;
  EXPECT_EQ(characters(archive.stored(archive.entries()[0], &mismatch).bytes), "hello");
  EXPECT_THAT(mismatch, HasSubstr("the names of record 'a/x'"));
}

struct Bad {
  const char* name;
  std::function<std::string()> file;
  const char* message;
};

std::string with(ZipRecord record) { return zip_of({std::move(record)}); }

template <typename Change>
std::string changed(Change change) {
  ZipRecord record = stored_record("a/x", "hello");
  change(record);
  return with(record);
}

const Bad kBad[] = {
    {"empty", [] { return std::string(); }, "no end record"},
    {"cut", [] { return zip_of({stored_record("a", "hello")}).substr(0, 60); }, "no end record"},
    {"cut_front", [] { return zip_of({stored_record("a", std::string(100, 'x'))}).substr(50); },
     "zip64 end record"},
    {"duplicate",
     [] {
       return zip_of({stored_record("a", "1"), stored_record("a", "2")});
     },
     "two records"},
    {"climbs", [] { return changed([](ZipRecord& r) { r.name = "a/../../x"; }); },
     "leaves the archive"},
    {"backslash", [] { return changed([](ZipRecord& r) { r.name = "..\\x"; }); },
     "leaves the archive"},
    {"absolute", [] { return changed([](ZipRecord& r) { r.name = "/etc/x"; }); },
     "leaves the archive"},
    {"no_name", [] { return changed([](ZipRecord& r) { r.name = ""; }); }, "leaves the archive"},
    {"encrypted", [] { return changed([](ZipRecord& r) { r.flags = 1; }); }, "encrypted"},
    {"method", [] { return changed([](ZipRecord& r) { r.method = 12; }); }, "method 12"},
    {"sizes", [] { return changed([](ZipRecord& r) { r.bytes = 6; }); }, "two sizes differ"},
    {"no_zip64_extra", [] { return changed([](ZipRecord& r) { r.bytes = 0xFFFFFFFF; }); },
     "no zip64 extra field"},
    {"far_header", [] { return changed([](ZipRecord& r) { r.offset_shift = 4000; }); },
     "reaches into"},
    {"overlap",
     [] {
       ZipRecord second = stored_record("b", "world");
       second.offset_shift = -20;
       return zip_of({stored_record("a", "hello"), second});
     },
     "reaches into"},
    {"count_lies",
     [] {
       return zip_of({stored_record("a", "1")}, {true, 1, 0});
     },
     "too short for 2 entries"},
    {"count_huge",
     [] {
       return zip_of({stored_record("a", "1")}, {true, 1'000'000'000, 0});
     },
     "too short"},
    {"directory_far",
     [] {
       return zip_of({stored_record("a", "1")}, {true, 0, 1'000'000});
     },
     "outside the file"},
    {"directory_shift",
     [] {
       return zip_of({stored_record("a", "1")}, {true, 0, -1});
     },
     "wrong signature"},
};

class BadZip : public testing::TestWithParam<Bad> {};

TEST_P(BadZip, IsRefusedWithAReason) {
  const std::string text = error_text([] { open(GetParam().file()); });
  EXPECT_THAT(text, HasSubstr(GetParam().message));
  EXPECT_THAT(text, HasSubstr("a.zip"));
}

INSTANTIATE_TEST_SUITE_P(Cases, BadZip, testing::ValuesIn(kBad),
                         [](const auto& test) { return test.param.name; });

TEST(Zip, RefusesARecordWithoutItsLocalHeaderOrThatReachesTooFar) {
  std::string file = zip_of({stored_record("a", "hello"), stored_record("b", "world")});
  file[0] = 'X';
  const ZipArchive archive = open(file);
  EXPECT_THAT(error_text([&] { archive.stored(*archive.find("a")); }),
              HasSubstr("no local header"));

  std::string longer = zip_of({stored_record("a", "hello"), stored_record("b", "world")});
  longer[28] = 4;  // the local extra field of "a" swallows its data
  const ZipArchive second = open(longer);
  EXPECT_THAT(error_text([&] { second.stored(*second.find("a")); }),
              HasSubstr("reaches into what follows"));
}

TEST(Zip, BoundsWhatIsInflated) {
  const ZipArchive archive = open(zip_of({deflated_record("a", std::string(1 << 20, 'x'))}));
  EXPECT_THAT(error_text([&] { archive.content(archive.entries()[0], 1000); }),
              HasSubstr("inflates to 1048576 bytes"));
}

TEST(Zip, EveryCutAndEveryFlippedByteEndsInAnErrorOrIsRead) {
  const std::string good =
      zip_of({stored_record("a/x", "hello"), deflated_record("a/y", "worldworldworld")});
  const auto read = [](const std::string& file) {
    const ZipArchive archive = open(file);
    for (const ZipEntry& entry : archive.entries()) archive.content(entry, 1 << 16);
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_NE(error_text([&] { read(good.substr(0, i)); }), "no error") << i;
    for (const int flip : {0x01, 0x80, 0xFF}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      error_text([&] { read(bad); });
    }
  }
}

TEST(Zip, SniffsLocalHeadersAndEmptyArchives) {
  EXPECT_TRUE(ZipArchive::sniff(slice_of("PK\3\4...").bytes));
  EXPECT_FALSE(ZipArchive::sniff(slice_of("PK").bytes));
  EXPECT_FALSE(ZipArchive::sniff(slice_of("PK\1\2").bytes));
}

}  // namespace
}  // namespace samestep
