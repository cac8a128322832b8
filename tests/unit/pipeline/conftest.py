"""Rules of the pipeline on both engines: recorded and compiled, and on arrays."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "differential"))
