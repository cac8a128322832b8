"""What the header of a DDS file means: format, extents, mips, faces, and what is odd about it.

Files of 25 years break the rules in known ways. A reader is tolerant of those that leave no doubt
about the texels, and names them; a strict one refuses them.
Spec: DDS programming guide; D3D11.3 section 21 (limits).
"""

from __future__ import annotations

from dataclasses import replace

from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.formats.dxgi import DXGI_FORMATS, dxgi_format
from softd3d.formats.layout import Format, Scheme
from softd3d.isa.limits import MAX_TEXTURE_EXTENTS, MAX_TEXTURE_SLICES
from softd3d.resources.dds.header import (
    ALPHA_MODE_MASK,
    HEADER_SIZE,
    PIXEL_FORMAT_SIZE,
    AlphaMode,
    Caps2,
    DdsError,
    DdsWarning,
    Dimension,
    Header,
    HeaderDxt10,
    HeaderFlags,
    MiscFlag,
    Offset,
    PixelFormatFlags,
    Problem,
    Quirk,
)
from softd3d.resources.dds.pixel_formats import LegacyFormat, dxgi_twin, legacy_format
from softd3d.resources.textures.subresources import FACES

__all__ = ["FACE_BITS", "FACE_NAMES", "Shape", "height_fault", "interpret"]

FACE_NAMES = ("+X", "-X", "+Y", "-Y", "+Z", "-Z")
_OLD_SIZE = 24  # what some writers give as the size of either structure
FACE_BITS = [Caps2.CUBEMAP_POSITIVEX << number for number in range(FACES)]
_SRGB = "_SRGB"


@dataclass(frozen=True, slots=True)
class Shape:
    """What is in a file. Extents in texels, 1 where the dimension lacks them.

    array_size: elements; cubes, for cubes. faces: names of those a cube has, in their order in the
    file; none for what is no cube. legacy: how the file names its format, without a header of
    Direct3D 10.
    """

    format: Format
    dimension: Dimension
    width: int
    height: int = 1
    depth: int = 1
    array_size: int = 1
    mips: int = 1
    faces: tuple[str, ...] = ()
    alpha_mode: AlphaMode = AlphaMode.UNKNOWN
    legacy: LegacyFormat | None = None

    @property
    def slices(self) -> int:
        """The images with mips of their own: elements, times faces."""
        return self.array_size * max(1, len(self.faces))


def height_fault(shape: Shape) -> str | None:
    """Return what is wrong with the height of a planar format: DXGI has whole rows of chroma.

    A width may be odd: rows of chroma are then padded to a whole element, as DirectXTex reads them.
    """
    step = max((plane.height_divisor for plane in shape.format.planes), default=1)
    if shape.height % step and shape.dimension is not Dimension.TEXTURE1D:
        return f"height: found {shape.height}, wanted a multiple of {step} for {shape.format.name}"
    return None


def interpret(header: Header, *, strict: bool) -> tuple[Shape, list[DdsWarning]]:
    """Return what a header means, and what is odd about it.

    Raises:
        DdsError: it means nothing, or it is odd and `strict` is set.
    """
    judge = _Judge(header, strict=strict)
    judge.check_sizes()
    more = header.dxt10
    shape = judge.legacy_shape() if more is None else judge.modern_shape(more)
    judge.check_extents(shape)
    return judge.with_mips(shape), judge.warnings


class _Judge:
    """Goes through the fields of a header in their order, and collects warnings."""

    def __init__(self, header: Header, *, strict: bool) -> None:
        self.header = header
        self.strict = strict
        self.warnings: list[DdsWarning] = []

    def odd(self, quirk: Quirk, problem: Problem, message: str, offset: int) -> None:
        """Note something that a strict reader refuses."""
        if self.strict:
            raise DdsError(problem, message, offset)
        self.warnings.append(DdsWarning(quirk, message, offset))

    def check_sizes(self) -> None:
        """Check the sizes that both structures give of themselves."""
        header, pixel = self.header, self.header.pixel_format
        old_fits = header.dxt10 is None  # writers with wrong sizes are older than Direct3D 10
        if header.size != HEADER_SIZE:
            problem = Problem.BAD_HEADER_SIZE
            text = f"header size: found {header.size}, wanted {HEADER_SIZE}"
            if header.size != _OLD_SIZE or not old_fits:
                raise DdsError(problem, text, Offset.SIZE)
            self.odd(Quirk.HEADER_SIZE, problem, text, Offset.SIZE)
        if pixel.size == PIXEL_FORMAT_SIZE:
            return
        problem = Problem.BAD_PIXEL_FORMAT_SIZE
        text = f"pixel format size: found {pixel.size}, wanted {PIXEL_FORMAT_SIZE}"
        is_bare = not pixel.size | pixel.flags and legacy_format(pixel, as_four_cc=True) is not None
        if not old_fits or not (pixel.size == _OLD_SIZE or is_bare):
            raise DdsError(problem, text, Offset.PIXEL_FORMAT)
        self.odd(Quirk.PIXEL_FORMAT_SIZE, problem, text, Offset.PIXEL_FORMAT)

    def legacy_shape(self) -> Shape:
        """Read a header without a DDS_HEADER_DXT10."""
        header = self.header
        legacy = self._as_srgb(self._legacy_format())
        shape = Shape(
            legacy.format, Dimension.TEXTURE2D, header.width, header.height, legacy=legacy,
            alpha_mode=AlphaMode.PREMULTIPLIED if legacy.premultiplied else AlphaMode.UNKNOWN,
        )  # fmt: skip
        is_cube = bool(header.caps2 & Caps2.CUBEMAP)
        if not self._is_legacy_volume():
            return replace(shape, faces=self._faces()) if is_cube else shape
        if is_cube:
            raise DdsError(
                Problem.INCONSISTENT_CUBE, "found a cube that is also a volume", Offset.CAPS2
            )
        return replace(shape, dimension=Dimension.TEXTURE3D, depth=header.depth)

    def _is_legacy_volume(self) -> bool:
        """Tell whether the depth counts: its flag says so, not what caps2 says."""
        header = self.header
        if header.flags & HeaderFlags.DEPTH:
            return True
        if not header.caps2 & Caps2.VOLUME:
            return False
        text = "found a volume without the flag for its depth"
        self.odd(Quirk.HEADER_FLAGS, Problem.BAD_RESOURCE_DIMENSION, text, Offset.FLAGS)
        return True

    def _legacy_format(self) -> LegacyFormat:
        pixel = self.header.pixel_format
        found = legacy_format(pixel)
        if found is None and not pixel.flags & PixelFormatFlags.FOURCC:
            found = legacy_format(pixel, as_four_cc=True)
            if found is not None:
                self._miss_four_cc_flag()
        if found is not None:
            return found
        if pixel.four_cc and (pixel.flags & PixelFormatFlags.FOURCC or not pixel.bit_count):
            text = pixel.four_cc.to_bytes(4, "little")
            raise DdsError(
                Problem.UNSUPPORTED_FORMAT,
                f"pixel format: FourCC {text!r} ({pixel.four_cc}) names no format that is known",
                Offset.FOUR_CC,
            )
        masks = ", ".join(f"{mask:#x}" for mask in pixel.masks)
        raise DdsError(
            Problem.UNSUPPORTED_FORMAT,
            f"pixel format: flags {pixel.flags:#x} with {pixel.bit_count} bits and masks {masks} "
            "make no format that is known",
            Offset.PIXEL_FORMAT_FLAGS,
        )

    def _miss_four_cc_flag(self) -> None:
        flags = self.header.pixel_format.flags
        text = f"pixel format: found flags {flags:#x}, wanted the one for its FourCC"
        offset = Offset.PIXEL_FORMAT_FLAGS
        self.odd(Quirk.PIXEL_FORMAT_FLAGS, Problem.UNSUPPORTED_FORMAT, text, offset)

    def _as_srgb(self, legacy: LegacyFormat) -> LegacyFormat:
        """Return the sRGB form of a format if a flag of NVIDIA's asks for it and there is one."""
        flag, twin = PixelFormatFlags.SRGB, dxgi_twin(legacy.format)
        if not self.header.pixel_format.flags & flag or twin is None:
            return legacy
        srgb = DXGI_FORMATS.get(twin.name + _SRGB)
        if srgb is None:
            return legacy
        pixel_format = replace(legacy.pixel_format, flags=legacy.pixel_format.flags | flag)
        return replace(legacy, format=srgb, pixel_format=pixel_format)

    def _faces(self) -> tuple[str, ...]:
        """Return the faces of a legacy cube; Direct3D 9 alone knew ones that lack some."""
        caps2 = self.header.caps2
        pairs = zip(FACE_NAMES, FACE_BITS, strict=True)
        faces = tuple(name for name, bit in pairs if caps2 & bit)
        if not faces:
            raise DdsError(Problem.INCONSISTENT_CUBE, "found a cube without faces", Offset.CAPS2)
        if len(faces) < FACES:
            text = f"found a cube with only the faces {', '.join(faces)}"
            self.odd(Quirk.PARTIAL_CUBE, Problem.INCONSISTENT_CUBE, text, Offset.CAPS2)
        return faces

    def modern_shape(self, more: HeaderDxt10) -> Shape:
        """Read a header with a DDS_HEADER_DXT10."""
        header = self.header
        if not header.pixel_format.flags & PixelFormatFlags.FOURCC:
            self._miss_four_cc_flag()
        format_ = _dxgi_format(more.dxgi_format)
        dimension = self._dimension(more.dimension)
        is_cube = bool(more.misc_flag & MiscFlag.TEXTURECUBE)
        if is_cube and dimension is not Dimension.TEXTURE2D:
            text = f"found the flag for cubes on a {dimension.value - 1}D texture"
            raise DdsError(Problem.INCONSISTENT_CUBE, text, Offset.MISC_FLAG)
        self._compare_caps2(dimension, is_cube=is_cube)
        unknown = more.misc_flag & ~MiscFlag.TEXTURECUBE
        if unknown:
            text = f"found flags {unknown:#x} that have no meaning in files"
            self.warnings.append(DdsWarning(Quirk.MISC_FLAGS, text, Offset.MISC_FLAG))
        return Shape(
            format_, dimension, header.width,
            self._modern_height(dimension), self._modern_depth(dimension),
            array_size=self._array_size(more.array_size, dimension),
            faces=FACE_NAMES if is_cube else (),
            alpha_mode=self._alpha_mode(more.misc_flags2 & ALPHA_MODE_MASK),
        )  # fmt: skip

    def _compare_caps2(self, dimension: Dimension, *, is_cube: bool) -> None:
        """Note what caps2 says against the header of Direct3D 10, which counts.

        Many writers leave caps2 empty, so what it does not say is no contradiction.
        """
        caps2, faces = self.header.caps2, sum(FACE_BITS)
        if caps2 & Caps2.VOLUME and dimension is not Dimension.TEXTURE3D:
            text = f"found the flag for volumes in caps2, but a {dimension.value - 1}D texture"
        elif caps2 & (Caps2.CUBEMAP | faces) and not is_cube:
            text = "found flags for cubes in caps2, but no cube"
        elif is_cube and caps2 & Caps2.CUBEMAP and caps2 & faces != faces:
            text = "found a cube with all its faces, but caps2 lacks some of them"
        else:
            return
        self.warnings.append(DdsWarning(Quirk.CAPS2, text, Offset.CAPS2))

    def _dimension(self, number: int) -> Dimension:
        if number in frozenset(Dimension):
            return Dimension(number)
        problem, offset = Problem.BAD_RESOURCE_DIMENSION, Offset.DIMENSION
        text = f"resource dimension: found {number}, wanted 2, 3 or 4"
        if number:
            raise DdsError(problem, text, offset)
        self.odd(Quirk.RESOURCE_DIMENSION, problem, text, offset)
        return Dimension.TEXTURE2D

    def _modern_height(self, dimension: Dimension) -> int:
        header = self.header
        if dimension is not Dimension.TEXTURE1D:
            return header.height
        if header.flags & HeaderFlags.HEIGHT and header.height != 1:
            text = f"height of a 1D texture: found {header.height}, wanted 1"
            raise DdsError(Problem.BAD_DIMENSIONS, text, Offset.HEIGHT)
        return 1

    def _modern_depth(self, dimension: Dimension) -> int:
        header = self.header
        if dimension is not Dimension.TEXTURE3D:
            return 1
        if not header.flags & HeaderFlags.DEPTH:
            text = "found a 3D texture without the flag for its depth"
            raise DdsError(Problem.BAD_RESOURCE_DIMENSION, text, Offset.FLAGS)
        return header.depth

    def _array_size(self, size: int, dimension: Dimension) -> int:
        problem, offset = Problem.BAD_ARRAY_SIZE, Offset.ARRAY_SIZE
        if size > 1 and dimension is Dimension.TEXTURE3D:
            raise DdsError(problem, f"array of 3D textures: found {size}, wanted 1", offset)
        if not size:
            text = "array size: found 0, wanted at least 1"
            self.odd(Quirk.ARRAY_SIZE, problem, text, offset)
        return max(1, size)

    def _alpha_mode(self, number: int) -> AlphaMode:
        if number in frozenset(AlphaMode):
            return AlphaMode(number)
        text = f"alpha mode: found {number}, wanted 0 to {AlphaMode.CUSTOM.value}"
        self.warnings.append(DdsWarning(Quirk.ALPHA_MODE, text, Offset.MISC_FLAGS2))
        return AlphaMode.UNKNOWN

    def check_extents(self, shape: Shape) -> None:
        """Check that there are texels, and no more than Direct3D 11 can have."""
        problem = Problem.BAD_DIMENSIONS
        extents = [(shape.width, "width", Offset.WIDTH), (shape.height, "height", Offset.HEIGHT),
                   (shape.depth, "depth", Offset.DEPTH)]  # fmt: skip
        axes = shape.dimension.value - 1
        for size, name, offset in extents:
            if not size:
                raise DdsError(problem, f"{name}: found 0, wanted at least 1", offset)
        for size, name, offset in extents[:axes]:
            self._check_limit(size, MAX_TEXTURE_EXTENTS[axes], name, offset)
        self._check_limit(shape.slices, MAX_TEXTURE_SLICES, "array size", Offset.ARRAY_SIZE)
        fault = height_fault(shape)
        if fault is not None:
            raise DdsError(problem, fault, Offset.HEIGHT)
        if shape.faces and shape.width != shape.height:
            text = f"found faces of {shape.width} x {shape.height}, wanted squares"
            self.odd(Quirk.CUBE_SIZE, Problem.INCONSISTENT_CUBE, text, Offset.HEIGHT)

    def _check_limit(self, size: int, largest: int, name: str, offset: int) -> None:
        if size > largest:
            text = f"{name}: found {size}, Direct3D 11 has at most {largest}"
            self.odd(Quirk.BEYOND_LIMITS, Problem.TOO_LARGE, text, offset)

    def with_mips(self, shape: Shape) -> Shape:
        """Return the shape with its number of mips: 0 means 1, and none are smaller than a texel.

        Whether a flag says that the number counts is not looked at, as many writers forget it.
        """
        found, most = self.header.mip_count, max(shape.width, shape.height, shape.depth)
        largest = most.bit_length()
        if found > largest:
            text = f"mips: found {found}, wanted at most {largest}"
            self.odd(Quirk.MIP_COUNT, Problem.BAD_MIP_COUNT, text, Offset.MIP_COUNT)
        return replace(shape, mips=min(max(1, found), largest))


def _dxgi_format(number: int) -> Format:
    try:
        format_ = dxgi_format(number)
    except ResourceError as error:
        raise DdsError(Problem.UNSUPPORTED_FORMAT, error.message, Offset.DXGI_FORMAT) from None
    if format_.scheme not in (Scheme.OPAQUE, Scheme.NOTHING):
        return format_
    is_opaque = format_.scheme is Scheme.OPAQUE
    raise DdsError(
        Problem.OPAQUE_FORMAT if is_opaque else Problem.UNSUPPORTED_FORMAT,
        f"format {format_.name} has no texels that a file could hold",
        Offset.DXGI_FORMAT,
    )
