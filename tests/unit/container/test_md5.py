"""The state of MD5: OpenSSL's function and the rounds written out agree; without OpenSSL, too."""

from __future__ import annotations

import ctypes
import hashlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.container.dxbc import md5
from softd3d.container.dxbc.checksum import computed_checksum


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the library not be found, as in a Python without OpenSSL."""
    monkeypatch.setattr(md5, "openssl", lambda: None)


def test_is_that_of_hashlib() -> None:
    message = bytes(range(100))
    end = b"\x80" + bytes(128 - 100 - 9) + struct.pack("<Q", 800)
    state = struct.pack("<4I", *md5.state_after(message + end))
    assert state == hashlib.md5(message, usedforsecurity=False).digest()


@given(st.binary(max_size=300))
def test_checksum_is_the_same_without_the_library(data: bytes) -> None:
    expected = computed_checksum(b"DXBC" + bytes(16) + data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(md5, "openssl", lambda: None)
        assert computed_checksum(b"DXBC" + bytes(16) + data) == expected


@pytest.mark.usefixtures("no_library")
def test_known_checksum_without_the_library() -> None:
    checksum = computed_checksum(b"DXBC" + bytes(28))
    assert checksum.hex() == "e55305cd46c414ba2586e02e1981aa12"


@pytest.mark.parametrize("error", [OSError, AttributeError])
def test_a_library_that_cannot_be_loaded_is_done_without(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def refuse(_: str) -> None:
        raise error

    monkeypatch.setattr(ctypes, "CDLL", refuse)
    assert md5.openssl.__wrapped__() is None  # without what it remembers
