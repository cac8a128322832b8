"""`softd3d hash`."""

from __future__ import annotations

import hashlib
import json
import zlib

import pytest

NAME = "cs_mandelbrot.cs_5_0.dxbc"

TEXT = """\
cs_mandelbrot.cs_5_0.dxbc: 1460 bytes
  checksum           f738a7ac90fc25c56f2e75fcc6705e40 (right, retail)
  sha256             fd43ab2d29b4c86bfae8e427ee3631326541761b3570f387306b2848a397465a
  sha1               0ec3a6b764e7dc748cfb8df54f26e9ef1e100e99
  crc32              0xB0049FFC
  fnv1               4574dca837996ca4
  3dmigoto-fnv       eaf52564091d5f29
  3dmigoto-embedded  f738a7ac90fc25c5
  3dmigoto-bytecode  000000006b44782f
"""


def test_all_kinds(cli, library):
    result = cli("hash", NAME)
    assert (result.exit_code, result.stdout, result.stderr) == (0, TEXT, "")
    data = (library / NAME).read_bytes()
    assert hashlib.sha1(data).hexdigest() in TEXT  # noqa: S324 - DXVK's choice
    assert f"0x{zlib.crc32(data):08X}" in TEXT


def test_one_kind_is_a_line_for_each_file(cli, library):
    (library / "text").write_bytes(b"123456789")
    result = cli("hash", "--kind", "crc32", "text", "-", stdin=b"")
    assert result.stdout == "0xCBF43926  text\n0x00000000  -\n"
    result = cli("hash", "--kind", "3dmigoto-embedded", "text", NAME)
    assert result.stdout == f"-  text\nf738a7ac90fc25c5  {NAME}\n"


def test_json(cli, library):
    data = bytearray((library / NAME).read_bytes())
    data[4] ^= 1
    (library / "wrong").write_bytes(data)
    result = cli("hash", "--json", "wrong", "-", stdin=b"foobar")
    wrong, other = json.loads(result.stdout)
    assert (wrong["checksum_ok"], wrong["checksum_kind"]) == (False, None)
    assert wrong["3dmigoto-embedded"] == "f638a7ac90fc25c5"
    assert other["fnv1"] == "340d8765a4dda9c2"
    assert other["checksum"] is None
    assert "checksum_ok" not in other
    assert other["bytes"] == 6


def test_a_wrong_checksum_is_told(cli, library):
    data = bytearray((library / NAME).read_bytes())
    data[4] ^= 1
    result = cli("hash", "--kind", "checksum", "--kind", "sha1", "-", stdin=bytes(data))
    assert result.exit_code == 0
    assert "checksum  f638a7ac90fc25c56f2e75fcc6705e40 (WRONG)\n" in result.stdout


def test_files_that_cannot_be_read(cli):
    result = cli("hash", "--kind", "sha256", "none", NAME)
    assert result.exit_code == 2
    assert result.stderr == "softd3d: none: No such file or directory\n"
    assert result.stdout.endswith(f"  {NAME}\n")


@pytest.mark.parametrize("arguments", [[], ["--kind", "md5", NAME]])
def test_wrong_usage(cli, arguments):
    assert cli("hash", *arguments).exit_code == 2
