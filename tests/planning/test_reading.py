"""What is read of a working tree, and what is left out."""

import os
from pathlib import Path

import pytest

from ccweb.planning.features import reading
from ccweb.planning.features.reading import Place, read
from tests.planning.trees import a_tree


def read_files(root: Path, files: dict[str, str | bytes]) -> list[str]:
    """Return the files that are read of these."""
    return list(read(a_tree(root, files)).files)


@pytest.mark.requirement("R-P9")
def test_files_are_read_wherever_they_lie_the_nearest_first(tmp_path: Path) -> None:
    files = {"b.py": "x", "a/z.py": "x", "a/b/c.md": "x", "文档/说明.md": "x"}
    assert read_files(tmp_path, {**files}) == ["b.py", "a/z.py", "文档/说明.md", "a/b/c.md"]


@pytest.mark.requirement("R-P9")
def test_what_others_wrote_and_what_is_made_is_left_out(tmp_path: Path) -> None:
    made = ["node_modules/x/i.js", ".git/config", ".venv/a.py", "dist/a.js", "a/__pycache__/b.py"]
    made += ["package-lock.json", "uv.lock", "a/jquery.min.js", "a/app.js.map", ".mypy_cache/x"]
    assert read_files(tmp_path, {"a/app.js": "x", **dict.fromkeys(made, "x")}) == ["a/app.js"]


@pytest.mark.requirement("R-P9")
def test_what_git_ignores_is_left_out_by_the_nearest_word_on_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        ".gitignore": "*.log\n/private/\nsecret-*\n!secret-not\n# comment\n",
        "a.log": "x",
        "private/a.py": "x",
        "deep/private/a.py": "x",
        "secret-key": "x",
        "secret-not": "x",
        "kept/.gitignore": "!*.log\nlocal/\n",
        "kept/b.log": "x",
        "kept/local/c.py": "x",
        "other/local/c.py": "x",
    }
    expected = [".gitignore", "secret-not", "kept/.gitignore", "kept/b.log", "deep/private/a.py"]
    assert read_files(tmp_path, files) == [*expected, "other/local/c.py"]


@pytest.mark.requirement("R-P9")
def test_only_text_of_a_bearable_size_is_read(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "image.bin": b"\x89PNG\0\0",
        "large.txt": b"x" * (reading.MOST_FILE_BYTES + 1),
        "largest.txt": b"x" * reading.MOST_FILE_BYTES,
        "empty.txt": b"",
    }
    assert read_files(tmp_path, files) == ["empty.txt", "largest.txt"]


@pytest.mark.requirement("R-P9")
def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = a_tree(tmp_path / "outside", {"secret.py": "x"})
    root = a_tree(tmp_path / "root", {"a.py": "x"})
    (root / "file.py").symlink_to(outside / "secret.py")
    (root / "folder").symlink_to(outside)
    (root / "round").symlink_to(root)
    assert read(root).files == ["a.py"]


@pytest.mark.requirement("R-P9")
def test_a_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert read(tmp_path / "nowhere").files == []


@pytest.mark.requirement("R-P9")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_chinese_is_read_in_the_encodings_that_it_is_written_in(
    tmp_path: Path, encoding: str
) -> None:
    tree = read(a_tree(tmp_path, {"a.txt": "手机号登录".encode(encoding)}))
    assert set(tree.postings) == {"手机", "机号", "号登", "登录", "txt"}


@pytest.mark.requirement("R-P9")
def test_a_word_is_known_by_the_place_that_says_most(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "cart.py": '"""What shoppers buy."""\nimport card\n\ndef pay(card):\n    voucher\n',
        "guide.md": "Intro\n\n## Refunds\n\n# not code: def money\n",
        "api.yaml": "tools:\n  send_gift:\n    text: cheap\n",
    }
    tree = read(a_tree(tmp_path, files))
    places = {word: [posting.place for posting in found] for word, found in tree.postings.items()}
    assert places["cart"] == [Place.NAMED]
    assert (places["shopper"], places["pay"]) == ([Place.DEFINED], [Place.DEFINED])
    assert (places["card"], places["voucher"]) == ([Place.MENTIONED], [Place.MENTIONED])
    assert (places["refund"], places["gift"]) == ([Place.DEFINED], [Place.DEFINED])
    assert places["cheap"] == [Place.MENTIONED]
    assert [posting.times for posting in tree.postings["card"]] == [2]


def test_code_is_read_where_a_folder_beside_it_holds_more_than_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_FILES", 3)
    deep = dict.fromkeys([f"fixtures/{i}/x.txt" for i in range(5)], "x")
    assert "src/a.py" in read_files(tmp_path, {**deep, "src/a.py": "x"})


def test_code_is_read_before_data_that_is_more_than_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 200_000)
    data = dict.fromkeys([f"data/{i}.json" for i in range(5)], "x" * 100_000)
    assert read_files(tmp_path, {**data, "src/a.py": "x"}) == ["src/a.py", "data/0.json"]


@pytest.mark.parametrize("line", ["!", "[z-a]", "\\", "*" * 40 + "x", "a*" * 30 + "b", "**/" * 50])
def test_a_pattern_that_is_none_or_takes_for_ever_ignores_nothing(
    tmp_path: Path, line: str
) -> None:
    files: dict[str, str | bytes] = {".gitignore": f"{line}\n*.log\n", "a.log": "x", "a" * 60: "x"}
    assert read_files(tmp_path, files) == [".gitignore", "a" * 60]


@pytest.mark.parametrize("name", [b"caf\xe9.py", b"a\nb.py", b"a\xe2\x80\xaeyp.b"])
def test_a_file_whose_name_no_answer_can_hold_is_left_out(tmp_path: Path, name: bytes) -> None:
    (tmp_path / os.fsdecode(name)).write_text("x")
    assert read_files(tmp_path, {"b.py": "x"}) == ["b.py"]
