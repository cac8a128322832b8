"""The states of a new Direct3D 9 device, against the table of the specification's digest."""

from __future__ import annotations

import re
from pathlib import Path

from softd3d.isa.d3d9.defaults import (
    FLOAT_RENDER_STATES,
    RENDER_STATE_DEFAULTS,
    SAMPLER_STATE_DEFAULTS,
    float_word,
    texture_stage_defaults,
)
from softd3d.isa.d3d9.enums import TextureOp
from softd3d.isa.d3d9.states import RenderState, SamplerStateType, TextureStageState

ROW = re.compile(r"\| (\d+) \| ([A-Z][A-Z0-9_]+) \| ([^|]+) \|")


def test_render_states_begin_as_the_table_says(shared: Path) -> None:
    section = (shared / "spec" / "pipeline9" / "pipeline.md").read_text(encoding="utf-8")
    section = section.split("## 10. Every render state")[1].split("## 11.")[0]
    rows = [m for line in section.splitlines() if (m := ROW.match(line))]
    assert len(rows) >= 75
    for number, name, default in (m.groups() for m in rows):
        state = RenderState[name]
        assert state == int(number)
        if name == "DEBUGMONITORTOKEN":  # ignored; sources differ
            continue
        text = re.match(r"0x[0-9a-f]+|[0-9.]+", default.strip())
        assert text is not None
        is_float = state in FLOAT_RENDER_STATES
        wanted = float_word(float(text[0].rstrip("."))) if is_float else int(text[0], 0)
        assert RENDER_STATE_DEFAULTS[state] == wanted, name


def test_every_state_has_a_default() -> None:
    assert set(RENDER_STATE_DEFAULTS) == set(RenderState)
    assert set(SAMPLER_STATE_DEFAULTS) == set(SamplerStateType)
    for stage in range(8):
        found = texture_stage_defaults(stage)
        assert set(found) == set(TextureStageState)
        assert found[TextureStageState.TEXCOORDINDEX] == stage
        assert found[TextureStageState.COLOROP] == (
            TextureOp.MODULATE if stage == 0 else TextureOp.DISABLE
        )
