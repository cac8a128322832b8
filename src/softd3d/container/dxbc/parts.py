"""Parts of a container by what they are for, as D3DGetBlobPart and D3DSetBlobPart have them.

Some parts are the data of a chunk; signatures and root signatures are containers of their own with
nothing else in them. Where a shader has a signature in several forms, the newer one counts.

Measured with d3dcompiler_47.
"""

from __future__ import annotations

from enum import IntEnum

from softd3d.container.dxbc.container import Chunk, Container, build, parse
from softd3d.container.dxbc.edit import rebuild
from softd3d.errors import ContainerError

__all__ = ["SETTABLE_PARTS", "BlobPart", "get_part", "set_part"]


class BlobPart(IntEnum):
    """D3D_BLOB_PART (d3dcompiler.h)."""

    INPUT_SIGNATURE = 0
    OUTPUT_SIGNATURE = 1
    INPUT_AND_OUTPUT_SIGNATURES = 2
    PATCH_CONSTANT_SIGNATURE = 3
    ALL_SIGNATURES = 4
    DEBUG_INFO = 5
    LEGACY_SHADER = 6
    XNA_PREPASS = 7
    XNA_SHADER = 8
    PDB = 9
    PRIVATE_DATA = 10
    ROOT_SIGNATURE = 11
    DEBUG_NAME = 12
    TEST_ALTERNATE_SHADER = 0x8000
    TEST_COMPILE_DETAILS = 0x8001
    TEST_COMPILE_PERF = 0x8002
    TEST_COMPILE_REPORT = 0x8003

    @property
    def label(self) -> str:
        """The name in lower case with hyphens, such as `input-signature`."""
        return self.name.lower().replace("_", "-")


# FourCCs in order of preference, for each chunk that goes into the part.
_INPUT = ("ISG1", "ISGN")
_OUTPUT = ("OSG5", "OSG1", "OSGN")
_PATCH_CONSTANT = ("PSG1", "PCSG")
_CONTAINERS: dict[BlobPart, tuple[tuple[str, ...], ...]] = {
    BlobPart.INPUT_SIGNATURE: (_INPUT,),
    BlobPart.OUTPUT_SIGNATURE: (_OUTPUT,),
    BlobPart.INPUT_AND_OUTPUT_SIGNATURES: (_INPUT, _OUTPUT),
    BlobPart.PATCH_CONSTANT_SIGNATURE: (_PATCH_CONSTANT,),
    BlobPart.ALL_SIGNATURES: (_INPUT, _OUTPUT, _PATCH_CONSTANT),
    BlobPart.ROOT_SIGNATURE: (("RTS0",),),
}
_CHUNK_DATA: dict[BlobPart, str] = {
    BlobPart.DEBUG_INFO: "SDBG",
    BlobPart.LEGACY_SHADER: "Aon9",
    BlobPart.XNA_PREPASS: "XNAP",
    BlobPart.XNA_SHADER: "XNAS",
    BlobPart.PDB: "SPDB",
    BlobPart.PRIVATE_DATA: "PRIV",
    BlobPart.DEBUG_NAME: "ILDN",
    BlobPart.TEST_ALTERNATE_SHADER: "SMID",
    BlobPart.TEST_COMPILE_DETAILS: "SDTL",
    BlobPart.TEST_COMPILE_PERF: "PERF",
    BlobPart.TEST_COMPILE_REPORT: "CRPT",
}
SETTABLE_PARTS = (BlobPart.PRIVATE_DATA, BlobPart.ROOT_SIGNATURE, BlobPart.DEBUG_NAME)


def get_part(data: bytes, part: BlobPart) -> bytes:
    """Return a part: a container of its own for signatures, else the data of a chunk.

    Raises:
        ContainerError: `data` is not a container, or has no such part or not all of it.

    >>> get_part(build([Chunk("PRIV", b"mine")]), BlobPart.PRIVATE_DATA)
    b'mine'
    """
    container = parse(data)
    if part in _CHUNK_DATA:
        return _preferred(container, part, (_CHUNK_DATA[part],)).data
    return build(_preferred(container, part, names) for names in _CONTAINERS[part])


def set_part(data: bytes, part: BlobPart, payload: bytes) -> bytes:
    """Put a part into a container, in place of what it has of that kind and behind all else.

    Args:
        data: a container.
        part: one of SETTABLE_PARTS.
        payload: what `get_part` is to return; for a root signature any container that has one.

    Raises:
        ContainerError: `data` is not a container, the part cannot be set, or `payload` is empty or
            holds no root signature where it should.
    """
    if part not in SETTABLE_PARTS:
        settable = ", ".join(p.label for p in SETTABLE_PARTS)
        raise ContainerError(f"the part {part.label} cannot be set, wanted one of {settable}")
    if not payload:
        raise ContainerError(f"the part {part.label} cannot be empty")
    if part in _CHUNK_DATA:
        new = Chunk(_CHUNK_DATA[part], payload)
    else:
        new = _preferred(parse(payload), part, _CONTAINERS[part][0])
    kept = [chunk for chunk in parse(data).chunks if chunk.fourcc != new.fourcc]
    return rebuild(data, [*kept, new])


def _preferred(container: Container, part: BlobPart, fourccs: tuple[str, ...]) -> Chunk:
    for fourcc in fourccs:
        chunk = container.find(fourcc)
        if chunk is not None:
            return chunk
    raise ContainerError(f"no part {part.label}: no chunk {' or '.join(fourccs)}")
