"""Read from the text of a user's file and its modules what they declare and define. Nothing of it is run."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sparring.core.errors import SparringError

HEURISTIC = {"sparring.heuristic", "sparring.core.terms.heuristic"}
AGENT = {"sparring.agent", "sparring.api.agent", "sparring.agents.agent.agent"}
KERNEL = {f"sparring.core.kernel.{name}" for name in ("kernel", "hot", "cold")}
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
PURE = {"bool", "dict", "float", "int", "len", "list", "max", "min", "range", "round", "set", "sum", "tuple"}
"""Functions of Python that change nothing."""
PURE_MODULES = ("math.", "numpy.", "sparring.", "collections.", "typing.")
"""The functions of these change no table that a heuristic may use."""
ACTING = ast.Yield | ast.YieldFrom | ast.Await | ast.NamedExpr | ast.Lambda


@dataclass(frozen=True)
class Binding:
    """The last statement at the top of a module that gives a name its meaning."""

    statement: ast.stmt
    imported: tuple[str, str] | None = None
    """A module, and the name in it; the name is empty if the module itself is meant."""
    value: ast.expr | None = None
    place: int | None = None
    """The place in the value, if that is unpacked to several names."""

    @property
    def line(self) -> int:
        return self.statement.lineno


@dataclass
class ModuleTree:
    """One module of a user: its statements, and what each name at its top means."""

    name: str
    file: Path
    text: bytes
    package: str = ""
    """The package from which its relative imports start."""
    bound: dict[str, Binding] = field(default_factory=dict)
    stars: list[tuple[str, ast.stmt]] = field(default_factory=list)
    acts: bool = False
    """True if more is run when it is imported than definitions and simple assignments. That may change any table."""

    def __post_init__(self) -> None:
        try:
            self.tree = ast.parse(self.text, str(self.file))
        except SyntaxError as error:
            raise SparringError(f"{self.file}{f':{error.lineno}' if error.lineno else ''}: {error.msg}") from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise SparringError(f"{self.file}: it cannot be read as Python: {error}") from error
        for statement in self.tree.body:
            self._note(statement)
        if self.acts:
            for node in ast.walk(self.tree):
                if isinstance(node, ast.Global):
                    self._run(node, node.names)

    @property
    def late_annotations(self) -> bool:
        return self.bound.get("annotations", Binding(ast.Pass())).imported == ("__future__", "annotations")

    def _note(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Import():
                for alias in statement.names:
                    first = alias.name.partition(".")[0]
                    module = alias.name if alias.asname else first
                    self.bound[alias.asname or first] = Binding(statement, (module, ""))
            case ast.ImportFrom():
                module = self._module_of(statement)
                for alias in statement.names:
                    if alias.name == "*":
                        self.stars.append((module, statement))
                    else:
                        self.bound[alias.asname or alias.name] = Binding(statement, (module, alias.name))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.bound[statement.name] = Binding(statement)
            case ast.Assign():
                for target in statement.targets:
                    self._assign(statement, target, statement.value)
            case ast.AnnAssign():
                if statement.value:
                    self._assign(statement, statement.target, statement.value)
            case ast.Pass() | ast.Expr(ast.Constant()):
                pass
            case ast.If() if _never_true_here(statement.test):
                for other in statement.orelse:
                    self._note(other)
            case _:
                self.acts = True
                self._run(statement, [*_stored(statement)])

    def _run(self, statement: ast.AST, names: list[str]) -> None:
        """Note names whose values are known only after running the module."""
        for name in names:
            self.bound[name] = Binding(statement)  # type: ignore[arg-type]

    def _assign(self, statement: ast.stmt, target: ast.expr, value: ast.expr) -> None:
        self.acts |= not self._is_pure(value)
        match target:
            case ast.Name():
                self.bound[target.id] = Binding(statement, value=value)
            case ast.Tuple() | ast.List() if all(isinstance(one, ast.Name) for one in target.elts):
                listed = value.elts if isinstance(value, ast.Tuple | ast.List) else []
                for place, one in enumerate(target.elts):
                    assert isinstance(one, ast.Name)
                    alone = len(listed) == len(target.elts)
                    part = listed[place] if alone else value
                    self.bound[one.id] = Binding(statement, value=part, place=None if alone else place)
            case _:
                self.acts = True
                self._run(statement, [*_stored(statement)])

    def _is_pure(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Lambda):
            return True  # it is called later
        for node in ast.walk(value):
            if isinstance(node, ACTING):
                return False
            if isinstance(node, ast.Call):
                origin = self.origin(node.func)
                if not (origin in PURE or origin.startswith(PURE_MODULES)):
                    return False
        return True

    def _module_of(self, statement: ast.ImportFrom) -> str:
        """The full name of the module that a statement imports from."""
        if not statement.level:
            return statement.module or ""
        parents = self.package.split(".") if self.package else []
        start = parents[: len(parents) - statement.level + 1]
        return ".".join([*start, *([statement.module] if statement.module else [])])

    def origin(self, node: ast.expr) -> str:
        """The full name of what a name means, such as `sparring.heuristic`; the name itself if it is not imported."""
        if isinstance(node, ast.Attribute):
            return f"{self.origin(node.value)}.{node.attr}"
        if not isinstance(node, ast.Name):
            return ""
        if node.id in self.bound:
            imported = self.bound[node.id].imported
            return ".".join(filter(None, imported)) if imported else f"{self.name}.{node.id}"
        stars = sorted((module for module, _ in self.stars if module.partition(".")[0] == "sparring"), key=len)
        return f"{stars[0]}.{node.id}" if stars and node.id not in PURE else node.id


@dataclass(frozen=True)
class Declaration:
    """A function or a class that stands under `@heuristic` or `@agent`, as its file tells it."""

    name: str
    game: str
    """Empty if the declaration names none."""
    node: Definition | None
    """None if only running the file shows the declaration, which another function makes."""
    options: Mapping[str, ast.expr]
    """The arguments of the decorator that have names."""
    whole_agent: bool
    line: int
    fault: str = ""
    """Why it cannot be used, in a line; an empty text if nothing is known to be wrong."""


def may_declare_more(module: ModuleTree) -> bool:
    """True if running a file may show agents that its text does not, such as those under a decorator of its own."""
    return module.acts or any(
        module.origin(one.func if isinstance(one, ast.Call) else one) not in HEURISTIC | AGENT | KERNEL
        for statement in module.tree.body
        if isinstance(statement, Definition)
        for one in statement.decorator_list
    )


def declarations(module: ModuleTree) -> list[Declaration]:
    """List the declarations of the main module of a file, in their order."""
    found = {}
    for statement in module.tree.body:
        if isinstance(statement, Definition):
            for decorator in statement.decorator_list:
                call = decorator if isinstance(decorator, ast.Call) else None
                origin = module.origin(call.func if call else decorator)
                if origin in HEURISTIC | AGENT:
                    found[statement.name] = _declaration(statement, call, decorator.lineno, origin in AGENT)
    return [*found.values()]


def _declaration(node: Definition, call: ast.Call | None, line: int, whole_agent: bool) -> Declaration:
    kind = "agent" if whole_agent else "heuristic"
    options = {str(one.arg): one.value for one in (call.keywords if call else []) if one.arg != "game"}
    given = [*(call.args if call else []), *(one.value for one in (call.keywords if call else []) if one.arg == "game")]
    game = given[0].value if given and isinstance(given[0], ast.Constant) else None
    fault = ""
    if not isinstance(game, str):
        game = ""
        fault = f'say for which game the {kind} is: @{kind}("NAME"); `spar games` lists them'
    elif len(given) > 1:
        fault = f'@{kind}("{game}") takes one text, the name of the game, and options by their names'
    elif whole_agent:
        fault = _fault_of_agent(node)
    elif not isinstance(node, ast.FunctionDef) or len(node.args.posonlyargs + node.args.args) < 2:
        fault = f"a heuristic is a function of a state and a player: def {node.name}(s, me)"
    return Declaration(node.name, game, node, options, whole_agent, line, fault)


def _fault_of_agent(node: Definition) -> str:
    """Why a class cannot be an agent. One that is derived from another is judged when it is loaded."""
    if not isinstance(node, ast.ClassDef) or node.bases or node.decorator_list[1:]:
        return ""
    methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    given = {name for one in node.body for name in _stored(one)}
    if "decide" not in methods.keys() | given:
        return f"the class {node.name} needs a method decide(self, view) that returns a move"
    if "__init__" in methods:
        each = methods["__init__"].args
        plain = [one.arg for one in (each.posonlyargs + each.args)[1:]]
        needed = plain[: len(plain) - len(each.defaults)]
        needed += [one.arg for one, default in zip(each.kwonlyargs, each.kw_defaults, strict=True) if default is None]
        if needed:
            told = f"the class {node.name} is made without arguments for each game"
            return f"{told}; give {', '.join(needed)} of its __init__ a default"
    return ""


def _never_true_here(test: ast.expr) -> bool:
    """True for `if TYPE_CHECKING` and `if __name__ == "__main__"`."""
    match test:
        case ast.Name("TYPE_CHECKING") | ast.Attribute(_, "TYPE_CHECKING"):
            return True
        case ast.Compare(ast.Name("__name__"), [ast.Eq()], [ast.Constant("__main__")]):
            return True
    return False


def _stored(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement gives a meaning to."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Definition):
            yield node.name
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        waiting += [] if isinstance(node, ast.Lambda) else ast.iter_child_nodes(node)
