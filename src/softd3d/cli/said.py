"""What threads of a run said, as lines."""

from __future__ import annotations

from softd3d.lower.outcome import Outcome

__all__ = ["said_lines"]


def said_lines(outcome: Outcome) -> list[str]:
    """Return a line for each message, one for those that were not kept, and one for an abort."""
    lines = [str(message) for message in outcome.messages]
    if outcome.messages_dropped:
        lines.append(f"and {outcome.messages_dropped} messages more")
    if outcome.aborted is not None:
        lines.append(f"aborted in group {outcome.aborted}")
    return lines
