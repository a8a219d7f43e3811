"""Which files of the paths on a command line become documents, and under which names."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from apps.knowledge.reading.documents import SUFFIXES

MAX_NAME = 200


@dataclass(frozen=True, slots=True)
class FoundFile:
    """``name`` is the document's: a file's own name, or with the folders below the one that was given."""

    name: str
    path: Path


def found_files(paths: Iterable[Path]) -> list[FoundFile]:
    """Files as given; of folders, sorted, those of a known kind that are neither hidden nor links.

    Raises `FileNotFoundError` for a path that does not exist, `ValueError` when two files would have one name.
    """
    found: dict[str, FoundFile] = {}
    for path in paths:
        for file in _files_of(path):
            if file.name in found and found[file.name].path.resolve() != file.path.resolve():
                raise ValueError(file.name)
            found.setdefault(file.name, file)
    return list(found.values())


def _files_of(path: Path) -> Iterator[FoundFile]:
    if not path.exists():
        raise FileNotFoundError(path)
    if path.is_file():
        yield FoundFile(path.name, path)
        return
    root = path.resolve()
    for file in sorted(root.rglob("*")):
        inside = file.relative_to(root)
        hidden = any(part.startswith(".") for part in inside.parts)
        if file.is_file() and not file.is_symlink() and not hidden and file.suffix.lower() in SUFFIXES:
            yield FoundFile(f"{root.name}/{inside.as_posix()}", file)
