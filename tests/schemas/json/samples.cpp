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

}  // namespace samestep
