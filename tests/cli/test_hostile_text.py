"""Names chosen by an enemy: they stay text, on their line, in every form of output."""

import json
import os
import pickle
import subprocess
import unicodedata
import xml.etree.ElementTree as ElementTree

import pytest

NAMES = [
    "<script>alert(1)</script>",
    "\x1b]0;title\x07\x1b[2J\x1b[31m",
    "a line\nverdict: same\r\n",
    "]]></failure><!-- & \"'",
    "right \u202e left",
    "no text \udcff\udc80",
    "beyond XML \uffff\ufffe\x00",
    "épsilon 模型 🧠",
    "",
    "x" * 5000,
]
FILE = b"<b>\x1b[1m\xff\n.pkl"


def bare_pickle(value: int) -> bytes:
    """Lone surrogates become bytes that are not UTF-8."""
    return pickle.dumps(dict.fromkeys(NAMES, value), protocol=2)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = os.fsencode(tmp_path_factory.mktemp("hostile"))
    paths = []
    for i, name in enumerate([b"a " + FILE, b"b " + FILE]):
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "wb") as file:
            file.write(bare_pickle(i))
    return paths


def run(samestep, *arguments):
    return subprocess.run([samestep, *arguments], capture_output=True, check=False)


def assert_harmless(text: bytes):
    """UTF-8 without a character that changes how a terminal shows what follows."""
    for character in text.decode("utf-8"):
        assert character == "\n" or unicodedata.category(character) not in (
            *("Cc", "Cf", "Cs"),
            *("Zl", "Zp"),
        ), repr(character)


@pytest.mark.parametrize("verb", [["inspect"], ["inspect", "--fields"], ["verify"]])
def test_text_of_one_is_harmless(samestep, pair, verb):
    done = run(samestep, *verb, pair[0])
    assert done.returncode == 0, done.stderr
    assert_harmless(done.stdout)
    assert done.stderr == b""


@pytest.mark.parametrize("option", [[], ["--all"]])
def test_text_of_a_difference_is_harmless(samestep, pair, option):
    done = run(samestep, "diff", *option, *pair)
    assert done.returncode == 1, done.stderr
    assert_harmless(done.stdout)
    verdicts = [line for line in done.stdout.splitlines() if line.startswith(b"verdict: ")]
    assert verdicts == [b"verdict: diverged: %d fields differ" % len(NAMES)]
    assert done.stdout.endswith(verdicts[0] + b"\n")


def test_json_holds_one_document(samestep, pair):
    for arguments in (["inspect", "--json", pair[0]], ["diff", "--json", *pair]):
        json.loads(run(samestep, *arguments).stdout)


def test_pages_and_cases_hold_no_markup_of_theirs(samestep, pair, tmp_path):
    page, cases = tmp_path / "a.html", tmp_path / "a.xml"
    done = run(samestep, "diff", "--html", page, "--junit", cases, *pair)
    assert done.returncode == 1, done.stderr
    for path in (page, cases):
        assert_harmless(path.read_bytes())
        tags = {element.tag.rsplit("}")[-1] for element in ElementTree.parse(path).iter()}
        assert not tags & {"script", "b"}
        assert "<script" not in path.read_text()


def test_the_next_command_works_when_pasted(samestep, pair):
    text = run(samestep, "diff", *pair).stdout.decode()
    commands = {line.split("next", 1)[1] for line in text.splitlines() if "  next  " in line}
    assert len(commands) == 1
    path = os.path.dirname(samestep) + os.pathsep + os.environ["PATH"]
    done = subprocess.run(
        ["bash", "-c", commands.pop()],
        capture_output=True,
        env={**os.environ, "PATH": path},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert_harmless(done.stdout)


def test_an_error_is_one_harmless_line(samestep, pair):
    for arguments in (
        ["inspect", pair[0] + b"?"],
        [FILE],
        ["audit", "--at", FILE, "--", "true"],
        ["schema", FILE],
        ["diff", b"--" + FILE],
    ):
        done = run(samestep, *arguments)
        assert done.returncode == 2
        assert done.stdout == b""
        assert done.stderr.count(b"\n") == 1
        assert_harmless(done.stderr)
