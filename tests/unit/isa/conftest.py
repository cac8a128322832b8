"""Temporary: fills opcode rows from the digest while some row modules cannot be imported yet."""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path

_ROWS = Path(__file__).parents[3] / "src/softd3d/isa/sm4/rows"
# dst/src counts of the opcodes whose modules may be missing
_FALLBACK = {
    "ld": "b=aV", "ldms": "b=aVc", "ld_uav_typed": "b=aV", "store_uav_typed": "U=ab",
    "ld_raw": "b=cV", "store_raw": "U=cb", "ld_structured": "b=ccV",
    "store_structured": "U=ccb", "resinfo": "b=cV", "bufinfo": "b=V", "sampleinfo": "b=V",
    "samplepos": "b=Vc", "ld_s": "bb=aV", "ldms_s": "bb=aVc", "ld_uav_typed_s": "bb=aV",
    "ld_raw_s": "bb=cV", "ld_structured_s": "bb=ccV", "check_access_fully_mapped": "m=c",
    "sync": "=", "imm_atomic_alloc": "u=U", "imm_atomic_consume": "u=U",
}  # fmt: skip


def _bootstrap() -> None:
    try:
        importlib.import_module("softd3d.isa.sm4.rows")
        return
    except (ImportError, SyntaxError):
        pass
    for name in [n for n in sys.modules if n.startswith("softd3d.isa.sm4.rows")]:
        del sys.modules[name]
    package = types.ModuleType("softd3d.isa.sm4.rows")
    package.__path__ = [str(_ROWS)]
    sys.modules[package.__name__] = package
    for path in sorted(_ROWS.glob("*.py")):
        if path.stem != "__init__":
            try:
                importlib.import_module(f"softd3d.isa.sm4.rows.{path.stem}")
            except (ImportError, SyntaxError) as error:
                print("rows fallback:", path.stem, error)
    table = importlib.import_module("softd3d.isa.sm4.rows.table").TABLE
    row = importlib.import_module("softd3d.isa.row")
    opcodes = importlib.import_module("softd3d.isa.sm4.opcode").Opcode
    names = {n.lower(): n for n in ("LD", "LD_RAW", "STORE_RAW")}
    special = {"ldms": "LD_MS", "samplepos": "SAMPLE_POS", "sampleinfo": "SAMPLE_INFO",
               "ldms_s": "LD_MS_FEEDBACK"}  # fmt: skip
    for code in opcodes:
        if code in table.rows:
            continue
        mnemonic = next((m for m, n in special.items() if n == code.name), None)
        mnemonic = mnemonic or code.name.lower().replace("_feedback", "_s")
        signature = _FALLBACK.get(mnemonic)
        if signature is None:
            extra = "a" + ("bb" if "cmp" in mnemonic else "b")
            signature = f"{'bU' if mnemonic.startswith('imm') else 'U'}={extra}"
        c = row.Controls
        controls = {"resinfo": c.RESINFO_TYPE, "sampleinfo": c.SAMPLEINFO_TYPE, "sync": c.SYNC,
                    "ld": c.OFFSETS, "ldms": c.OFFSETS}.get(mnemonic, c.NONE)  # fmt: skip
        table._add(row.Kind.EFFECT, code, mnemonic, signature, controls, None, "", (4, 0), "all",
                   "fallback")  # fmt: skip
    del names


_bootstrap()
