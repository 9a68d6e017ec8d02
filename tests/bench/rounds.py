"""Interleaved rounds of contestants in rotated order; disturbed ones are made anew."""

import os
import resource
import statistics
import time
from pathlib import Path

OTHERS_CORES_MAX = 0.1
TICKS = os.sysconf("SC_CLK_TCK")


def own_cpu(children=()) -> float:
    """CPU seconds of this process, of those that it waited for, and of the living `children`."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [getattr(resource.getrusage(kind), f"ru_{name}time") for kind in kinds for name in "us"]
    theirs = 0
    for pid in children:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        theirs += int(fields[11]) + int(fields[12])
    return sum(used) + theirs / TICKS


def all_cpu() -> float:
    """Busy seconds of all processors, waiting for disks left out."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    user, nice, system, _idle, _wait, irq, soft, steal = map(int, fields)
    return (user + nice + system + irq + soft + steal) / TICKS


def one_round(contestants, first, children=()):
    """What each contestant answered, and the cores that others took meanwhile."""
    answers, names = {}, list(contestants)
    before, own, begun = all_cpu(), own_cpu(children), time.perf_counter()
    for name in names[first % len(names) :] + names[: first % len(names)]:
        answers[name] = contestants[name]()
    wall = time.perf_counter() - begun
    others = (all_cpu() - before) - (own_cpu(children) - own) - 0.02
    return answers, max(others, 0) / wall


def quiet_rounds(contestants, count, children=(), others_max=OTHERS_CORES_MAX):
    """The `count` least disturbed of at most twice as many rounds, and how many of them others
    disturbed all the same. The first round of all is thrown away."""
    one_round(contestants, 0, children)
    rounds = []
    for number in range(2 * count):
        rounds.append(one_round(contestants, number, children))
        if sum(others <= others_max for _, others in rounds) == count:
            break
    rounds = sorted(rounds, key=lambda each: each[1])[:count]
    return [answers for answers, _ in rounds], sum(others > others_max for _, others in rounds)


def run_rounds(contestants, count):
    """Median seconds of each contestant (wall, CPU), rounds, and how many were disturbed."""

    def timed(contestant):
        cpu, started = own_cpu(), time.perf_counter()
        contestant()
        return time.perf_counter() - started, own_cpu() - cpu

    calls = {name: lambda run=run: timed(run) for name, run in contestants.items()}
    rounds, disturbed = quiet_rounds(calls, count)
    medians = {
        name: tuple(statistics.median(answers[name][i] for answers in rounds) for i in (0, 1))
        for name in contestants
    }
    return medians, len(rounds), disturbed
