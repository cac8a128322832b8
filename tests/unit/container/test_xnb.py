"""Content files of XNA: the header, the table of readers, and effects within."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.container.effects.d3d9.effect import build_effect9, parse_effect9
from softd3d.container.effects.magic import XNA4
from softd3d.container.effects.xnb import (
    TypeReader,
    XnbFlags,
    build_xnb,
    effect_code,
    is_xnb,
    parse_xnb,
    type_readers,
    with_effect_code,
)
from softd3d.errors import ContainerError, ShaderError
from softd3d.shaders.identify import Kind, identify

EFFECT = (Path(__file__).parent / "data/effect9/samplers.47.fxo").read_bytes()
CODE = struct.pack("<4I", XNA4, 16, 0, 0) + EFFECT
READER = (
    "Microsoft.Xna.Framework.Content.EffectReader, Microsoft.Xna.Framework.Graphics, "
    "Version=4.0.0.0, Culture=neutral, PublicKeyToken=842cf8be1de50553"
)


def number(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + number(rest) if rest else bytes([low])


def content(code: bytes = CODE, reader: str = READER, which: int = 1, flags: int = 1) -> bytes:
    name = reader.encode()
    asset = number(1) + number(len(name)) + name + struct.pack("<i", 0) + number(0)
    asset += number(which) + struct.pack("<I", len(code)) + code
    return b"XNBw\x05" + bytes([flags]) + struct.pack("<I", 10 + len(asset)) + asset


def test_content_files_come_back() -> None:
    data = content()
    xnb = parse_xnb(data)
    assert (xnb.platform, xnb.version, xnb.flags) == ("w", 5, XnbFlags.HIDEF)
    assert type_readers(xnb) == (TypeReader(READER, 0),)
    assert build_xnb(xnb) == data
    assert build_xnb(parse_xnb(data + b"more")) == data + b"more"


def test_effects_are_taken_out() -> None:
    code = effect_code(parse_xnb(content()))
    assert code == CODE
    assert build_effect9(parse_effect9(code)) == code


def test_effects_are_replaced() -> None:
    changed = build_xnb(with_effect_code(parse_xnb(content()), CODE + bytes(8)))
    assert changed == content(CODE + bytes(8))
    assert effect_code(parse_xnb(changed)) == CODE + bytes(8)


def test_content_decides_what_it_is() -> None:
    assert identify(content()).kind is Kind.XNB
    assert not is_xnb(b"XNB")
    assert identify(b"XNB").kind is Kind.UNKNOWN


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "3 bytes at 0x0 leave"),
        (b"XNA" + bytes(20), "no XNB at the start"),
        (content(flags=0x81), "compressed with LZX, which is not supported"),
        (content(flags=0x40), "compressed with LZ4, which is not supported"),
        (content()[:-1], "size is .*, wanted 10 to"),
        (b"XNBw\x05\0" + struct.pack("<I", 9), "size is 9, wanted 10 to 10"),
    ],
)
def test_what_cannot_be_read_is_an_error(data: bytes, message: str) -> None:
    with pytest.raises(ContainerError, match=message):
        parse_xnb(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            content(reader="Microsoft.Xna.Framework.Content.Texture2DReader"),
            "the asset is for Microsoft.Xna.Framework.Content.Texture2DReader, wanted",
        ),
        (content(which=0), "the asset is read by reader 0 of 1"),
        (content(which=2), "the asset is read by reader 2 of 1"),
        (b"XNBw\x05\0" + struct.pack("<I", 16) + b"\x80" * 6, "a number of more than 5 bytes"),
        (b"XNBw\x05\0" + struct.pack("<I", 12) + b"\x81\x02", "257 readers, wanted at most 256"),
        (b"XNBw\x05\0" + struct.pack("<I", 12) + b"\x01\x7f", "127 bytes at 0x2 leave"),
    ],
)
def test_assets_without_an_effect_are_errors(data: bytes, message: str) -> None:
    with pytest.raises(ContainerError, match=message):
        effect_code(parse_xnb(data))


def test_numbers_must_fit() -> None:
    xnb = parse_xnb(content())
    for broken in (replace(xnb, version=256), replace(xnb, platform="\u20ac")):
        with pytest.raises(ContainerError, match="does not fit 8 bits"):
            build_xnb(broken)


@given(st.binary(max_size=60), st.integers(0, 255))
def test_any_asset_reads_or_raises(asset: bytes, flags: int) -> None:
    data = b"XNBw\x05" + bytes([flags]) + struct.pack("<I", 10 + len(asset)) + asset
    try:
        xnb = parse_xnb(data)
        assert build_xnb(xnb) == data
        effect_code(xnb)
    except ShaderError as error:
        assert str(error)
