"""A user's first file: a copy of the game's `idea.py` under the user's own name.

For a game without one it is a plain heuristic, with a list of the fields of the game's state."""

import ast
import keyword
import re
import shlex
from pathlib import Path

from sparring.core.errors import SparringError
from sparring.core.files import cannot_write
from sparring.games import registry

PLAIN = """\
\"\"\"A heuristic for {title}: how good is a position for a player?

Is it any better than others?

    spar match {command}
\"\"\"

from sparring import Terms, heuristic


# The value of a position is the sum of its terms, each times its weight. A weight is 1 if none is named here.
@heuristic("{game}")
def idea(s, me):
    \"\"\"Say here what it values.\"\"\"
    return Terms(something=0.0)


# `me` is the player, counted from 0. The state `s` has these fields:
#
{fields}
"""


def begin(game: str, file: Path) -> list[str]:
    """Write the file. Return the commands to try next, which the file itself lists."""
    text = starter(game, file)
    try:
        with file.open("x", encoding="utf-8") as written:
            written.write(text)
    except FileExistsError as error:
        raise SparringError(f"{file} is there already; choose another name") from error
    except OSError as error:
        raise cannot_write(file, error) from error
    told = (ast.get_docstring(ast.parse(text)) or "").splitlines()
    return [line.strip() for line in told if line.strip().startswith("spar ")]


def starter(game: str, file: Path) -> str:
    """Return the text of a user's first file."""
    template, name = _template(game), file.stem
    if file.suffix != ".py":
        raise SparringError(f"{file} is no Python file; choose a name such as my_idea.py")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise SparringError(f"no heuristic can be called as {file} is; choose a name such as my_idea.py")
    if name in {node.id for node in ast.walk(ast.parse(template)) if isinstance(node, ast.Name)} - {"idea"}:
        raise SparringError(f"{name} means something else in such a file; choose a name such as my_idea.py")
    called = shlex.quote(str(file))
    return re.sub(r"\bidea(\.py)?\b", lambda found: called if found[1] else name, template)


def _template(name: str) -> str:
    """Return the `idea.py` of a game, or a plain one."""
    if (file := registry.folder(name) / "idea.py").is_file():
        return file.read_text(encoding="utf-8")
    game = registry.game(name)
    fields = "\n".join(f"#   s.{field}: {game.state[field]}" for field in game.state.names or ())
    command = " ".join([name, "idea.py", *["random"] * (game.seats - 1), "--games 100"])
    return PLAIN.format(title=game.title or name.capitalize(), game=name, command=command, fields=fields)
