"""Writing RDEF, signatures, STAT, SFI0: real chunks come back byte for byte, random ones equal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.container.dxbc.container import Chunk, parse
from softd3d.container.dxbc.pool import MAX_NAME_LENGTH
from softd3d.container.reflection.enums import (
    CbufferType,
    MinPrecision,
    RegisterComponentType,
    ResourceReturnType,
    ShaderCbufferFlags,
    ShaderInputFlags,
    ShaderInputType,
    ShaderVariableClass,
    ShaderVariableFlags,
    ShaderVariableType,
    SrvDimension,
    SystemValue,
)
from softd3d.container.reflection.features import ShaderFeatures, build_features, parse_features
from softd3d.container.reflection.rdef import parse_rdef
from softd3d.container.reflection.rdef_records import MAX_COPIED_BYTES, MAX_TYPE_DEPTH
from softd3d.container.reflection.rdef_writer import build_rdef
from softd3d.container.reflection.resources import (
    STAGES,
    Binding,
    ConstantBuffer,
    Member,
    ResourceDefinitions,
    Variable,
    VariableType,
)
from softd3d.container.reflection.signature import (
    MAX_ELEMENTS,
    Signature,
    SignatureElement,
    SignaturePadding,
    build_signature,
    parse_signature,
)
from softd3d.container.reflection.stat import Statistics, build_stat, parse_stat
from softd3d.errors import ContainerError

SHORT_FORMS = ("ISGN", "OSGN", "PCSG")
LONG_FORMS = ("ISG1", "OSG1", "PSG1")
SIGNATURES = (*SHORT_FORMS, "OSG5", *LONG_FORMS)
WRITTEN = ("RDEF", *SIGNATURES, "STAT", "SFI0")
PS_4_0, PS_5_0, CS_5_1 = 0xFFFF0400, 0xFFFF0500, 0x43530501

FLOAT = VariableType(ShaderVariableClass.SCALAR, ShaderVariableType.FLOAT, 1, 1, 0)
ELEMENT = SignatureElement(
    0,
    "TEXCOORD",
    0,
    SystemValue.UNDEFINED,
    RegisterComponentType.FLOAT32,
    0,
    0xF,
    0,
    MinPrecision.DEFAULT,
)
BINDING = Binding(
    "t",
    ShaderInputType.TEXTURE,
    ResourceReturnType.FLOAT,
    SrvDimension.TEXTURE2D,
    None,
    0,
    1,
    ShaderInputFlags.NONE,
)


def rewritten(chunk: Chunk) -> bytes:
    """Return the chunk's data as it is written from what was read."""
    if chunk.fourcc == "RDEF":
        return build_rdef(parse_rdef(chunk))
    if chunk.fourcc == "STAT":
        return build_stat(parse_stat(chunk))
    if chunk.fourcc == "SFI0":
        return build_features(parse_features(chunk))
    return build_signature(chunk.fourcc, parse_signature(chunk))


def round_trips(paths: list[Path]) -> tuple[int, list[str]]:
    """Return how many chunks were rewritten, and which of them differ.

    The STAT chunk of shader model 6 is a program in another format.
    """
    count, different = 0, list[str]()
    for path in paths:
        container = parse(path.read_bytes())
        skipped = ("STAT",) if container.find("DXIL") else ()
        for chunk in container.chunks:
            if chunk.fourcc in WRITTEN and chunk.fourcc not in skipped:
                count += 1
                if rewritten(chunk) != chunk.data:
                    different.append(f"{path.name} {chunk.fourcc}")
    return count, different


def definitions(*variables: Variable, target: int = PS_5_0) -> ResourceDefinitions:
    flags, kind = ShaderCbufferFlags.NONE, CbufferType.CBUFFER
    buffer = ConstantBuffer("cb", variables, 64, flags, kind)
    return ResourceDefinitions(target, 0, "someone", (buffer,), ())


def variable(name: str, type_: VariableType = FLOAT, default: bytes | None = None) -> Variable:
    return Variable(name, 0, 4, ShaderVariableFlags.USED, type_, default)


def read(data: bytes, fourcc: str = "RDEF") -> ResourceDefinitions:
    return parse_rdef(Chunk(fourcc, data))


def nested(depth: int) -> VariableType:
    type_ = FLOAT
    for _ in range(depth - 1):
        type_ = replace(FLOAT, class_=ShaderVariableClass.STRUCT, members=(Member("m", type_, 0),))
    return type_


# Strategies: any value that the fields can hold.

NAMES = st.text(st.characters(min_codepoint=1, max_codepoint=255), max_size=8)
BYTE, WORD, DWORD = (st.integers(0, (1 << bits) - 1) for bits in (8, 16, 32))
INDEX = st.none() | st.integers(0, 0xFFFFFFFE)


@st.composite
def signatures(draw: st.DrawFn, fourcc: str) -> Signature:
    element = st.builds(
        SignatureElement,
        st.just(0) if fourcc in SHORT_FORMS else DWORD,
        NAMES,
        DWORD,
        st.sampled_from(SystemValue),
        st.sampled_from(RegisterComponentType),
        INDEX,
        BYTE,
        BYTE,
        st.sampled_from(MinPrecision) if fourcc in LONG_FORMS else st.just(MinPrecision.DEFAULT),
        WORD,
    )
    padding = draw(st.sampled_from(SignaturePadding))
    return Signature(tuple(draw(st.lists(element, max_size=6))), padding)


@st.composite
def variable_types(draw: st.DrawFn, is_sm5: bool) -> list[VariableType]:
    """Draw types of which later ones refer to earlier ones, several to the same one."""
    types = [FLOAT]
    for _ in range(draw(st.integers(0, 4))):
        earlier = st.sampled_from(types)
        members = st.builds(Member, NAMES, earlier, DWORD)
        type_ = VariableType(
            draw(st.sampled_from(ShaderVariableClass)),
            draw(st.sampled_from(ShaderVariableType)),
            draw(WORD),
            draw(WORD),
            draw(WORD),
            tuple(draw(st.lists(members, max_size=3))),
        )
        if is_sm5:
            type_ = replace(
                type_,
                name=draw(NAMES),
                subtype=draw(st.none() | earlier),
                base_class=draw(st.none() | earlier),
                interfaces=tuple(draw(st.lists(earlier, max_size=2))),
            )
        types.append(type_)
    return types


@st.composite
def variables(draw: st.DrawFn, types: list[VariableType], is_sm5: bool) -> Variable:
    default = draw(st.none() | st.binary(max_size=8))
    slots = st.tuples(INDEX, DWORD, INDEX, DWORD) if is_sm5 else st.just((None, 0, None, 0))
    return Variable(
        draw(NAMES),
        draw(DWORD),
        draw(DWORD) if default is None else len(default),
        ShaderVariableFlags(draw(DWORD)),
        draw(st.sampled_from(types)),
        default,
        *draw(slots),
    )


@st.composite
def resource_definitions(draw: st.DrawFn) -> ResourceDefinitions:
    version = draw(st.sampled_from((0x400, 0x401, 0x500, 0x501)))
    is_sm5 = version >= 0x500
    types = draw(variable_types(is_sm5))
    buffers = st.builds(
        ConstantBuffer,
        NAMES,
        st.lists(variables(types, is_sm5), max_size=3).map(tuple),
        DWORD,
        DWORD.map(ShaderCbufferFlags),
        st.sampled_from(CbufferType),
    )
    in_spaces = DWORD if version == 0x501 else st.just(0)
    bindings = st.builds(
        Binding,
        NAMES,
        st.sampled_from(ShaderInputType),
        st.sampled_from(ResourceReturnType),
        st.sampled_from(SrvDimension),
        INDEX,
        DWORD,
        DWORD,
        DWORD.map(ShaderInputFlags),
        in_spaces,
        in_spaces,
    )
    return ResourceDefinitions(
        draw(st.sampled_from(sorted(STAGES))) << 16 | version,
        draw(DWORD),
        draw(NAMES),
        tuple(draw(st.lists(buffers, max_size=3))),
        tuple(draw(st.lists(bindings, max_size=3))),
        draw(DWORD) if is_sm5 else 0,
    )


# Real chunks.


def test_small_containers_come_back_byte_for_byte(small_containers: list[Path]) -> None:
    count, different = round_trips(small_containers)
    assert different == []
    assert count >= 40


@pytest.mark.corpus
def test_real_chunks_come_back_byte_for_byte(shared: Path) -> None:
    paths = [*shared.rglob("*.dxbc"), *shared.rglob("*.bin")]
    # Hostile inputs are made by hand: no compiler lays chunks out as they do.
    compiled = [path for path in paths if "security" not in path.parts]
    count, different = round_trips([p for p in compiled if p.read_bytes()[:4] == b"DXBC"])
    assert different == []
    assert count >= 5000


# Random objects.


@pytest.mark.parametrize("fourcc", SIGNATURES)
@given(st.data())
def test_signatures_read_back_equal(fourcc: str, data: st.DataObject) -> None:
    signature = data.draw(signatures(fourcc))
    built = build_signature(fourcc, signature)
    assert parse_signature(Chunk(fourcc, built)) == signature
    assert rewritten(Chunk(fourcc, built)) == built
    assert len(built) % 4 == 0 or signature.padding is SignaturePadding.NONE


@given(st.lists(DWORD, min_size=37, max_size=37))
def test_statistics_read_back_equal(values: list[int]) -> None:
    for statistics, size in (
        (Statistics(*values[:28], 0, has_sample_frequency=False), 112),
        (Statistics(*values[:29]), 116),
        (Statistics(*values, has_sm5_fields=True), 148),
    ):
        built = build_stat(statistics)
        assert len(built) == size
        assert parse_stat(Chunk("STAT", built)) == statistics


@given(st.integers(0, (1 << 64) - 1))
def test_features_read_back_equal(bits: int) -> None:
    assert parse_features(Chunk("SFI0", build_features(ShaderFeatures(bits)))) == bits


@given(resource_definitions())
def test_definitions_read_back_equal(whole: ResourceDefinitions) -> None:
    built = build_rdef(whole)
    assert read(built) == whole
    assert build_rdef(read(built)) == built
    assert len(built) % 4 == 0


# The compiler's layout. Microsoft's compiler 10.1 made the bytes that these rules were seen in.


def test_a_default_value_shares_the_bytes_of_a_name() -> None:
    built = build_rdef(definitions(variable("xyz"), variable("q", default=b"xyz\0")))
    assert built.count(b"xyz\0") == 1
    assert read(built).constant_buffers[0].variables[1].default == b"xyz\0"


def test_equal_default_values_are_stored_once() -> None:
    value = b"\x01\x02\x03\x04"
    built = build_rdef(definitions(variable("a", default=value), variable("b", default=value)))
    assert built.count(value) == 1


def test_a_type_object_is_stored_once_and_an_equal_copy_again() -> None:
    size_of_type = 36
    shared_ = build_rdef(definitions(variable("a"), variable("b")))
    copied = build_rdef(definitions(variable("a"), variable("b", replace(FLOAT))))
    assert len(copied) == len(shared_) + size_of_type
    first, second = read(shared_).constant_buffers[0].variables
    assert first.type is second.type
    first, second = read(copied).constant_buffers[0].variables
    assert first.type == second.type
    assert first.type is not second.type


def test_no_name_is_offset_0() -> None:
    # Compiler 9.29 names neither snorm vectors nor vector<int, 2>.
    name_in_type = 32
    built = build_rdef(definitions(variable("v")))
    type_record = bytes.fromhex("0000 0300 0100 0100 0000 0000")
    at = built.index(type_record) + name_in_type
    assert built[at : at + 4] == bytes(4)


def test_edited_definitions_are_written(small_containers: list[Path]) -> None:
    chunk = next(c for p in small_containers if (c := parse(p.read_bytes()).find("RDEF")))
    whole = parse_rdef(chunk)
    edited = replace(whole, creator="someone else", bindings=(*whole.bindings, BINDING))
    assert read(build_rdef(edited)) == edited


def test_padding_of_each_compiler() -> None:
    endings = {
        padding: build_signature("ISG1", Signature((replace(ELEMENT, name="A"),), padding))[-4:]
        for padding in SignaturePadding
    }
    assert endings == {
        SignaturePadding.FXC: b"A\0\xab\xab",
        SignaturePadding.ZEROS: b"A\0\0\0",
        SignaturePadding.NONE: b"\0\0A\0",
    }


# Limits: what is read can be written, what cannot be read is refused.


def test_the_longest_name_and_the_deepest_type_read_back() -> None:
    whole = definitions(variable("n" * MAX_NAME_LENGTH, nested(MAX_TYPE_DEPTH)))
    assert read(build_rdef(whole)) == whole


def test_a_type_that_contains_itself_is_refused() -> None:
    inner = nested(2)
    outer = replace(inner, members=(Member("m", inner, 0),))
    object.__setattr__(inner, "members", (Member("m", outer, 0),))
    with pytest.raises(ContainerError, match="'v' contains itself"):
        build_rdef(definitions(variable("v", inner)))


def test_types_that_unfold_without_end_are_refused() -> None:
    type_ = FLOAT
    for _ in range(20):
        type_ = replace(nested(2), members=(Member("m", type_, 0), Member("n", type_, 4)))
    with pytest.raises(ContainerError, match="expand to more than"):
        build_rdef(definitions(variable("v", type_)))


def test_large_default_values_are_refused() -> None:
    value = bytes(MAX_COPIED_BYTES // 2)
    large = replace(variable("v", default=value), size=len(value))
    with pytest.raises(ContainerError, match=f"more than {MAX_COPIED_BYTES} bytes"):
        build_rdef(definitions(large, large))


TOO_LARGE = 1 << 32
BAD_DEFINITIONS = {
    "target 0x12340500 has no known stage": lambda: definitions(target=0x12340500),
    "the name 'a\\\\x00b' of variable .* has a NUL": lambda: definitions(variable("a\0b")),
    "outside Latin-1": lambda: definitions(variable("\u20ac")),
    "has 4096 characters": lambda: definitions(variable("a" * (MAX_NAME_LENGTH + 1))),
    "variable 'v': offset 4294967296 does not fit 32 bits": lambda: definitions(
        replace(variable("v"), offset=TOO_LARGE)
    ),
    "variable 'v': size -1 does not": lambda: definitions(replace(variable("v"), size=-1)),
    "default value has 3 bytes, wanted its size of 4": lambda: definitions(
        variable("v", default=b"abc")
    ),
    "start_texture 4294967295 is what stands for none": lambda: definitions(
        replace(variable("v"), start_texture=0xFFFFFFFF)
    ),
    "type of variable 'v': rows 65536 does not fit 16 bits": lambda: definitions(
        variable("v", replace(FLOAT, rows=65536))
    ),
    "number of members 65536 does not": lambda: definitions(
        variable("v", replace(FLOAT, members=(Member("m", FLOAT, 0),) * 65536))
    ),
    "class 99 is not defined": lambda: definitions(variable("v", replace(FLOAT, class_=99))),
    "member 'm' of variable 'v': offset 4294967296": lambda: definitions(
        variable("v", replace(nested(2), members=(Member("m", FLOAT, TOO_LARGE),)))
    ),
    "nests more than 32 deep": lambda: definitions(variable("v", nested(MAX_TYPE_DEPTH + 1))),
    "binding 't': space 1 needs shader model 5.1": lambda: replace(
        definitions(), bindings=(replace(BINDING, space=1),)
    ),
    "binding 't': dimension 77 is not defined": lambda: replace(
        definitions(), bindings=(replace(BINDING, dimension=77),)
    ),
    "interface_slots 3 needs shader model 5": lambda: replace(
        definitions(target=PS_4_0), interface_slots=3
    ),
    r"slots \(None, 2, None, 0\) need shader model 5": lambda: definitions(
        replace(variable("v"), texture_count=2), target=PS_4_0
    ),
    r"slots \(None, 0, 0, 0\) need shader model 5": lambda: definitions(
        replace(variable("v"), start_sampler=0), target=PS_4_0
    ),
    "is named 'float', which needs shader model 5": lambda: definitions(
        variable("v", replace(FLOAT, name="float")), target=PS_4_0
    ),
    "subtype, base class or interfaces": lambda: definitions(
        variable("v", replace(FLOAT, base_class=FLOAT)), target=PS_4_0
    ),
    "constant buffer 'cb': flags -1": lambda: replace(
        definitions(),
        constant_buffers=(replace(definitions().constant_buffers[0], flags=-1),),
    ),
}


@pytest.mark.parametrize("message", BAD_DEFINITIONS)
def test_bad_definitions_name_the_value(message: str) -> None:
    make: Callable[[], ResourceDefinitions] = BAD_DEFINITIONS[message]
    with pytest.raises(ContainerError, match=message):
        build_rdef(make())


BAD_SIGNATURES = {
    "XXXX: not a signature chunk": ("XXXX", ()),
    "ISGN: 1025 elements, the limit is 1024": ("ISGN", (ELEMENT,) * (MAX_ELEMENTS + 1)),
    "element 'TEXCOORD': stream 1 needs": ("OSGN", (replace(ELEMENT, stream=1),)),
    "min_precision 4 needs": ("OSG5", (replace(ELEMENT, min_precision=MinPrecision.SINT_16),)),
    "register 4294967295 is what": ("ISGN", (replace(ELEMENT, register=0xFFFFFFFF),)),
    "mask 256 does not fit 8 bits": ("ISGN", (replace(ELEMENT, mask=256),)),
    "rw_mask -1 does not fit 8 bits": ("ISGN", (replace(ELEMENT, rw_mask=-1),)),
    "mask_rest 65536 does not fit 16": ("ISGN", (replace(ELEMENT, mask_rest=65536),)),
    "semantic_index 4294967296": ("ISGN", (replace(ELEMENT, semantic_index=TOO_LARGE),)),
    "system value 63 is not defined": ("ISGN", (replace(ELEMENT, system_value=63),)),
    "has a NUL": ("ISGN", (replace(ELEMENT, name="A\0"),)),
}


@pytest.mark.parametrize("message", BAD_SIGNATURES)
def test_bad_signatures_name_the_value(message: str) -> None:
    fourcc, elements = BAD_SIGNATURES[message]
    with pytest.raises(ContainerError, match=message):
        build_signature(fourcc, Signature(elements))


def test_as_many_elements_as_are_read_are_written() -> None:
    signature = Signature((ELEMENT,) * MAX_ELEMENTS)
    assert parse_signature(Chunk("ISGN", build_signature("ISGN", signature))) == signature


def test_bad_statistics_and_features_name_the_value() -> None:
    zero = Statistics(*[0] * 29)
    with pytest.raises(ContainerError, match="STAT: dcl_count 4294967296 does not fit"):
        build_stat(replace(zero, dcl_count=TOO_LARGE))
    with pytest.raises(ContainerError, match="STAT: control_points 3 needs"):
        build_stat(replace(zero, control_points=3))
    with pytest.raises(ContainerError, match="SFI0: features 18446744073709551616 does not fit"):
        build_features(ShaderFeatures(1 << 64))
