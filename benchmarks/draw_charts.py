"""Charts of benchmarks/draws.py as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from draw_scenes import SERIES
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

__all__ = ["file_name", "write_charts"]

_SIZE = 4.8, 3.2  # inches
_POINTS = 100  # of a fitted line
# The same numbers give the same file; text stays text.
_SETTINGS = {"svg.hashsalt": "softd3d", "svg.fonttype": "none", "font.size": 9}
_STYLES = {"wall_ms": ("o", "tab:blue", "wall, best"), "cpu_ms": ("^", "tab:orange", "CPU, best")}


def write_charts(found: dict[str, Any], folder: Path) -> None:
    """Write a chart for each series that was measured."""
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(_SETTINGS):
        for name, series in found["series"].items():
            figure = Figure(_SIZE, layout="constrained")
            _draw(figure.add_subplot(), name, series)
            figure.savefig(folder / file_name(name), metadata={"Date": None})


def file_name(series: str) -> str:
    """Return the name of a series' chart."""
    return f"{series.replace(' ', '-')}.svg"


def _draw(axes: Axes, name: str, series: dict[str, Any]) -> None:
    about, points, line = SERIES[name], series["points"], series["line"]
    values = np.array([p["value"] for p in points], float)
    counts = np.array([p["count"] for p in points], float)
    for key, (marker, color, label) in _STYLES.items():
        axes.plot(values, [p[key] for p in points], marker, color=color, label=label)
    # Between points, counts grow as the values do or as their squares: a power of them.
    at = np.geomspace(values[0], values[-1], _POINTS)
    count = np.exp(np.interp(np.log(at), np.log(values), np.log(counts)))
    fitted = line["fixed_us"] / 1e3 + line["each_ns"] / 1e6 * count
    text = f"{line['fixed_us']:.0f} us + {line['each_ns']:.3g} ns a {about.unit}"
    axes.plot(at, fitted, "-", color="tab:orange", linewidth=1, label=text)
    axes.set(xscale="log", yscale="log", xlabel=about.axis, ylabel="ms", title=about.title)
    axes.set_xticks(values, [f"{int(v):,}" for v in values], minor=False)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(frameon=False)
