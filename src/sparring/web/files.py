"""The user's folder: plain Python files in it are listed, read, written and tried. Nothing outside of it is touched."""

import ast
import errno
import hashlib
import os
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from sparring.core.errors import SparringError
from sparring.core.files import written_whole
from sparring.web import bodies
from sparring.web.answers import Refusal

if TYPE_CHECKING:
    from sparring.web.server import Server

KINDS = {"heuristic": "heuristics", "agent": "agents"}
"""The decorators by which a file declares something."""
PATIENCE = 15.0
"""Seconds after which nothing more is tried."""
FILE_NAME = TypeAdapter[str](bodies.FileName)


def listing(server: "Server") -> bodies.Folder:
    """The user's files, and what they declare."""
    if server.folder is None:
        return bodies.Folder(folder=None, files=[])
    names = sorted(entry.name for entry in os.scandir(server.folder) if _usable(entry))
    return bodies.Folder(folder=server.folder.name, files=[_listed(server, name) for name in names])


def _usable(entry: "os.DirEntry[str]") -> bool:
    """A plain file with a plain name. What is a link, and may lead anywhere, is not there."""
    try:
        FILE_NAME.validate_python(entry.name)
    except ValidationError:
        return False
    return entry.is_file(follow_symlinks=False)


def _listed(server: "Server", name: str) -> bodies.FileListed:
    told: dict[str, list[str]] = {kind: [] for kind in KINDS.values()}
    try:
        for kind, declared, _ in declarations(_read(server, name)):
            told[kind].append(declared)
    except (SyntaxError, SparringError):
        pass  # it is listed all the same, to be mended
    return bodies.FileListed(name=name, **told)


def declarations(text: str) -> Iterator[tuple[str, str, str]]:
    """What a file declares, without running it: `heuristics` or `agents`, the name, and the game."""
    try:
        body = ast.parse(text).body
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from error
    for node in body:
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            if isinstance(decorator, ast.Call) and decorator.args and isinstance(decorator.args[0], ast.Constant):
                called = decorator.func
                name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                if name in KINDS and isinstance(node, ast.FunctionDef):
                    yield KINDS[name], node.name, str(decorator.args[0].value)


def read(server: "Server", name: bodies.FileName) -> bodies.File:
    """What a file says."""
    text = _read(server, name)
    return bodies.File(name=name, text=text, changed=_tag(text))


def _place(server: "Server", name: str) -> Path:
    if server.folder is None:
        raise Refusal(404, "no folder was named for files: spar web --folder DIR")
    return server.folder / name


def _read(server: "Server", name: str) -> str:
    try:
        with os.fdopen(os.open(_place(server, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise IsADirectoryError(errno.EISDIR, "it is no plain file")
            found = file.read(bodies.MOST_LETTERS + 1)
        if len(found) > bodies.MOST_LETTERS:
            raise SparringError(f"{name} is longer than {bodies.MOST_LETTERS >> 10} kB; edit it elsewhere")
        return found.decode()
    except UnicodeDecodeError as error:
        raise SparringError(f"{name} is not a text in UTF-8") from error
    except OSError as error:
        raise Refusal(404, f"no file {name} in the folder of the page: {error.strerror}") from error


def _tag(text: str) -> str:
    """What a file is known by as it was when it was read."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def write(server: "Server", name: bodies.FileName, asked: bodies.FileWritten) -> bodies.FileSaved:
    """Write a file, whole or not at all, and not over what somebody else has written meanwhile."""
    place = _place(server, name)
    try:
        asked.text.encode()
    except UnicodeEncodeError as error:
        raise SparringError("this is no text that a file can hold") from error
    with server.writing:
        if os.path.lexists(place) and (asked.changed is None or asked.changed != _tag(_read(server, name))):
            raise Refusal(409, f"{name} has changed since it was read; read it again")
        with written_whole(place) as part:
            part.write_text(asked.text, encoding="utf-8", newline="")
    return bodies.FileSaved(name=name, changed=_tag(asked.text))


# Trying them


def check(server: "Server", name: bodies.FileName, asked: bodies.Rules) -> bodies.Checked:
    """Whether what a file declares for a game can be loaded, compiled and asked for a move, in a process of its own."""
    from sparring.web.shelf import set_up

    game = set_up(asked)
    told: dict[str, list[bodies.Declared]] = {kind: [] for kind in KINDS.values()}
    errors: list[bodies.Fault] = []
    try:
        found = [one for one in declarations(_read(server, name)) if one[2] == asked.game]
    except SyntaxError as error:
        return bodies.Checked(ok=False, errors=[bodies.Fault(line=error.lineno, message=error.msg)], **told)
    ok = bool(found)
    if not found:
        message = f'it declares nothing for {asked.game}; put @heuristic("{asked.game}") above a function'
        errors.append(bodies.Fault(line=None, message=message))
    until = time.monotonic() + PATIENCE
    for kind, declared, _ in found:
        spec = f"{name}:{declared}"
        told[kind].append(bodies.Declared(name=declared, spec=spec, game=asked.game))
        try:
            if time.monotonic() > until:
                raise SparringError(f"{spec} was not tried: those before it took too long")
            warned = server.agents.prove(game, spec)
        except SparringError as error:
            ok, warned = False, [str(error)]
        errors += [_fault(name, said) for said in warned]
    return bodies.Checked(ok=ok, errors=list({(one.line, one.message): one for one in errors}.values()), **told)


def _fault(name: str, said: str) -> bodies.Fault:
    """An error with the line of the file that it names, if it does."""
    lines = re.findall(rf"{re.escape(name)}:(\d+)", said)
    message = re.sub(rf"\S*{re.escape(name)}:\d+: ", "", said)
    return bodies.Fault(line=int(lines[-1]) if lines else None, message=message)
