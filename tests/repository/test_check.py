"""The gates: all of them run, each is told in a line, and a failure shows why."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.check import GATES, PYTHON_ALONE, ROOT, Gate, main, run_gates
from scripts.install_chromium import find_chromium


def a_gate(name: str, *, says: str = "", code: int = 0) -> Gate:
    program = f"import sys; print({says!r}); sys.exit({code})"
    return Gate(name=name, command=(sys.executable, "-c", program))


def test_a_gate_that_fails_shows_its_output_and_the_others_still_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    failed = run_gates(
        [a_gate("first", says="broken here", code=3), a_gate("second", says="quiet")], at_once=1
    )
    shown = capsys.readouterr().out
    assert failed == ["first"]
    assert "broken here" in shown
    assert "quiet" not in shown
    assert re.findall(r"^gate (\w+) +(\w+) \d+\.\ds$", shown, re.MULTILINE) == [
        ("first", "FAILED"),
        ("second", "ok"),
    ]


def test_a_gate_whose_output_is_no_text_is_still_told(capsys: pytest.CaptureFixture[str]) -> None:
    program = "import sys; sys.stdout.buffer.write(bytes([255, 10])); sys.exit(1)"
    assert run_gates([Gate(name="odd", command=(sys.executable, "-c", program))]) == ["odd"]
    assert "\ufffd" in capsys.readouterr().out


def test_what_a_live_gate_prints_is_seen_at_once(capfd: pytest.CaptureFixture[str]) -> None:
    program = "print('under way', flush=True)"
    gate = Gate(name="slow", command=(sys.executable, "-c", program), live=True)
    assert run_gates([gate]) == []
    assert capfd.readouterr().out.startswith("under way\ngate slow")


def test_make_test_takes_no_test_that_needs_more_than_python() -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    folders = [
        "tests/browser",
        "tests/conformance/test_conformance.py",
        "tests/real_codex",
        "tests/real_agents",
        "tests/served/test_openapi_fuzz.py",
    ]
    ended = subprocess.run(
        [*command, "-m", PYTHON_ALONE, *folders],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, ended.stdout
    assert re.search(r"no tests collected \(\d{2,} deselected\)", ended.stdout)


def test_the_gates_are_the_ones_that_the_house_style_names() -> None:
    names = {gate.name for gate in GATES}
    assert names == {
        "breaking",
        "contract-lint",
        "format",
        "generated",
        "layers",
        "lint",
        "types",
        "whitespace",
    }


def test_a_gate_that_does_not_exist_is_a_wrong_usage() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["gate", "nothing"])
    assert ended.value.code == 2


def test_the_chromium_that_a_person_names_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "chromium"
    named.touch(mode=0o755)
    monkeypatch.setenv("CCWEB_CHROMIUM", str(named))
    assert find_chromium() == named


def test_a_named_chromium_that_cannot_run_is_replaced_by_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CCWEB_CHROMIUM", str(tmp_path / "missing"))
    assert find_chromium() is None
