#include "resume_check/findings.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "resume_check/aliases.h"
#include "resume_check/detached.h"
#include "resume_check/fold.h"
#include "resume_check/ignore_list.h"
#include "resume_check/numbers.h"
#include "resume_check/streams.h"

namespace samestep {
namespace {

bool is_gap(Fate fate) { return fate != Fate::kept && fate != Fate::rederived; }

bool moved_in_stream(const Movement& movement, const FieldPath& path,
                     const std::vector<FieldFate>& fates) {
  const auto stream = stream_of(path);
  return std::any_of(fates.begin(), fates.end(), [&](const FieldFate& other) {
    return stream_of(other.path) == stream && movement.moved(other.path.text());
  });
}

/// The module of a field of a model: "model/rope" of "model/rope.cos".
std::string module_of(const FieldPath& path) {
  const std::string& text = path.text();
  return text.substr(0, text.find_last_of("./"));
}

/// Modules that keep a cache of which the legs have parts of unlike lengths, or the resumed one
/// none.
std::set<std::string> caching_modules(const std::vector<FieldFate>& fates) {
  std::set<std::string> modules;
  for (const FieldFate& fate : fates) {
    if (!is_gap(fate.fate) || !fate.captured) continue;
    const auto how = declared(fate.field());
    if (fate.path.component_kind() != "model" ||
        (how != "attribute" && how != "buffer_nonpersistent"))
      continue;
    const bool is_made_later = !fate.restored && fate.field().kind == FieldKind::tensor;
    if (is_made_later || (fate.restored && is_leading_part(*fate.captured, *fate.restored)))
      modules.insert(module_of(fate.path));
  }
  return modules;
}

bool is_cached(const FieldFate& fate, const std::set<std::string>& caching) {
  if (!caching.contains(module_of(fate.path))) return false;
  if (fate.field().kind != FieldKind::tensor) return true;
  return fate.captured && fate.restored && is_leading_part(*fate.captured, *fate.restored);
}

bool is_miscounted(const FieldFate& fate, const LegFacts& legs) {
  if (declared(fate.field()) != "frame" || !fate.match || !fate.match->equal) return false;
  if (!fate.captured || !fate.restored) return false;
  const auto whole = [](const StateEntry& entry) {
    const auto& value = entry.field.value;
    return value ? std::get_if<std::int64_t>(&*value) : nullptr;
  };
  const auto *before = whole(*fate.captured), *after = whole(*fate.restored);
  const auto& path = fate.path.text();
  return before && after && *before != *after && *after > 1 && legs.uninterrupted.moved(path) &&
         legs.resumed.moved(path);
}

/// A generator that the trainer makes for each batch is another one a step later.
bool is_remade(const FieldFate& fate, const Movement& movement, std::int64_t completed) {
  if (!stream_of(fate.path).starts_with("rng/generator.") || !fate.captured) return false;
  const auto later = movement.at(fate.path.text(), completed + 1);
  return later && is_octets(*fate.captured) && !goes_on_to(*fate.captured, *later);
}

GapFacts facts_of(const FieldFate& fate, const Evidence& evidence, const LegFacts& legs,
                  const std::vector<FieldFate>& fates, std::int64_t completed) {
  GapFacts facts;
  const auto& path = fate.path.text();
  facts.moved = legs.uninterrupted.moved(path);
  if (fate.path.component_kind() == "rng") {
    facts.drawn = moved_in_stream(legs.uninterrupted, fate.path, fates) ||
                  moved_in_stream(legs.resumed, fate.path, fates);
    facts.remade = is_remade(fate, legs.uninterrupted, completed);
  }
  const auto& marks = evidence.marks;
  facts.reset = std::find(marks.begin(), marks.end(), "reset") != marks.end();
  facts.unstable = legs.unstable.contains(path);
  facts.miscounted = is_miscounted(fate, legs);
  const auto how = declared(fate.field());
  facts.set_anew = (how == "attribute" || how == "buffer_nonpersistent") &&
                   legs.uninterrupted.agrees_after(legs.resumed, path, completed);
  facts.lone = !fate.captured != !fate.restored;
  if (fate.path.component_kind() == "gradients" && facts.lone)
    facts.zeros = is_all_zero(fate.captured ? *fate.captured : *fate.restored);
  return facts;
}

/// The rule that hides this gap. A number that is called as a clock is, and has a value in the
/// resumed leg that it had in the uninterrupted one, follows from training: no clock does that.
const IgnoreRule* hidden_by(const FieldFate& fate, const LegFacts& legs) {
  const auto* rule = ignored_by(fate.field());
  if (!rule && fate.restored) rule = ignored_by(fate.restored->field);
  if (!rule || rule->values != "clock") return rule;
  return legs.uninterrupted.meets(legs.resumed, fate.path.text()) ? nullptr : rule;
}

/// A number of a frame that the file holds as it was, and that no variable of the resumed run has
/// taken over.
bool is_saved_and_gone(const FieldFate& fate, const StateTree& restored) {
  if (!fate.match || !fate.match->equal || !fate.captured || !fate.restored) return false;
  if (!fate.captured->field.value) return false;
  const auto& entries = restored.entries();
  return std::none_of(entries.begin(), entries.end(), [&](const StateEntry& entry) {
    if (entry.field.value != fate.captured->field.value) return false;
    // What was loaded may still lie in a variable as it came out of the file.
    const auto& path = entry.field.path;
    return path.parts().size() <= 2 || path.leaf() != fate.path.leaf();
  });
}

/// What a look just after a load saw is known by its digest; one of the copies has its value.
Side loaded_side(const Digest& digest, const Finding& finding) {
  for (const Side* side : {&finding.captured, &finding.checkpointed, &finding.restored}) {
    if (side->digest != digest) continue;
    Side same = *side;
    same.source.clear();
    return same;
  }
  Side side;
  side.present = true;
  side.digest = digest;
  return side;
}

Finding finding_of(const FieldFate& fate, Evidence evidence) {
  Finding finding;
  finding.field = fate.path.text();
  finding.component = fate.path.component();
  finding.rank = fate.rank;
  finding.role = fate.field().role;
  finding.fate = fate.fate;
  finding.evidence = std::move(evidence.sentences);
  finding.marks = std::move(evidence.marks);
  finding.captured = side_of(fate.captured);
  finding.checkpointed = side_of(fate.match);
  finding.restored = side_of(fate.restored);
  if (fate.loaded) finding.loaded = loaded_side(*fate.loaded, finding);
  return finding;
}

Finding alias_finding(const AliasChange& change, int rank, const StateTree& captured,
                      const StateTree& restored) {
  Finding finding;
  finding.field = change.second.text();
  finding.component = change.second.component();
  finding.rank = rank;
  finding.role = Role::parameter;
  finding.fate = change.tied_before && !change.tied_in_file ? Fate::missing : Fate::not_applied;
  finding.marks = {"aliased"};
  finding.evidence.push_back(change.tied_before
                                 ? "was one tensor with " + change.first.text() +
                                       "; in the resumed run they are two of equal value"
                                 : "is one tensor with " + change.first.text() +
                                       " in the resumed run; before they were two");
  finding.captured = side_of(captured.find(change.second));
  finding.restored = side_of(restored.find(change.second));
  return finding;
}

/// One torn file: some fields of the step of the capture, others of a neighbouring one.
void mark_torn(std::vector<WeighedFinding>& gaps, const std::vector<FieldFate>& fates,
               const Movement& movement, const std::map<std::string, std::int64_t>& file_steps) {
  if (file_steps.empty()) return;
  const bool some_right = std::any_of(fates.begin(), fates.end(), [&](const FieldFate& fate) {
    return fate.match && fate.match->equal && fate.field().kind == FieldKind::tensor &&
           movement.moved(fate.path.text());
  });
  if (!some_right) return;
  for (auto& gap : gaps) {
    if (!file_steps.contains(gap.finding.field)) continue;
    gap.finding.marks.insert(gap.finding.marks.begin(), "torn");
    gap.finding.evidence.emplace_back(
        "other fields of the same checkpoint are of the captured step");
  }
}

bool known_from_forward(const Field& field) { return has_trait(field, "owner", "forward_input"); }

std::string source_text(const Source& source) {
  std::string text = source.file;
  for (std::size_t i = 0; i < source.keys.size(); ++i) {
    text += (i == 0 ? (text.empty() ? "" : ": ") : "/") + source.keys[i].text;
  }
  return text;
}

/// A batch that differs is an effect: it says that something is wrong, not what.
bool explains(const WeighedFinding& gap) {
  return gap.finding.grade == Grade::confirmed && !is_next_batch(FieldPath(gap.finding.field));
}

/// By its name something that is written to be looked at: a meter, the last loss.
bool is_telemetry(const WeighedFinding& gap) {
  constexpr std::array<std::string_view, 13> kWords{
      "meter", "meters", "log",     "logs",  "logged", "running", "last",
      "loss",  "losses", "printed", "since", "speed",  "sum"};
  return has_word(FieldPath(gap.finding.field).leaf(), kWords);
}

/// The tensors among the variables of a loop are rather what came of a batch.
bool is_number(const WeighedFinding& gap) {
  return gap.finding.captured.value.has_value() || gap.finding.restored.value.has_value();
}

void promote(std::vector<WeighedFinding>& gaps, const StepsComparison& steps, bool last_resort) {
  const auto is_explained = [&] { return std::any_of(gaps.begin(), gaps.end(), explains); };
  const auto confirm_some = [&](Weight weight, auto is_meant) {
    for (auto& gap : gaps)
      if (gap.weight == weight && is_meant(gap)) gap.finding.grade = Grade::confirmed;
  };
  const auto confirm = [&](Weight weight) {
    confirm_some(weight, [](const WeighedFinding&) { return true; });
  };
  confirm(Weight::confirmed);
  if (steps.batches_differ) confirm(Weight::with_batches);
  if (!steps.divergence || is_explained()) return;
  confirm_some(Weight::with_effect, [](const auto& gap) { return !is_telemetry(gap); });
  if (!is_explained()) confirm(Weight::with_batches);
  if (!is_explained()) confirm(Weight::with_effect);
  if (!last_resort) return;
  if (!is_explained()) confirm_some(Weight::as_last, is_number);
  if (!is_explained()) confirm(Weight::as_last);
}

/// The component of a confirmed gap from which the input of a forward may follow: a stream first.
std::string maker_of_batches(const std::vector<WeighedFinding>& gaps) {
  std::string maker;
  for (const auto& gap : gaps) {
    auto kind = FieldPath(gap.finding.component).component_kind();
    if (!explains(gap)) continue;
    if (kind == "rng") return kind;
    if (kind == "dataloader" || kind == "loop" || kind == "extra") maker = kind;
  }
  return maker;
}

/// The masked or noised input of a forward differs because the stream that made it does; one that
/// is sampled from a memory, because the memory does.
void fold_batches(std::vector<WeighedFinding>& gaps) {
  const std::string maker = maker_of_batches(gaps);
  if (maker.empty()) return;
  for (auto& gap : gaps) {
    if (!gap.from_forward || !is_next_batch(FieldPath(gap.finding.field))) continue;
    gap.finding.grade = Grade::warning;
    gap.finding.marks.emplace_back("consequence");
    gap.finding.evidence.emplace_back(maker == "rng" ? "follows from the random stream that differs"
                                                     : "follows from the state that differs");
  }
}

}  // namespace

GapSearch find_gaps(const std::vector<FieldFate>& fates, const Witnesses& witnesses,
                    const LegFacts& legs, const StateTree& checkpoint) {
  GapSearch search;
  std::map<std::string, std::int64_t> file_steps;
  const auto caching = caching_modules(fates);
  for (const auto& fate : fates) {
    if (!is_gap(fate.fate) || is_detachment(fate.field())) continue;
    if (fate.fate != Fate::healed) search.differing.insert(fate.path.text());
    if (const auto* rule = hidden_by(fate, legs)) {
      ++search.ignored[std::string(rule->name)];
      continue;
    }
    auto evidence = evidence_of(fate, witnesses);
    // What the trainer sets anew each step was saved before it was set: such a file is not torn.
    if (evidence.file_step && fate.fate != Fate::healed)
      file_steps[fate.path.text()] = *evidence.file_step;
    WeighedFinding gap;
    auto facts = facts_of(fate, evidence, legs, fates, witnesses.completed);
    facts.cached = is_cached(fate, caching);
    gap.weight = weigh(fate, facts);
    if (facts.miscounted)
      evidence.sentences.emplace_back(
          "a count of the training loop: it decides when training ends and "
          "what the next checkpoints are called");
    if (facts.set_anew)
      evidence.sentences.emplace_back("it is the same again from the next step on");
    if (facts.cached)
      evidence.sentences.emplace_back("a cache of the module: what both have of it is equal");
    gap.from_forward = known_from_forward(fate.field());
    gap.finding = finding_of(fate, std::move(evidence));
    gap.finding.grade = Grade::warning;
    if (facts.set_anew) gap.finding.marks.emplace_back("anew");
    if (gap.from_forward) gap.finding.marks.emplace_back("input");
    if (declared(fate.field()) == "frame") {
      const bool unused = is_saved_and_gone(fate, witnesses.resumed.tree);
      gap.finding.marks.emplace_back(unused ? "saved" : "frame");
      if (unused)
        gap.finding.evidence.emplace_back(
            "nothing in the resumed run holds what the file says; where it decides anything, load "
            "it");
    }
    if (fate.path.component_kind() == "rng" && gap.weight == Weight::warning &&
        fate.fate != Fate::healed) {
      gap.finding.marks.emplace_back("unused");
      gap.finding.evidence.emplace_back("nobody drew from this stream in the uninterrupted run");
    }
    search.gaps.push_back(std::move(gap));
  }
  mark_torn(search.gaps, fates, witnesses.movement, file_steps);
  fold_items(search.gaps, fates);
  fold_names(search.gaps, fates);
  for (auto& gap : detachments(fates)) search.gaps.push_back(std::move(gap));
  const auto &before = witnesses.uninterrupted.tree, &after = witnesses.resumed.tree;
  for (const auto& change : alias_changes(before, after, checkpoint)) {
    search.gaps.push_back({alias_finding(change, witnesses.uninterrupted.rank, before, after),
                           Weight::confirmed, false});
  }
  return search;
}

std::vector<Finding> graded(std::vector<WeighedFinding> gaps, const StepsComparison& steps,
                            bool last_resort) {
  promote(gaps, steps, last_resort);
  fold_batches(gaps);
  std::vector<Finding> findings;
  for (auto& gap : gaps) {
    if (gap.finding.grade == Grade::confirmed && steps.steps > 0 && !steps.divergence) {
      gap.finding.marks.emplace_back("latent");
    }
    findings.push_back(std::move(gap.finding));
  }
  sort_findings(findings);
  return findings;
}

void sort_findings(std::vector<Finding>& findings) {
  const auto key = [](const Finding& finding) {
    const FieldPath path(finding.field);
    // The batch that differs is an effect: what explains it comes first.
    return std::tuple(finding.grade, finding.kind == FindingKind::breach, is_next_batch(path),
                      causal_rank(path), finding.field, finding.rank);
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
}

Side side_of(const StateEntry* entry) {
  Side side;
  if (!entry) return side;
  side.present = true;
  side.digest = entry->field.digest;
  side.value = entry->field.value;
  if (entry->field.kind == FieldKind::tensor) {
    side.dtype = std::string(to_string(entry->field.dtype));
    side.shape = entry->field.shape;
  }
  side.source = source_text(entry->field.source);
  return side;
}

Side side_of(const std::optional<Match>& match) {
  Side side = side_of(match ? match->entry : nullptr);
  if (match && match->slice_byte)
    side.source += ", of which it is the part from byte " + std::to_string(*match->slice_byte);
  return side;
}

}  // namespace samestep
