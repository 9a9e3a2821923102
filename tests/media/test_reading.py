"""Reading files inside a folder and nowhere else."""

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from ccweb.media import reading
from ccweb.media.errors import ImageNotFound, ImageTooLarge, PathOutside
from ccweb.media.reading import read
from ccweb.media.rules import LIMIT_BYTES


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    """Return a working directory with one file, beside a folder with a secret."""
    (tmp_path / "cwd" / "shots").mkdir(parents=True)
    (tmp_path / "cwd" / "shots" / "till.png").write_bytes(b"till")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "till.png").write_bytes(b"secret")
    return tmp_path / "cwd"


# --- inside --------------------------------------------------------------------------------------


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize(
    "path", ["shots/till.png", "./shots/../shots/till.png", "{cwd}/shots/till.png"]
)
def test_a_file_inside_is_read_by_any_of_its_names(cwd: Path, path: str) -> None:
    assert read(path.format(cwd=cwd), cwd=str(cwd)) == b"till"


@pytest.mark.requirement("R-U4")
def test_symlinks_that_stay_inside_are_followed(cwd: Path) -> None:
    (cwd / "latest").symlink_to("shots")
    (cwd / "last.png").symlink_to(cwd / "latest" / "till.png")
    assert read("last.png", cwd=str(cwd)) == b"till"


@pytest.mark.requirement("R-U4")
def test_a_working_directory_may_itself_be_a_symlink(cwd: Path) -> None:
    (cwd.parent / "link").symlink_to(cwd)
    assert read(f"{cwd}/shots/till.png", cwd=str(cwd.parent / "link")) == b"till"
    assert read("shots/till.png", cwd=str(cwd.parent / "link")) == b"till"


@pytest.mark.requirement("R-U4")
def test_a_tilde_is_a_name_like_any_other(cwd: Path) -> None:
    (cwd / "~").mkdir()
    (cwd / "~" / "till.png").write_bytes(b"here")
    assert read("~/till.png", cwd=str(cwd)) == b"here"


@pytest.mark.requirement("R-U4")
def test_a_file_of_exactly_the_limit_is_read(cwd: Path) -> None:
    with (cwd / "large").open("wb") as file:
        file.truncate(LIMIT_BYTES)
    assert len(read("large", cwd=str(cwd))) == LIMIT_BYTES


# --- outside -------------------------------------------------------------------------------------


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize(
    "path",
    [
        "../outside/till.png",
        "shots/../../outside/till.png",
        "{cwd}/../outside/till.png",
        "{outside}/till.png",
        "/etc/passwd",
        "../outside/no such file",
        "no such folder/../../outside/till.png",
        "..",
        "/",
        "{cwd}-beside/till.png",
    ],
)
def test_a_path_that_leads_out_is_refused_whether_or_not_there_is_a_file(
    cwd: Path, path: str
) -> None:
    given = path.format(cwd=cwd, outside=cwd.parent / "outside")
    with pytest.raises(PathOutside):
        read(given, cwd=str(cwd))


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize("target", ["../outside/till.png", "{outside}/till.png", "/etc/passwd"])
def test_a_symlink_that_leads_out_is_refused(cwd: Path, target: str) -> None:
    (cwd / "in.png").symlink_to(target.format(outside=cwd.parent / "outside"))
    with pytest.raises(PathOutside):
        read("in.png", cwd=str(cwd))


@pytest.mark.requirement("R-U4", "R-S4")
def test_a_symlink_of_a_folder_that_leads_out_is_refused(cwd: Path) -> None:
    (cwd / "folder").symlink_to(cwd.parent / "outside")
    with pytest.raises(PathOutside):
        read("folder/till.png", cwd=str(cwd))


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize("swapped", ["shots", "shots/till.png"])
def test_a_symlink_swapped_in_after_the_check_is_not_followed(
    cwd: Path, monkeypatch: pytest.MonkeyPatch, swapped: str
) -> None:
    opened = reading._opened

    def swap_then_open(folder: Path, names: tuple[str, ...]) -> object:
        outside = cwd.parent / "outside"
        (cwd / swapped).rename(cwd / "aside")
        (cwd / swapped).symlink_to(outside if swapped == "shots" else outside / "till.png")
        return opened(folder, names)

    monkeypatch.setattr(reading, "_opened", swap_then_open)
    with pytest.raises(ImageNotFound):
        read("shots/till.png", cwd=str(cwd))


# --- no file to read -----------------------------------------------------------------------------


@pytest.fixture
def a_socket(cwd: Path) -> Iterator[str]:
    """Return the name of a socket in the working directory."""
    here = Path.cwd()
    os.chdir(cwd)  # a socket's address is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        os.chdir(here)
        yield "socket"


@pytest.mark.requirement("R-U4", "R-S4")
async def test_a_fifo_is_refused_at_once(cwd: Path) -> None:
    os.mkfifo(cwd / "fifo")
    with anyio.fail_after(5), pytest.raises(ImageNotFound):
        await anyio.to_thread.run_sync(lambda: read("fifo", cwd=str(cwd)), abandon_on_cancel=True)


@pytest.mark.requirement("R-U4", "R-S4")
def test_a_socket_is_refused(cwd: Path, a_socket: str) -> None:
    with pytest.raises(ImageNotFound):
        read(a_socket, cwd=str(cwd))


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize("device", ["null", "zero", "random", "tty"])
def test_a_device_is_refused_even_where_the_working_directory_holds_it(device: str) -> None:
    with pytest.raises(ImageNotFound):
        read(device, cwd="/dev")


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize("path", ["shots", ".", "", "shots/", "{cwd}"])
def test_a_directory_is_refused(cwd: Path, path: str) -> None:
    with pytest.raises(ImageNotFound):
        read(path.format(cwd=cwd), cwd=str(cwd))


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize(
    "path", ["none.png", "none/till.png", "shots/till.png/more", "a\x00b", "n" * 300, "x/" * 2500]
)
def test_a_path_to_nothing_is_refused(cwd: Path, path: str) -> None:
    with pytest.raises(ImageNotFound):
        read(path, cwd=str(cwd))


@pytest.mark.requirement("R-U4", "R-S4")
def test_a_loop_of_symlinks_is_refused(cwd: Path) -> None:
    (cwd / "a").symlink_to("b")
    (cwd / "b").symlink_to("a")
    with pytest.raises(ImageNotFound):
        read("a", cwd=str(cwd))


@pytest.mark.requirement("R-U4", "R-S4")
def test_a_working_directory_that_is_gone_is_refused(cwd: Path) -> None:
    with pytest.raises(ImageNotFound):
        read("till.png", cwd=str(cwd / "gone"))


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_is_refused(cwd: Path) -> None:
    (cwd / "shots" / "till.png").chmod(0)
    with pytest.raises(ImageNotFound):
        read("shots/till.png", cwd=str(cwd))


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.skipif(sys.platform != "linux", reason="such a file is Linux's own")
def test_a_file_that_fails_while_it_is_read_is_refused() -> None:
    with pytest.raises(ImageNotFound):
        read("mem", cwd="/proc/self")


@pytest.mark.requirement("R-U4", "R-S4")
def test_a_file_of_one_byte_more_than_the_limit_is_refused(cwd: Path) -> None:
    with (cwd / "large").open("wb") as file:
        file.truncate(LIMIT_BYTES + 1)
    with pytest.raises(ImageTooLarge) as refused:
        read("large", cwd=str(cwd))
    assert refused.value.size_bytes == LIMIT_BYTES + 1


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.skipif(sys.platform != "linux", reason="such a file is Linux's own")
def test_a_file_that_hides_its_size_is_read_no_further_than_the_limit() -> None:
    with pytest.raises(ImageTooLarge) as refused:
        read("pagemap", cwd="/proc/self")
    assert refused.value.size_bytes == LIMIT_BYTES + 1


@pytest.mark.requirement("R-S4")
def test_no_descriptor_is_left_open(cwd: Path) -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    read("shots/till.png", cwd=str(cwd))
    for path in ("none", "shots", "../outside/till.png"):
        with pytest.raises((ImageNotFound, PathOutside)):
            read(path, cwd=str(cwd))
    assert len(list(Path("/dev/fd").iterdir())) == before
