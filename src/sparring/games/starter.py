"""Write the package of a new game: starter.txt with the user's names."""

import keyword
import re
from importlib.util import find_spec
from pathlib import Path

from sparring.core.errors import SparringError
from sparring.core.files import cannot_write
from sparring.games import registry


def begin(name: str, folder: Path) -> list[str]:
    """Write the package of a game. Returns the commands to continue with."""
    if not re.fullmatch("[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise SparringError(f"no game can be called {name!r}; choose a name such as my_game")
    if name in registry.names() or find_spec(name):
        raise SparringError(f"there is a package or a game called {name} already; choose another name")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SparringError(f"{folder} is there already; name a folder to make")
    title = name.replace("_", " ").title().replace(" ", "")
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    for old, new in {"my_game": name, "my-game": name.replace("_", "-"), "MyGame": title}.items():
        text = text.replace(old, new)
    try:
        for file, said in re.findall(r"(?ms)^--- (\S+)\n(.*?)\n*(?=^--- |\Z)", text):
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(f"{said}\n", encoding="utf-8")
    except OSError as error:
        raise cannot_write(folder, error) from error
    return [f"pip install -e {folder}", f"spar check {name}", f"spar match {name} fours random"]
