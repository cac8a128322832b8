"""Write measured numbers into the tables of docs/performance.md.

    python benchmarks/page.py FOLDER

FOLDER holds what was measured: kit.json, and kit2.json of a second run (`compare.py --json`);
limits.json, draws.json, calls.json and stages.json of the scripts here. Each table stands between
comments, `<!-- kit -->` and `<!-- /kit -->`; one whose file is not there stays as it is.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

from draw_scenes import SERIES

PAGE = Path(__file__).parents[1] / "docs/performance.md"
PEER, AGAIN = "lavapipe", "kit2"
DRAWS = ("fill", "mesh", "small", "heavy")
LEFT_OUT = ("noop", "clear", *DRAWS)  # of the mean of compute kernels
Found = dict[str, Any]


def kit_table(kit: Found, everything: Found) -> str:
    """Return the table of the kit and its geometric means, with the ratios of a second run."""
    again = everything.get(AGAIN, {})
    heads = ("workload", "ours, wall ms", "CPU ms", "lavapipe, wall ms", "CPU ms", "wall ratio",
             "CPU ratio", "of a second run, wall", "CPU")  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", "| --- |" + " ---: |" * 8]
    for name, systems in kit.items():
        ours, peer = systems["ours"], systems.get(PEER, {})
        cells = [f"{ours[key]:.2f}" for key in ("wall_ms", "cpu_ms")]
        second = again.get(name, {}).get(PEER, {})
        cells += [f"{peer[key]:.2f}" if key in peer else "-" for key in ("wall_ms", "cpu_ms")]
        cells += [
            f"{run[key]:.1f}" if key in run else "-"
            for run in (peer, second) for key in ("wall_ratio", "cpu_ratio")
        ]  # fmt: skip
        lines.append(f"| {name} | {' | '.join(cells)} |")
    runs = [
        f"{what}{_means(run)}"
        for what, run in (("Geometric means: ", kit), ("Of the second run: ", again))
        if run
    ]
    return "\n".join(lines) + "\n\n" + "\n\n".join(runs)


def _means(kit: Found) -> str:
    """Return the geometric means of the ratios, as text."""
    draws = [n for n in DRAWS if "wall_ratio" in kit.get(n, {}).get(PEER, {})]
    compute = [n for n in kit if n not in LEFT_OUT and "wall_ratio" in kit[n].get(PEER, {})]
    means = [
        f"{_mean(kit, names, 'wall_ratio'):.1f} in wall time and "
        f"{_mean(kit, names, 'cpu_ratio'):.1f} in CPU time over {what}"
        for names, what in ((draws, ", ".join(draws)), (compute, f"{len(compute)} compute kernels"))
        if names
    ]  # fmt: skip
    return f"{'; '.join(means)}."


def _mean(kit: Found, names: list[str], key: str) -> float:
    return statistics.geometric_mean([kit[n][PEER][key] for n in names])


def limits_table(limits: Found, everything: Found) -> str:
    """Return the bounds, and how far the kit's workloads are from them."""
    lines = ["| limit | CPU ns | of | wall ms, one thread | two | ours, CPU ms | ratio, CPU |",
             "| --- | ---: | --- |" + " ---: |" * 4]  # fmt: skip
    for name, row in limits.items():
        one, two = row["times"]
        ours = everything.get("kit", {}).get(name, {}).get("ours", {})
        compared = "- | -"
        if "cpu_ms" in ours:
            compared = f"{ours['cpu_ms']:.1f} | {ours['cpu_ms'] / one['cpu_ms']:.1f}"
        lines.append(f"| {name} | {one['cpu_ns']:.2f} | {row['unit']} | {one['wall_ms']:.1f} | "
                     f"{two['wall_ms']:.1f} | {compared} |")  # fmt: skip
    return "\n".join(lines)


def growth_table(draws: Found, _all: Found) -> str:
    """Return the constants of all series."""
    lines = ["| against | from | to | fixed, us | CPU ns | of | largest error | most memory, MB |",
             "| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: |"]  # fmt: skip
    for name, series in draws["series"].items():
        points, line = series["points"], series["line"]
        lines.append(
            f"| {name} | {points[0]['value']:,} | {points[-1]['value']:,} | "
            f"{line['fixed_us']:.0f} | {line['each_ns']:.3g} | {SERIES[name].unit} | "
            f"{line['error']:.0%} | {max(p['memory_mb'] for p in points):.1f} |"
        )
    return "\n".join(lines)


def samples_table(draws: Found, _all: Found) -> str:
    """Return CPU times of draws with several samples, as multiples of those with one."""
    rows = {n: draws["series"][n]["points"] for n in ("samples", "lit samples")
            if n in draws["series"]}  # fmt: skip
    counts = [p["value"] for p in next(iter(rows.values()))]
    lines = ["| scene |" + "".join(f" {n} |" for n in counts), "| --- |" + " ---: |" * len(counts)]
    lines += [
        f"| {name} |" + "".join(f" {p['cpu_ms'] / points[0]['cpu_ms']:.2f} |" for p in points)
        for name, points in rows.items()
    ]
    return "\n".join(lines)


def threads_table(draws: Found, _all: Found) -> str:
    """Return what two threads gain over one."""
    lines = ["| scene | one thread, wall ms | two | ratio |", "| --- | ---: | ---: | ---: |"]
    for name, row in draws["threads"].items():
        one, two = row["one"]["wall_ms"], row["two"]["wall_ms"]
        scene = f"{SERIES[name].title} ({row['value']:,})"
        lines.append(f"| {scene} | {one:.1f} | {two:.1f} | {one / two:.2f} |")
    return "\n".join(lines)


def calls_table(calls: Found, _all: Found) -> str:
    """Return what calls and first uses cost."""
    lines = ["| what | wall ms | CPU ms |", "| --- | ---: | ---: |"]
    lines += [f"| {n} | {row['wall']:.3g} | {row['cpu']:.3g} |" for n, row in calls.items()]
    return "\n".join(lines)


def stages_table(stages: Found, _all: Found) -> str:
    """Return how fast stages between vertices and rasteriser are, and memory as a measure."""
    lines = ["| draw | points | wall ms | M/s | times a copy of as many bytes |",
             "| --- |" + " ---: |" * 4]  # fmt: skip
    for name, row in stages.items():
        ratio = f"{row['seconds'] / row['copy_seconds']:.1f}" if "bytes" in row else "-"
        lines.append(f"| {name} | {row['units']:,} | {1e3 * row['seconds']:.1f} | "
                     f"{row['units'] / row['seconds'] / 1e6:.1f} | {ratio} |")  # fmt: skip
    return "\n".join(lines)


def machine_line(draws: Found, _all: Found) -> str:
    """Say what was measured on."""
    m = draws["machine"]
    return f"{m['processor']}, {m['cores']} cores, {m['system']}, Python {m['python']}."


TABLES: dict[str, tuple[str, Callable[[Found, Found], str]]] = {
    "machine": ("draws", machine_line),
    "kit": ("kit", kit_table),
    "limits": ("limits", limits_table),
    "growth": ("draws", growth_table),
    "samples": ("draws", samples_table),
    "threads": ("draws", threads_table),
    "calls": ("calls", calls_table),
    "stages": ("stages", stages_table),
}


def replaced(page: str, name: str, table: str) -> str:
    """Return the page with another table between the comments of a name."""
    start, end = f"<!-- {name} -->\n", f"\n<!-- /{name} -->"
    before, found, rest = page.partition(start)
    _, also_found, after = rest.partition(end)
    if not found or not also_found:
        raise SystemExit(f"{PAGE}: no place for {name}")
    return f"{before}{start}{table}{end}{after}"


def main() -> None:
    """Rewrite the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    files = {name: folder / f"{name}.json" for name in {AGAIN, *(t[0] for t in TABLES.values())}}
    found = {n: json.loads(p.read_text()) for n, p in files.items() if p.exists()}
    page = PAGE.read_text(encoding="utf-8")
    for name, (source, table) in TABLES.items():
        if source not in found:
            print(f"{name}: no {files[source]}, the page keeps what it has")
            continue
        page = replaced(page, name, table(found[source], found))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
