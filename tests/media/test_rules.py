"""Base64, as strict as it must be and no stricter."""

import base64

import pytest

from ccweb.errors import InvalidParams
from ccweb.media.errors import ImageTooLarge
from ccweb.media.rules import DATA_LIMIT_BYTES, decoded

CONTENT = bytes(range(256)) * 3 + b"x"


@pytest.mark.requirement("R-U4")
def test_base64_is_decoded_with_white_space_or_without() -> None:
    assert decoded(base64.b64encode(CONTENT).decode()) == CONTENT
    assert decoded("\t " + base64.encodebytes(CONTENT).decode().replace("\n", "\r\n")) == CONTENT


@pytest.mark.requirement("R-U4")
def test_two_mebibytes_are_decoded_and_one_byte_more_is_too_large() -> None:
    largest = bytes(DATA_LIMIT_BYTES)
    assert decoded(base64.b64encode(largest).decode()) == largest
    with pytest.raises(ImageTooLarge) as refused:
        decoded(base64.b64encode(largest + b"x").decode())
    assert refused.value.size_bytes == DATA_LIMIT_BYTES + 1


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize(
    "data", ["no base64!", "Zg=", "Zg", "Zg==Zg==", "====", "Zm9v-_8=", "图片", "Z\x00g=", "Zg==x"]
)
def test_garbage_is_refused(data: str) -> None:
    with pytest.raises(InvalidParams):
        decoded(data)


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize("before", ["data:image/png;base64,", " DATA:,"])
def test_a_data_url_is_refused_and_told_why(before: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        decoded(before + base64.b64encode(CONTENT).decode())
    assert "data:" in refused.value.why
