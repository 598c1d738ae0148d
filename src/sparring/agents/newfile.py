"""A user's first file: the starting point of a game, `idea.py` of its folder, under a name of the user's own."""

import ast
import keyword
import re
import shlex
from pathlib import Path

from sparring.core.errors import SparringError
from sparring.games import registry


def begin(game: str, file: Path) -> list[str]:
    """Write the file; the commands to go on with, as it names them itself."""
    pattern, name = (registry.folder(game) / "idea.py").read_text(), file.stem
    if file.suffix != ".py" or not name.isidentifier() or keyword.iskeyword(name):
        raise SparringError(f"no heuristic can be called as {file} is; choose a name such as my_idea.py")
    if name in _meant(pattern):
        raise SparringError(f"{name} means something else in such a file; choose a name such as my_idea.py")
    called = shlex.quote(str(file))
    text = re.sub(r"\bidea(\.py)?\b", lambda found: called if found[1] else name, pattern)
    try:
        with file.open("x") as written:
            written.write(text)
    except FileExistsError as error:
        raise SparringError(f"{file} is there already; choose another name") from error
    except OSError as error:
        raise SparringError(f"cannot write {file}: {error.strerror}") from error
    told = (ast.get_docstring(ast.parse(text)) or "").splitlines()
    return [line.strip() for line in told if line.strip().startswith("spar ")]


def _meant(text: str) -> set[str]:
    """The names that a file knows already, but for its own."""
    nodes = list(ast.walk(ast.parse(text)))
    imported = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    return imported | {node.id for node in nodes if isinstance(node, ast.Name)} - {"idea"}
