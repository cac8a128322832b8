"""The symbols that an object file wants from elsewhere: ELF, COFF and Mach-O, 64 bits."""

from __future__ import annotations

import struct

__all__ = ["undefined_symbols"]


def undefined_symbols(data: bytes) -> set[str]:
    if data[:4] == b"\x7fELF":
        return _elf(data)
    if data[:4] == b"\xcf\xfa\xed\xfe":
        return _mach_o(data)
    return _coff(data)


def _elf(data: bytes) -> set[str]:
    at, size, count = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, at + n * size) for n in range(count)]
    found: set[str] = set()
    for _, kind, _, _, start, length, link, _, _, _ in sections:
        if kind == 2:  # SHT_SYMTAB
            for symbol in range(start + 24, start + length, 24):
                name, _, _, section = struct.unpack_from("<IBBH", data, symbol)
                if section == 0:
                    found.add(_text(data, sections[link][4] + name))
    return found


def _coff(data: bytes) -> set[str]:
    at, count = struct.unpack_from("<II", data, 8)
    found: set[str] = set()
    number = 0
    while number < count:
        start = at + 18 * number
        zeros, offset = struct.unpack_from("<II", data, start)
        value, section, _, storage, extra = struct.unpack_from("<IhHBB", data, start + 8)
        if section == 0 and value == 0 and storage == 2:  # IMAGE_SYM_CLASS_EXTERNAL
            name = data[start : start + 8].rstrip(b"\0").decode()
            found.add(name if zeros else _text(data, at + 18 * count + offset))
        number += 1 + extra
    return found


def _mach_o(data: bytes) -> set[str]:
    at, found = 32, set[str]()
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        command, size = struct.unpack_from("<II", data, at)
        if command == 2:  # LC_SYMTAB
            symbols, count, strings, _ = struct.unpack_from("<IIII", data, at + 8)
            for symbol in range(symbols, symbols + 16 * count, 16):
                name, kind, _, _, value = struct.unpack_from("<IBBHQ", data, symbol)
                if kind & 0x0E == 0 and kind & 1 and value == 0:  # N_UNDF, N_EXT
                    found.add(_text(data, strings + name))
        at += size
    return found


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(0, at)].decode()
