#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

Field counter() {
  Field field;
  field.path = FieldPath("lr_scheduler/last_epoch");
  field.role = Role::schedule;
  field.digest = Digest{3, 4};
  field.bytes = 9;
  field.value = std::int64_t{4};
  field.traits = {{"declared", "state_dict"}, {"owner", "torch.optim.lr_scheduler.StepLR"}};
  return field;
}

Field moment() {
  Field field;
  field.path = FieldPath("optimizer/state/head.weight/exp_avg");
  field.role = Role::moment;
  field.kind = FieldKind::tensor;
  field.dtype = Dtype::float32;
  field.shape = {2, 3};
  field.digest = Digest{1, 2};
  field.bytes = 24;
  field.layout.strides = {1, 2};
  field.layout.storage = 7;
  field.layout.storage_offset = 3;
  field.layout.device = "cpu";
  field.layout.requires_grad = false;
  field.source = {"optimizer.pt",
                  {{SourceKey::Kind::string, "state"},
                   {SourceKey::Kind::integer, "0"},
                   {SourceKey::Kind::attribute, "exp_avg"},
                   {SourceKey::Kind::repr, "(1, 2)"}}};
  field.traits = {{"place", "optimizer/state/0/exp_avg"}};
  return field;
}

}  // namespace

CaptureRank sample_capture() {
  CaptureRank capture;
  capture.boundary = {1, 5, "begin"};
  capture.completed = 4;
  capture.world_size = 2;
  capture.fields = {counter(), moment()};
  capture.blobs = {{Digest{1, 2}, {"4/rank-0-0.0.pack", 64, 20, "zstd"}}};
  capture.chunks = {{Digest{1, 2}, {Digest{5, 6}, Digest{7, 8}}}};
  capture.contract.clauses = {{"env.OMP_NUM_THREADS", "\"4\""}, {"torch.num_threads", "4"}};
  return capture;
}

namespace {

Finding full_finding() {
  Finding finding;
  finding.kind = FindingKind::gap;
  finding.field = "optimizer/state/head.weight/step";
  finding.component = "optimizer";
  finding.rank = 1;
  finding.role = Role::step_counter;
  finding.fate = Fate::overwritten;
  finding.marks = {"reset"};
  finding.evidence = {"equals the value at construction (reset)"};
  finding.captured = {true, "float32", {}, Digest{1, 2}, Value(4.0), ""};
  finding.checkpointed = {true, "float32", {}, Digest{1, 2}, Value(4.0), "a.pt: state/0/step"};
  finding.restored = {true, "float32", {}, Digest{3, 4}, Value(0.0), ""};
  finding.loaded = finding.captured;
  finding.where = Boundary{1, 5, "begin"};
  Difference difference;
  difference.first_byte = 2;
  difference.last_byte = 3;
  difference.elements = difference.elements_total = 1;
  difference.first_position = {0, 1};
  difference.source_value = "4.0";
  difference.target_value = "0.0";
  difference.ulp_max = 1082130432;
  finding.difference = difference;
  finding.next = "samestep inspect out/a.pt";
  return finding;
}

Finding bare_finding() {
  Finding finding;
  finding.kind = FindingKind::divergence;
  finding.grade = Grade::warning;
  finding.field = "forward:head";
  return finding;
}

OperatorReport sample_operator() {
  OperatorReport op;
  op.where = {1, 5, "op:412"};
  op.name = "aten::mm";
  op.phase = "backward";
  op.module = "head";
  op.inside = "aten::matmul";
  op.differs = "outputs";
  op.argument = "output 0";
  op.uninterrupted = {true, "float32", {2, 3}, Digest{1, 2}, {}, ""};
  op.resumed = {true, "float32", {2, 3}, Digest{1, 3}, {}, ""};
  op.same_before = 411;
  op.evidence = {"a kernel"};
  return op;
}

}  // namespace

Report sample_report() {
  Report report;
  report.verb = "audit";
  report.verdict = Verdict::diverged;
  report.reason = "optimizer/state/head.weight/step is overwritten after the load";
  report.findings = {full_finding(), bare_finding()};
  report.cause = {{"optimizer/state/head.weight/step", "optimizer", "grafting it heals step 5"}};
  report.divergence = DivergenceReport{{1, 5, "forward:head"}, "forward:head", 0, 2, 17};
  report.divergence->op = sample_operator();
  report.coverage.fields_compared = 318;
  report.coverage.fields_equal = 317;
  report.coverage.boundaries_compared = 12;
  report.coverage.steps_compared = 3;
  report.coverage.ranks_heard = {0, 1};
  report.coverage.ranks_expected = 2;
  report.coverage.by_component = {{"model", 100}, {"optimizer", 218}};
  report.coverage.unwatched = {"extra/args"};
  report.coverage.not_compared = {{"loop/path", "a path"}};
  report.coverage.ignored = {{"wall clock", 3}};
  report.coverage.power = true;
  report.legs = {{"uninterrupted", {"python", "train.py"}, 0, 12.5, "/w/log.txt", 7},
                 {"resumed", {"python", "train.py", "--resume"}, -9, 10, "/w/log2.txt", 3}};
  report.contract = {{"env.OMP_NUM_THREADS", "null"}, {"torch.num_threads", "4"}};
  report.host = {{"samestep", "0.1.0"}};
  return report;
}

namespace {

InspectedField value_field(const char* path, Value value) {
  InspectedField entry;
  entry.field.path = FieldPath(path);
  entry.field.value = std::move(value);
  entry.field.bytes = 9;
  entry.field.source = {"state.json", {{SourceKey::Kind::string, path}}};
  return entry;
}

}  // namespace

Inspection sample_inspection() {
  Inspection inspection;
  inspection.path = "out/checkpoint-4";
  inspection.format = "HF Trainer folder";
  inspection.step = 4;
  inspection.step_source = "loop/global_step";
  InspectedField tensor;
  tensor.field = moment();
  tensor.sha256 = std::string(64, 'a');
  InspectedField opaque;
  opaque.field.path = FieldPath("extra/args");
  opaque.field.kind = FieldKind::opaque;
  opaque.field.class_name = "transformers.TrainingArguments";
  inspection.fields = {tensor,
                       opaque,
                       value_field("loop/none", None{}),
                       value_field("loop/flag", true),
                       value_field("loop/int", std::int64_t{-4}),
                       value_field("loop/float", 0.1),
                       value_field("loop/text", std::string("a\nb")),
                       value_field("loop/list", Numbers{std::vector<double>{0.9, 1}})};
  inspection.components = {{"extra", {1, 0}}, {"loop", {6, 54}}, {"optimizer", {1, 24}}};
  inspection.absent = {{"rng/numpy", "NumPy's stream starts again from its seed"}};
  inspection.warnings = {"optimizer steps disagree"};
  inspection.notes = {"no checksums were kept"};
  return inspection;
}

}  // namespace samestep
