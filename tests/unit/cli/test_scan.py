"""`softd3d scan`: files, folders, archives, extraction."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zipfile
import zlib
from pathlib import Path

import pytest

from softd3d.cli import many
from softd3d.cli.verbs import scan
from softd3d.container.dxbc.container import Chunk, build
from softd3d.tools.scan import archives

NAME = "cs_mandelbrot.cs_5_0.dxbc"
PS_2_0 = bytes.fromhex("0002ffff 01000002 00080f80 0000e4a0 ffff0000")
DXIL = build([Chunk("DXIL", bytes.fromhex("60000000 02000000"))])


@pytest.fixture
def folder(library: Path) -> Path:
    """Three files with four shaders in a folder of the test."""
    shader = (library / NAME).read_bytes()
    root = library / "game"
    (root / "data").mkdir(parents=True)
    (root / "a.exe").write_bytes(b"MZ" + bytes(61) + shader + b"??" + PS_2_0)
    (root / "data" / "b.pak").write_bytes(DXIL + b"x" + shader[:4] + b"\0" + shader[5:])
    (root / "data" / "c.txt").write_text("DXBC is a magic number")
    (root / "data" / "empty").write_bytes(b"")
    return root


def found(result) -> list[tuple[str, int, str, str]]:
    assert "--decompress looks into such" in result.stderr or result.stderr == ""
    assert result.exit_code == 0
    return [(h["file"], h["offset"], h["kind"], h["profile"]) for h in json.loads(result.stdout)]


EXPECTED = [
    ("game/a.exe", 63, "DXBC", "cs_5_0"),
    ("game/a.exe", 1525, "SM1-3", "ps_2_0"),
    ("game/data/b.pak", 0, "DXIL", "ps_6_0"),
    ("game/data/b.pak", 53, "DXBC", "cs_5_0"),
]


def test_folders(cli, folder):
    assert found(cli("scan", "--json", "game")) == EXPECTED


def test_folders_in_several_processes(cli, folder, monkeypatch):
    monkeypatch.setattr(scan, "_PARALLEL_BYTES", 0)
    monkeypatch.setattr(many, "available_cores", lambda: 2)
    assert found(cli("scan", "--json", "game")) == EXPECTED


def test_text(cli, folder, library):
    shader = hashlib.sha256((library / NAME).read_bytes()).hexdigest()
    lines = cli("scan", "game").stdout.splitlines()
    assert lines[0] == (
        f"game/a.exe@0x3f: DXBC, cs_5_0, 1460 bytes, retail checksum, SHA-256 {shader}"
    )
    assert lines[1] == (
        "game/a.exe@0x5f5: SM1-3, ps_2_0, 20 bytes, SHA-256 " + hashlib.sha256(PS_2_0).hexdigest()
    )
    assert "DXBC, cs_5_0, 1460 bytes, checksum WRONG, SHA-256 " in lines[3]


def test_json_has_all_facts(cli, folder):
    hit = json.loads(cli("scan", "--json", "game/a.exe").stdout)[0]
    assert hit.pop("sha256")
    assert hit == {
        "file": "game/a.exe", "member": None, "offset": 63, "bytes": 1460, "kind": "DXBC",
        "profile": "cs_5_0", "checksum": "retail", "checksum_ok": True, "parent": None,
    }  # fmt: skip


def test_nested(cli):
    data = build([Chunk("Aon9", PS_2_0)])
    assert len(found(cli("scan", "--json", "-", stdin=data))) == 1
    hits = json.loads(cli("scan", "--json", "--nested", "-", stdin=data).stdout)
    assert [(h["offset"], h["parent"], h["profile"]) for h in hits] == [
        (0, None, ""),
        (44, 0, "ps_2_0"),
    ]


def test_extract(cli, folder, library):
    result = cli("scan", "game", "--extract", "out")
    assert (result.exit_code, result.stderr) == (0, "")
    out = library / "out"
    files = {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    assert set(files) == {
        "a.exe@0x3f.cs_5_0.dxbc",
        "a.exe@0x5f5.ps_2_0.bin",
        "data/b.pak@0x0.ps_6_0.dxbc",
        "data/b.pak@0x35.cs_5_0.dxbc",
    }
    assert files["a.exe@0x3f.cs_5_0.dxbc"] == (library / NAME).read_bytes()
    assert files["a.exe@0x5f5.ps_2_0.bin"] == PS_2_0
    assert cli("scan", "game", "--extract", "out").exit_code == 0  # the same again is fine


def test_extract_overwrites_nothing(cli, folder, library):
    target = library / "out" / "a.exe@0x5f5.ps_2_0.bin"
    target.parent.mkdir()
    target.write_text("precious")
    result = cli("scan", "game/a.exe", "--extract", "out")
    assert result.exit_code == 2
    assert result.stderr == (
        "softd3d: game/a.exe: out/a.exe@0x5f5.ps_2_0.bin exists with other contents and is left as "
        "it is\n"
    )
    assert target.read_text() == "precious"
    assert (library / "out" / "a.exe@0x3f.cs_5_0.dxbc").exists()


def test_compressed_files(cli, library):
    shader = (library / NAME).read_bytes()
    (library / "a.gz").write_bytes(gzip.compress(b"?" + shader))
    (library / "b.z").write_bytes(zlib.compress(PS_2_0))
    with zipfile.ZipFile(library / "c.zip", "w") as archive:
        archive.writestr("../up/x.cso", PS_2_0 * 40, zipfile.ZIP_DEFLATED)
        archive.writestr("stored.cso", shader, zipfile.ZIP_STORED)
    plain = found(cli("scan", "--json", "a.gz", "b.z", "c.zip"))
    assert [(file, profile) for file, _, _, profile in plain] == [("c.zip", "cs_5_0")]
    result = cli("scan", "--json", "--decompress", "a.gz", "b.z", "c.zip", "--extract", "out")
    hits = json.loads(result.stdout)
    assert [(h["file"], h["member"], h["offset"]) for h in hits[:2]] == [
        ("a.gz", "a", 1),
        ("b.z", "zlib", 0),
    ]
    assert hits[2]["member"] is None
    assert [(h["member"], h["offset"]) for h in hits[3:]] == [
        ("../up/x.cso", 20 * n) for n in range(40)
    ]
    assert result.stderr == ""
    assert (library / "out" / "c.zip" / "up" / "x.cso@0x14.ps_2_0.bin").read_bytes() == PS_2_0
    assert (library / "out" / "a.gz" / "a@0x1.cs_5_0.dxbc").read_bytes() == shader


def test_gzip_files_of_several_members(cli, library):
    (library / "a.gz").write_bytes(gzip.compress(PS_2_0) + gzip.compress(PS_2_0) + b"padding")
    hits = json.loads(cli("scan", "--json", "--decompress", "a.gz").stdout)
    assert [hit["offset"] for hit in hits] == [0, 20]


def test_damaged_and_large_members(cli, library, monkeypatch):
    monkeypatch.setattr(archives, "MAX_MEMBER_BYTES", 300)
    (library / "cut.gz").write_bytes(gzip.compress(PS_2_0 + bytes(range(256)))[:-20])
    (library / "large.gz").write_bytes(gzip.compress(PS_2_0 + bytes(400)))
    with zipfile.ZipFile(library / "bad.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x", PS_2_0 * 4)
    data = bytearray((library / "bad.zip").read_bytes())
    data[31] ^= 0xFF
    (library / "bad.zip").write_bytes(data)
    result = cli("scan", "--json", "--decompress", "cut.gz", "large.gz", "bad.zip")
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert lines[:2] == [
        "softd3d: cut.gz: cut: the compressed data ends early",
        "softd3d: large.gz: large: only the first 300 bytes were looked at",
    ]
    assert lines[2].startswith("softd3d: bad.zip: x: ")
    files = dict.fromkeys(hit["file"] for hit in json.loads(result.stdout))
    assert list(files)[:2] == ["cut.gz", "large.gz"]


def test_archives_are_bounded(cli, library, monkeypatch):
    monkeypatch.setattr(archives, "MAX_ARCHIVE_BYTES", 30)
    monkeypatch.setattr(archives, "MAX_MEMBERS", 3)
    with zipfile.ZipFile(library / "many.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(5):
            archive.writestr(str(number), PS_2_0)
    result = cli("scan", "--json", "--decompress", "many.zip")
    assert [hit["member"] for hit in json.loads(result.stdout)] == ["0", "1"]
    assert result.stderr.splitlines() == [
        "softd3d: many.zip: zip: 5 members, only 3 were looked at",
        "softd3d: many.zip: zip: unpacks to more than 30 bytes, stopped",
    ]


def test_nothing_is_said_to_be_found(cli, folder):
    for options in ([], ["--json"]):
        result = cli("scan", *options, "game/data/c.txt", "game/data/empty")
        assert (result.exit_code, result.stderr) == (0, "softd3d: no shaders found\n")


def test_a_file_that_cannot_be_written_is_named(cli, folder, library):
    (library / "out").mkdir()
    (library / "out/a.exe@0x3f.cs_5_0.dxbc").mkdir()
    (library / "file").write_text("")
    for target, message in (
        ("out", "out/a.exe@0x3f.cs_5_0.dxbc: Is a directory"),
        ("file", "file: Not a directory"),
    ):
        result = cli("scan", "game/a.exe", "--extract", target)
        assert (result.exit_code, result.stderr) == (2, f"softd3d: {message}\n")


def test_what_cannot_be_read(cli, folder, library):
    os.mkfifo(library / "pipe")
    result = cli("scan", "none", "pipe", "game/a.exe")
    assert result.exit_code == 2
    assert result.stderr == (
        "softd3d: none: No such file or directory\nsoftd3d: pipe: neither a file nor a folder\n"
    )
    assert len(result.stdout.splitlines()) == 2


def test_links_and_pipes_in_folders_are_passed_over(cli, folder):
    (folder / "loop").symlink_to(folder)
    (folder / "link").symlink_to(folder / "a.exe")
    os.mkfifo(folder / "pipe")
    assert len(found(cli("scan", "--json", "game"))) == 4


def test_an_interrupt_leaves_without_a_traceback(cli, folder, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(scan, "_scan", interrupted)
    result = cli("scan", "game")
    assert result.exit_code == 130
    assert result.stderr.strip() == "softd3d: interrupted"


@pytest.mark.corpus
def test_all_corpus_binaries_come_back(cli, library, shared):
    """A made-up archive with every binary in it, and something between them."""
    paths = sorted((shared / "corpus" / "binaries").rglob("*.bin"))[::7]
    binaries = [path.read_bytes() for path in paths if "__fx_2_0__" not in path.name]
    (library / "all").write_bytes(b"between".join(binaries))
    hits = json.loads(cli("scan", "--json", "all").stdout)
    assert [h["sha256"] for h in hits] == [hashlib.sha256(b).hexdigest() for b in binaries]
    names = [path.name.split("__")[1] for path in paths if "__fx_2_0__" not in path.name]
    assert [h["profile"] for h in hits] == [name.removeprefix("dxil_") for name in names]
