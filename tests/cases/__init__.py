"""Cases as data: what people reported of tools like this one, base URLs, provider bodies, engine documents."""

from pathlib import Path

CASES = Path(__file__).parent
