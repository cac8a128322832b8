"""Validation of whatever is at hand: bytes of a container or token stream, or a loaded shader."""

from __future__ import annotations

from dataclasses import replace

from softd3d.container.listing.exact import is_exact_listing
from softd3d.container.validate.container import (
    malformed_program,
    validate_container,
    validate_effect,
)
from softd3d.container.validate.rules import CONTAINER_RULES
from softd3d.errors import DecodeError, Finding, Location, ShaderError
from softd3d.isa.asm.diagnostic import ListingError, syntax_findings
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.validate import PROGRAM_RULES, validate_program
from softd3d.shaders.identify import Kind, identify
from softd3d.shaders.listed import contents
from softd3d.shaders.loading import Loaded
from softd3d.shaders.not_shaders import ASSEMBLER_TEXT, what_text
from softd3d.source import Source, decode_text
from softd3d.tools.text.assembler import assemble

__all__ = ["NOT_A_SHADER", "RULES", "rules_page", "validate"]

RULES = {**PROGRAM_RULES, **CONTAINER_RULES}
"""Every rule of shader model 4 to 5.1 by its code; `SM1_RULES` has those of Direct3D 9."""
NOT_A_SHADER = "DXBC-FILE-009"


def validate(source: Source | Loaded) -> list[Finding]:
    """Return what breaks the rules of Direct3D in a shader, by place; no findings mean it is fine.

    source: what `softd3d.load` returns, a path (str or `pathlib.Path`), or contents as bytes: of a
    container, a token stream, an effect, whose shaders are checked, or a listing, whose findings
    have lines for places (`text.encode()` of a listing at hand).

    Errors are what Direct3D refuses, warnings what is only suspicious. Whatever the bytes are, the
    answer is a list: what cannot be read is one finding.

    Raises:
        OSError: the file cannot be read.
        TypeError: neither a shader, a path nor bytes.

    >>> [str(finding) for finding in validate(b"no shader")]
    ['DXBC-FILE-009: it is not a shader (byte offset 0x0)']
    """
    data = contents(source)
    identity = identify(data)
    if identity.kind is Kind.CONTAINER:
        return validate_container(data)
    if identity.kind is Kind.TOKENS:
        try:
            return validate_program(decode(data))
        except DecodeError as error:
            return [malformed_program(error)]
    if identity.kind is Kind.SM1_TOKENS:
        return _validate_legacy(data)
    if identity.kind in (Kind.EFFECT, Kind.XNB):
        return _validate_effect(data)
    if identity.kind is Kind.EFFECT10:
        return validate_effect(data)
    found = what_text(data) if identity.kind is Kind.UNKNOWN else None
    if found == ASSEMBLER_TEXT:
        return _validate_text(decode_text(data))
    what = f"{found[0]}; {found[1]}" if found else _what(str(identity))
    rule = RULES[NOT_A_SHADER]
    return [Finding(rule.code, f"it is {what}", Location(offset=0), rule.spec)]


def _validate_legacy(data: bytes) -> list[Finding]:
    """Validate a token stream of shader model 1 to 3 by the rules of Direct3D 9."""
    from softd3d.isa.sm1.decode import decode as decode9  # noqa: PLC0415 - when one comes
    from softd3d.isa.sm1.validate import validate_program as validate9  # noqa: PLC0415

    try:
        return validate9(decode9(data))
    except DecodeError as error:
        return [malformed_program(error)]


def _validate_effect(data: bytes) -> list[Finding]:
    """Validate the shaders of an effect; offsets count from the start of each."""
    from softd3d.shaders.effects.d3d9 import load_effect9  # noqa: PLC0415 - when one comes

    try:
        shaders = load_effect9(data).shaders
    except ShaderError as error:
        rule = RULES[NOT_A_SHADER]
        return [Finding(rule.code, error.message, error.location or Location(), rule.spec)]
    return [
        replace(finding, message=f"shader {number} ({shader.place}): {finding.message}")
        for number, shader in enumerate(shaders)
        for finding in _validate_legacy(shader.tokens)
    ]


def _validate_text(text: str) -> list[Finding]:
    from softd3d.tools.validation.listing import validate_text  # noqa: PLC0415 - when one comes

    if not is_exact_listing(text):
        return validate_text(text)
    try:
        return validate(assemble(text))
    except ListingError as error:
        return syntax_findings(error)


def _what(kind: str) -> str:
    return kind if kind.startswith("not") else f"a {kind}"


def rules_page() -> str:
    """Return the table of all rules in Markdown, as docs/validation.md has it."""
    lines = ["| code | severity | rule | source |", "| --- | --- | --- | --- |"]
    lines += [f"| {r.code} | {r.severity} | {r.text} | {r.spec} |" for r in RULES.values()]
    return "\n".join(lines) + "\n"
