#include "capture/schedule.h"

namespace samestep {

Schedule::Schedule(const Plan& plan) : plan_(plan), at_(plan.at) {
  if (!at_ && (plan.final_only || records_nothing())) at_ = plan.start;
}

Decision Schedule::begin(const Moment& moment) {
  if (!at_ && moment.checkpoint_there) at_ = moment.completed;
  Decision decision;
  decision.record = record_at(moment);
  const bool traced_step =
      captured_ && at_ && moment.completed >= *at_ && !is_last(moment.completed);
  decision.trace = plan_.trace && traced_step;
  decision.stop = may_stop(moment);
  return decision;
}

Decision::Record Schedule::record_at(const Moment& moment) {
  using enum Decision::Record;
  if (records_nothing() || last_recorded_) return none;
  if (!plan_.final_only && at_ && *at_ == moment.completed && (!captured_ || moment.window_open)) {
    captured_ = true;
    return full;
  }
  if (moment.window_open) return none;
  if (is_last(moment.completed)) {
    last_recorded_ = true;
    return digest;
  }
  return plan_.log_begins && !plan_.final_only ? digest : none;
}

Decision Schedule::end(const Moment& moment) {
  Decision decision;
  decision.stop = may_stop(moment);
  return decision;
}

Decision Schedule::exit(const Moment& moment) {
  Decision decision;
  const bool wanted = plan_.final_only || plan_.log_begins || captured_;
  if (wanted && !records_nothing() && !last_recorded_) {
    last_recorded_ = true;
    decision.record = Decision::Record::digest;
  }
  decision.stop = may_stop(moment);
  return decision;
}

// After an optimizer step the state of the last boundary is still to be recorded: only a begin, or
// the exit, ends a leg that records.
bool Schedule::may_stop(const Moment& moment) const {
  return plan_.stop && moment.may_stop && is_last(moment.completed) &&
         (last_recorded_ || records_nothing());
}

}  // namespace samestep
