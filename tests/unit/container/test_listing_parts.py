"""Parts of listings: dynamic linkage, level 9, debug information, libraries, the older dialect.

The files in data/listing are our own HLSL, compiled by Microsoft's compilers, with the listings of
d3dcompiler_47 (.asm) and d3dcompiler_43 (.43.asm).
"""

from __future__ import annotations

import random
import re
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from softd3d.container.debug.pdb import MAGIC, extract_pdb, parse_pdb
from softd3d.container.debug.pdb_symbols import pdb_information
from softd3d.container.debug.sdbg import DebugComponent, build_sdbg, parse_sdbg
from softd3d.container.dxbc.container import Chunk, Container, build, parse
from softd3d.container.dxbc.level9 import (
    LEVEL9_CHUNKS,
    ConstantMapping,
    Level9Program,
    RegisterMapping,
    RuntimeConstantMapping,
    SamplerMapping,
    build_level9,
    parse_level9,
)
from softd3d.container.listing.container import container_listing
from softd3d.container.listing.interfaces import interface_lines
from softd3d.container.listing.level9 import level9_lines
from softd3d.container.reflection.interfaces import (
    ClassInstance,
    ClassType,
    Interfaces,
    InterfaceSlots,
    build_interfaces,
    parse_interfaces,
)
from softd3d.errors import ContainerError, ShaderError
from softd3d.isa.asm.options import Dialect, ListingOptions, Literals

DATA = Path(__file__).parent / "data" / "listing"
NAMES = sorted(path.stem for path in DATA.glob("*.dxbc"))
OLD_NAMES = sorted(path.name.removesuffix(".43.asm") for path in DATA.glob("*.43.asm"))
OLD = ListingOptions(dialect=Dialect.D3D9_29)
RANGES = (DATA.parent / "sdbg_ranges.txt").read_text().splitlines()[2:]
INLINED = "inlined.cs_5_0.Zi"


def container(name: str) -> Container:
    return parse((DATA / f"{name}.dxbc").read_bytes())


def chunk(name: str, *fourccs: str) -> Chunk:
    found = container(name).find(*fourccs)
    assert found is not None
    return found


def golden(name: str) -> str:
    return (DATA / name).read_bytes().decode("latin-1")


def replace_ranges(name: str, type_: int, numbers: list[int]) -> Container:
    """Return a container whose SDBG says the same of each variable: its type, what it can be."""
    original = container(name)
    tables = parse_sdbg(chunk(name, "SDBG"))
    unsigned, signed, floats = ((numbers[at], numbers[at + 1]) for at in (0, 2, 4))

    def known(c: DebugComponent) -> DebugComponent:
        return DebugComponent(c.variable, unsigned, signed, floats, *numbers[6:])

    instructions = tuple(
        replace(i, outputs=tuple(
            replace(o, components=tuple(map(known, o.components))) for o in i.outputs
        ))
        for i in tables.instructions
    )  # fmt: skip
    variables = tuple(replace(v, type=type_, component=0) for v in tables.variables)
    data = build_sdbg(replace(tables, instructions=instructions, variables=variables))
    return parse(
        build([replace(c, data=data) if c.fourcc == "SDBG" else c for c in original.chunks])
    )


@pytest.mark.parametrize("name", NAMES)
def test_listings_are_identical(name: str) -> None:
    assert container_listing(container(name)) == golden(f"{name}.asm")


@pytest.mark.parametrize("name", OLD_NAMES)
def test_listings_in_the_older_dialect_are_identical(name: str) -> None:
    assert container_listing(container(name), OLD) == golden(f"{name}.43.asm")


@pytest.mark.parametrize("name", [INLINED, "ranges.ps_5_0.Zi_by_43", "inlined.cs_5_1.Zi_Od"])
def test_without_debug_information_as_if_there_were_none(name: str) -> None:
    whole = container(name)
    bare = replace(whole, chunks=tuple(c for c in whole.chunks if c.fourcc not in ("SPDB", "SDBG")))
    text = container_listing(whole, ListingOptions(debug=False))
    assert text == container_listing(bare)
    assert "#line" not in text
    assert "#line" in container_listing(whole)


def test_options_reach_the_code_of_level_9() -> None:
    name = "level9.vs_4_0_level_9_3.Zi"
    options = ListingOptions(literals=Literals.HEX, numbers=True, offsets=True)
    assert container_listing(container(name), options) == golden(f"{name}.a4.asm")


def test_code_only_leaves_out_the_header() -> None:
    whole = container_listing(container("linkage.ps_5_0"))
    code = container_listing(container("linkage.ps_5_0"), ListingOptions(code_only=True))
    assert code.startswith("ps_5_0\n")
    assert whole.endswith(f"{code}// Approximately {whole.split()[-4]} instruction slots used\n")


class TestInterfaces:
    def test_build_gives_the_same_bytes(self) -> None:
        original = chunk("linkage.ps_5_0", "IFCE")
        assert build_interfaces(parse_interfaces(original)) == original.data

    def test_what_the_chunk_says(self) -> None:
        interfaces = parse_interfaces(chunk("linkage.ps_5_0", "IFCE"))
        assert [slot.span for slot in interfaces.slots] == [1, 3]
        instances = {instance.name: instance for instance in interfaces.instances}
        assert instances["flats"].elements == 2
        assert instances["picture"].constant_buffer is None
        assert instances["picture"].base_texture == 0
        assert interfaces.types[instances["picture"].type].textures == 1

    def test_meaningless_dwords_are_kept(self) -> None:
        data = build_interfaces(Interfaces((), (), (), 3, (0xDEAD, 0xBEEF)))
        assert parse_interfaces(Chunk("IFCE", data)).unused == (0xDEAD, 0xBEEF)

    def test_longer_rows_lose_each_ninth_choice_as_microsofts_do(self) -> None:
        types = tuple(ClassType(f"T{n}", 0, 0, 0, 0) for n in range(12))
        slots = (
            InterfaceSlots(2, tuple(range(12)), tuple(range(12))),
            InterfaceSlots(1, (1,), (100000,)),
        )
        lines = interface_lines(Chunk("IFCE", build_interfaces(Interfaces(types, (), slots, 3))))
        assert lines[-8:] == [
            "// | Type ID  |   0-1   |0    1    2    3    4    5    6    7    ",
            "// | Table ID |         |0    1    2    3    4    5    6    7    ",
            "// | Type ID  |         |9    10   11   ",
            "// | Table ID |         |9    10   11   ",
            "// +----------+---------+---------------------------------------",
            "// | Type ID  |   4     |1    ",
            "// | Table ID |         |100000",
            "// +----------+---------+---------------------------------------",
        ]

    def test_an_instance_of_no_type_is_an_error(self) -> None:
        instance = ClassInstance("a", 1, 1, 0, 0, None, None)
        data = build_interfaces(Interfaces((ClassType("T", 0, 0, 0, 0),), (instance,), (), 0))
        with pytest.raises(ContainerError, match="a is of type 1, there are 1"):
            interface_lines(Chunk("IFCE", data))

    def test_overlapping_lists_are_limited(self) -> None:
        records = b"".join(struct.pack("<4I", 1, 4096, 36, 36) for _ in range(1100))
        head = struct.pack("<9I", 0, 0, 1100, 1100, 0, 0, 36, 0, 0)
        with pytest.raises(ContainerError, match="more than 65536 numbers"):
            parse_interfaces(Chunk("IFCE", head + records))

    def test_numbers_that_do_not_fit_cannot_be_built(self) -> None:
        with pytest.raises(ContainerError, match="cannot be built"):
            build_interfaces(Interfaces((ClassType("T", 0, 70000, 0, 0),), (), (), 0))


class TestLevel9:
    @pytest.mark.parametrize("name", [name for name in NAMES if "level_9" in name])
    def test_build_gives_the_same_bytes(self, name: str) -> None:
        programs = [c for c in container(name).chunks if c.fourcc in LEVEL9_CHUNKS]
        assert programs
        for program in programs:
            assert build_level9(parse_level9(program)) == program.data

    def test_level_9_0_has_programs_for_xna(self) -> None:
        whole = container("level9.vs_4_0_level_9_0")
        assert {c.fourcc for c in whole.chunks} >= set(LEVEL9_CHUNKS)
        lines = level9_lines(whole)
        titles = [line for line in lines if "bytecode" in line]
        assert titles == [
            "// Level9 shader bytecode:",
            "// XNA Prepass shader bytecode:",
            "// XNA shader bytecode:",
        ]

    def test_code_has_its_place_in_the_container(self) -> None:
        data = (DATA / "level9.vs_4_0_level_9_0.dxbc").read_bytes()
        program = parse_level9(chunk("level9.vs_4_0_level_9_0", "Aon9"))
        end = program.code_offset + len(program.code)
        assert data[program.code_offset : end] == program.code

    def test_tables_of_all_kinds(self) -> None:
        program = Level9Program(
            (0, 2),
            0xFFFE,
            struct.pack("<2I", 0xFFFE0200, 0xFFFF),
            (ConstantMapping(70, 4000, 5000, 300, (0, 1, 3, 4)),),
            (RegisterMapping(1, 2, 3, 4),),
            (RegisterMapping(60, 7000, 8, 90),),
            (SamplerMapping(1, 2, 3),),
            (RuntimeConstantMapping(1, 6), RuntimeConstantMapping(2, 7)),
        )
        lines = level9_lines(parse(build([Chunk("Aon9", build_level9(program))])))
        assert "// b90        cb60          7000         8" in lines
        assert "// i4         cb1              2         3" in lines
        assert "// c300       cb70         4000      5000  ( FLT,BOOL,UINT,UNKN)" in lines
        assert "// s3             s2              t1               " in lines
        assert f"// c6         {'Instance ID':>50}" in lines
        assert f"// c7         {'Unknown Value':>50}" in lines
        assert lines.index("// b90        cb60          7000         8") < lines.index(
            "// i4         cb1              2         3"
        )


class TestPdb:
    def test_named_streams_and_sources(self) -> None:
        pdb = parse_pdb(extract_pdb(chunk(INLINED, "SPDB")))
        assert {"/names", "/src/headerblock"} <= set(pdb.names)
        information = pdb_information(pdb)
        assert list(information.sources.values()) == [(DATA / "inlined.hlsl").read_bytes()]

    def test_lines_are_those_of_inlined_functions(self) -> None:
        information = pdb_information(parse_pdb(extract_pdb(chunk(INLINED, "SPDB"))))
        places = {(Path(line.file).suffix, line.line) for line in information.lines}
        assert (".hlsli", 40) in places
        assert (".hlsl", 3) in places

    def test_variables_have_places_and_scopes(self) -> None:
        information = pdb_information(parse_pdb(extract_pdb(chunk(INLINED, "SPDB"))))
        named = {location.name: location for location in information.locations}
        assert named["id.x"].register.component == 0
        assert named["all.x"].scope is None
        start, end = named["t"].scope or (0, 0)
        assert 0 < start < end

    def test_a_block_belongs_to_one_stream(self) -> None:
        data = bytearray(extract_pdb(chunk(INLINED, "SPDB")))
        size, *_, at = struct.unpack_from("<6I", data, len(MAGIC))
        directory = struct.unpack_from("<I", data, at * size)[0] * size
        count = struct.unpack_from("<I", data, directory)[0]
        first_block = directory + 4 + 4 * count
        data[first_block : first_block + 4] = data[first_block + 4 : first_block + 8]
        with pytest.raises(ContainerError, match="belongs to two streams"):
            parse_pdb(bytes(data))

    @pytest.mark.parametrize("data", [b"", b"DXBC", MAGIC, MAGIC + bytes(24)])
    def test_what_is_no_pdb(self, data: bytes) -> None:
        with pytest.raises(ContainerError, match="PDB"):
            parse_pdb(data)

    def test_a_chunk_without_pdb(self) -> None:
        with pytest.raises(ContainerError, match="SPDB: no PDB"):
            extract_pdb(Chunk("SPDB", b"nothing"))


class TestSdbg:
    NAME = "ranges.ps_5_0.Zi_by_43"

    def test_build_gives_the_same_bytes(self) -> None:
        original = chunk(self.NAME, "SDBG")
        assert build_sdbg(parse_sdbg(original)) == original.data

    def test_what_the_tables_say(self) -> None:
        tables = parse_sdbg(chunk(self.NAME, "SDBG"))
        assert tables.text(*tables.files[0].source).encode() == (DATA / "ranges.hlsl").read_bytes()
        names = {tables.symbol_name(variable.symbol) for variable in tables.variables}
        assert {"tint", "f", "table", "steps"} <= names

    @pytest.mark.parametrize("row", RANGES)
    def test_ranges_are_microsoft_s(self, row: str) -> None:
        *fields, wanted = row.split("|")
        type_, unsigned, signed, floats, flags = ([*map(int, f.split(","))] for f in fields)
        edited = replace_ranges(self.NAME, type_[0], [*unsigned, *signed, *floats, *flags])
        comments = re.findall(r"  // (\S.*>)$", container_listing(edited), re.MULTILINE)
        variable = rf"\S+?<0{re.escape(wanted)}(,0{re.escape(wanted)})*>"
        assert len(comments) > 5
        assert [c for c in comments if not re.fullmatch(rf"{variable}(, {variable})*", c)] == []

    def test_pools_in_another_order_are_refused(self) -> None:
        data = bytearray(chunk(self.NAME, "SDBG").data)
        data[76:84] = data[80:84] + data[76:80]
        with pytest.raises(ContainerError, match="SDBG: pools at"):
            parse_sdbg(Chunk("SDBG", bytes(data)))


@pytest.mark.parametrize("fourcc", ["SPDB", "SDBG", "IFCE", "Aon9", "LIBF"])
def test_damage_raises_only_shader_errors(fourcc: str) -> None:
    rng = random.Random(fourcc)
    seeds = [c for c in map(container, NAMES) if c.find(fourcc) is not None]
    refused = 0
    for _ in range(120):
        whole = rng.choice(seeds)
        data = {c.offset: bytearray(c.data) for c in whole.chunks}
        target = data[rng.choice([c.offset for c in whole.chunks if c.fourcc == fourcc])]
        for _ in range(rng.randint(1, 5)):
            at = rng.randrange(len(target)) & ~3
            target[at : at + 4] = struct.pack("<I", rng.choice((0, 1, 7, 0xFFFF, 0xFFFFFFFF)))
        chunks = [Chunk(c.fourcc, bytes(data[c.offset])) for c in whole.chunks]
        try:
            container_listing(parse(build(chunks)))
        except ShaderError:
            refused += 1
    assert refused > 0


@pytest.mark.corpus
def test_listings_of_all_samples_are_identical(shared: Path) -> None:
    paths = sorted((shared / "samples" / "sm4_5").glob("*.dxbc"))
    different = [
        path.name
        for path in paths
        if container_listing(parse(path.read_bytes()))
        != path.with_suffix(".asm").read_bytes().rstrip(b"\0").decode("latin-1")
    ]
    assert len(paths) > 200
    assert different == []


@pytest.mark.corpus
def test_listings_of_real_files_are_identical(shared: Path) -> None:
    """Listings of d3dcompiler_47 that came with third-party binaries."""
    compared = 0
    for path in sorted((shared / "corpus" / "pairs").rglob("*.bin")):
        text = path.with_suffix(".asm")
        if not text.exists() or not path.read_bytes().startswith(b"DXBC"):
            continue
        lines = text.read_bytes().decode("latin-1").replace("\r\n", "\n").rstrip("\0")
        if "HLSL Shader Compiler 10.1\n" in lines:
            assert container_listing(parse(path.read_bytes())).split("\n") == lines.split("\n")
            compared += 1
    assert compared >= 5
