"""Validation of listings: what is found is placed by lines of the text."""

from __future__ import annotations

from dataclasses import replace

from softd3d.errors import Finding, Location
from softd3d.isa.asm.diagnostic import ListingError, syntax_findings
from softd3d.isa.asm.sm1.assembler import parse_sm1_source
from softd3d.isa.asm.sm4.parser import parse_listing
from softd3d.isa.sm1.validate import validate_program as validate9
from softd3d.isa.sm4.validate import validate_program
from softd3d.shaders.texts import is_legacy

__all__ = ["validate_text"]


def validate_text(text: str) -> list[Finding]:
    """Return what is wrong with a listing or code written by hand, with lines as places.

    What the assembler refuses are findings, too. Signature tables and the like are not looked at:
    the rules are those for programs.
    """
    try:
        if is_legacy(text):
            program9, lines = parse_sm1_source(text)
            found = validate9(program9)
        else:
            listing = parse_listing(text)
            lines, found = listing.lines, validate_program(listing.program)
    except ListingError as error:
        return syntax_findings(error)
    places = [*lines, len(text.splitlines()) + 1]  # the last one: what the whole program lacks
    return [replace(finding, location=_placed(finding.location, places)) for finding in found]


def _placed(location: Location, places: list[int]) -> Location:
    if location.instruction is None:
        return Location(line=1)
    return Location(line=places[min(location.instruction, len(places) - 1)])
