"""The rows as an SVG: calls a second and processor time a call, each system beside the floor."""

from collections.abc import Callable
from html import escape
from typing import Any

COLOURS = {"floor": "#9aa4b2", "sqlite": "#2f6f9f", "postgresql": "#c9792b"}
WIDTH, LEFT, BAR, GAP, HEAD = 760, 150, 14, 14, 70


def draw(document: dict[str, Any]) -> str:
    rows = document["rows"]
    calls, height_of_calls = _panel(rows, "Calls a second (more is better)", lambda row: row["callsPerSecond"], HEAD)
    cpu, height = _panel(
        rows, "Processor ms a call (less is better)", lambda row: row["cpuMillisecondsPerCall"], height_of_calls + 30
    )
    legend = "".join(
        f'<rect x="{LEFT + 130 * place}" y="34" width="12" height="12" fill="{colour}"/>'
        f'<text x="{LEFT + 130 * place + 18}" y="44">{name}</text>'
        for place, (name, colour) in enumerate(COLOURS.items())
    )
    title = escape(
        f"{document['server']}, {document['workers']} workers x {document['threads']} threads, "
        f"{document['processors']} processors"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height + 10}" '
        'font-family="system-ui, sans-serif" font-size="12" fill="#26303c" role="img">'
        f"<title>Benchmark: {title}</title>"
        f'<rect width="100%" height="100%" fill="#ffffff"/><text x="10" y="20" font-size="14">{title}</text>'
        f"{legend}{calls}{cpu}</svg>\n"
    )


def _panel(
    rows: list[dict[str, Any]], title: str, value: Callable[[dict[str, Any]], float], top: int
) -> tuple[str, int]:
    largest = max(value(row) for row in rows) or 1
    parts = [f'<text x="10" y="{top}" font-weight="600">{title}</text>']
    y = top + 12
    for delay, clients in dict.fromkeys((row["delay"], row["clients"]) for row in rows):
        parts.append(f'<text x="10" y="{y + BAR}">{delay} ms, {clients} clients</text>')
        for row in (row for row in rows if (row["delay"], row["clients"]) == (delay, clients)):
            width = (WIDTH - LEFT - 80) * value(row) / largest
            parts.append(
                f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR - 2}" fill="{COLOURS[row["system"]]}"/>'
                f'<text x="{LEFT + width + 6:.1f}" y="{y + BAR - 4}" font-size="10">{value(row):g}</text>'
            )
            y += BAR
        y += GAP
    return "".join(parts), y
