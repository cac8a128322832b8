"""Damaged .npy files given to every verb that reads some: one line, status 2."""

from pathlib import Path

import pytest

from softd3d.samples import sample

SHADER = sample("cs_atomic_compare_store_typed.cs_5_0.dxbc")
HEADER = b"{'descr': '<u4', 'fortran_order': False, 'shape': (8, 8), }"
DAMAGED = {
    "an open brace": b"{" + HEADER,
    "no end": HEADER[:-3],
    "too large": HEADER.replace(b"(8, 8)", b"(80000, 800000)"),
    "objects": HEADER.replace(b"<u4", b"|O"),
}


@pytest.mark.parametrize("kind", DAMAGED)
@pytest.mark.parametrize(
    "arguments",
    [
        ["view-image", "a.npy", "--format", "D24S8", "-o", "out.png"],
        ["blt", "a.npy", "zeros:8x8:float32", "--from", "D24S8", "--to", "D32F_LOCKABLE",
         "-o", "out.npy"],
        ["convert", "a.npy", "out.dds", "--format", "R32_UINT"],
        ["run", str(SHADER), "--groups", "1", "--uav", "0=a.npy", "--uav", "1=none"],
    ],
    ids=lambda arguments: arguments[0],
)  # fmt: skip
def test_damaged_file(cli, tmp_path, monkeypatch, arguments, kind):
    monkeypatch.chdir(tmp_path)
    header = DAMAGED[kind]
    Path("a.npy").write_bytes(
        b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + bytes(256)
    )
    result = cli(*arguments)
    assert result.exit_code == 2
    assert "a.npy: not a NumPy .npy file of numbers: " in result.output
    assert result.output.count("\n") == 1
