"""Calls for the user's folder: list, read, write and check plain Python files. Nothing outside of it is touched."""

import ast
import errno
import hashlib
import os
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from starlette.exceptions import HTTPException

from sparring.agents.starter_file import starter
from sparring.core.errors import SparringError
from sparring.core.files import atomic_write
from sparring.web import bodies
from sparring.web.server import Server
from sparring.web.workspace import Thinker, Workspace, set_up

KINDS = {"heuristic": "heuristics", "agent": "agents"}
"""The decorators by which a file declares something."""
FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
"""How a file is opened: not through a link, and without waiting for a pipe, where the system can."""
CHECK_SECONDS = 15.0
"""No further declaration is checked after this time."""


def declarations(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield what a file declares, without running it: the kind, the name and the game of each function or class."""
    try:
        body = ast.parse(text).body
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from error
    for node in (node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)):
        for decorator in node.decorator_list:
            match decorator:
                case ast.Call(
                    func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Constant(value=game), *_]
                ) if name in KINDS:
                    yield KINDS[name], node.name, str(game)


def folder(server: Server) -> bodies.FolderBody:
    """List the user's files and what they declare. Links may lead anywhere, so they are left out."""
    if server.folder is None:
        return bodies.FolderBody(folder=None, files=[])
    plain = [entry.name for entry in os.scandir(server.folder) if entry.is_file(follow_symlinks=False)]
    names = sorted(name for name in plain if re.fullmatch(bodies.FILE_NAME, name))
    return bodies.FolderBody(folder=server.folder.name, files=[_entry(server, name) for name in names])


def _entry(server: Server, name: str) -> bodies.FileEntryBody:
    names: dict[str, list[str]] = {kind: [] for kind in KINDS.values()}
    try:
        for kind, declared, _ in declarations(_read(server, name)):
            names[kind].append(declared)
    except (SyntaxError, SparringError, HTTPException):
        pass  # the file is listed all the same, so that it can be corrected
    return bodies.FileEntryBody(name=name, **names)


def read(server: Server, name: bodies.FileName) -> bodies.FileBody:
    """Return the text of a file."""
    text = _read(server, name)
    return bodies.FileBody(name=name, text=text, changed=_tag(text))


def begin(server: Server, name: bodies.FileName, request: bodies.RulesRequest) -> bodies.StarterBody:
    """Return the text that a new file for a game starts from. Nothing is written."""
    return bodies.StarterBody(text=starter(request.game, Path(name)))


def _path(server: Workspace, name: str) -> Path:
    if server.folder is None:
        raise HTTPException(404, "the page has no folder for files; start it with spar web --folder DIR")
    return server.folder / name


def _read(server: Workspace, name: str) -> str:
    try:
        with os.fdopen(os.open(_path(server, name), FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise IsADirectoryError(errno.EISDIR, "not a plain file")
            content = file.read(bodies.MAX_FILE + 1)
        if len(content) > bodies.MAX_FILE:
            raise SparringError(f"{name} is longer than {bodies.MAX_FILE >> 10} kB; edit it elsewhere")
        return content.decode()
    except UnicodeDecodeError as error:
        raise SparringError(f"{name} is not text in UTF-8") from error
    except OSError as error:
        raise HTTPException(404, f"no file {name} in the folder of the page: {error.strerror}") from error


def _tag(text: str) -> str:
    """Return a tag of the content of a file, by which a later change is noticed."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def write(server: Server, name: bodies.FileName, request: bodies.FileRequest) -> bodies.SavedFileBody:
    """Write a file as a whole, unless somebody else has changed it since it was read."""
    path = _path(server, name)
    with server.file_lock:
        if os.path.lexists(path) and request.changed != _tag(_read(server, name)):
            raise HTTPException(409, f"{name} has changed since it was read; read it again")
        with atomic_write(path) as part:
            part.write_text(request.text, encoding="utf-8", newline="")
    return bodies.SavedFileBody(name=name, changed=_tag(request.text))


def check(server: Thinker, name: bodies.FileName, request: bodies.RulesRequest) -> bodies.CheckBody:
    """Load and compile what a file declares for a game, and ask it for a move, in a process of its own."""
    game = set_up(request)
    try:
        specs = [f"{name}:{one}" for _, one, of in declarations(_read(server, name)) if of == request.game]
    except SyntaxError as error:
        return bodies.CheckBody(ok=False, errors=[bodies.FileErrorBody(line=error.lineno, message=error.msg)], specs=[])
    ok, messages, deadline = bool(specs), list[str](), time.monotonic() + CHECK_SECONDS
    if not specs:
        messages.append(f'it declares nothing for {request.game}; put @heuristic("{request.game}") above a function')
    for spec in specs:
        try:
            if time.monotonic() > deadline:
                raise SparringError(f"{spec} was not checked: those before it took too long")
            messages += server.agents.try_out(game, spec)
        except SparringError as error:
            ok, messages = False, [*messages, str(error)]
    return bodies.CheckBody(ok=ok, errors=[_file_error(name, one) for one in dict.fromkeys(messages)], specs=specs)


def _file_error(name: str, message: str) -> bodies.FileErrorBody:
    """Return an error with the line of the file that its message names, if it names one."""
    lines = re.findall(rf"{re.escape(name)}:(\d+)", message)
    message = re.sub(rf"\S*{re.escape(name)}:\d+: ", "", message)
    return bodies.FileErrorBody(line=int(lines[-1]) if lines else None, message=message)
