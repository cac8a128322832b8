"""Findings as they are made: a rule has one code, one sentence, one source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from softd3d.classes import dataclass
from softd3d.errors import Finding, Location, Severity

__all__ = ["MAX_FINDINGS_PER_RULE", "Report", "Rule", "table"]

MAX_FINDINGS_PER_RULE = 100


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: what is wanted, and where that is written."""

    code: str
    severity: Severity
    text: str
    spec: str


def table(rules: Iterable[Rule]) -> dict[str, Rule]:
    """Return rules by their codes, in order.

    Raises:
        ValueError: two rules share a code.
    """
    found: dict[str, Rule] = {}
    for rule in rules:
        if rule.code in found:
            raise ValueError(f"two rules have the code {rule.code}")
        found[rule.code] = rule
    return found


class Report:
    """Collects findings of the rules of one table.

    A damaged program can break a rule at every instruction; of each rule the first
    `MAX_FINDINGS_PER_RULE` findings are kept, and the last one says so.
    """

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self.count = 0  # of all that was added
        self._rules = rules
        self._counts: Counter[str] = Counter()
        self._findings: list[Finding] = []

    def add(self, code: str, message: str, location: Location) -> None:
        """Note that the rule `code` is broken at a location."""
        rule = self._rules[code]
        self.count += 1
        self._counts[code] += 1
        if self._counts[code] > MAX_FINDINGS_PER_RULE:
            return
        if self._counts[code] == MAX_FINDINGS_PER_RULE:
            message += "; further ones of this kind are not listed"
        self._findings.append(Finding(code, message, location, rule.spec, rule.severity))

    def findings(self) -> list[Finding]:
        """Return the findings by their place in the input."""
        return sorted(self._findings, key=_place)


def _place(finding: Finding) -> tuple[int, int]:
    where = finding.location
    return (
        -1 if where.instruction is None else where.instruction,
        -1 if where.offset is None else where.offset,
    )
