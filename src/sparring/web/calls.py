"""A call of the API, and its description as OpenAPI 3.1.

The types of the function that answers a call say what it takes and returns. They check requests, write answers, and
make the description.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from sparring import __version__

PATH, QUERY, JSON, TEXT = "path", "query", "application/json", "text/plain"
ABOUT = "The calls of the page of `spar web`. A game is a value: its start and the moves that were made."
REF = "#/components/schemas/{model}"


class Input(NamedTuple):
    """A parameter of a function, and the part of a request that it comes from."""

    name: str
    source: str
    type: TypeAdapter[Any]


@dataclass(eq=False)
class Call:
    """A method, a path and the function that answers. Its first parameter is the server."""

    method: str
    path: str
    function: Callable[..., Any]
    slow: bool = False
    """True if it may take so long that it must not hold up others."""

    @cached_property
    def inputs(self) -> list[Input]:
        _, *parameters = inspect.signature(self.function).parameters.values()
        return [Input(one.name, self._source(one), TypeAdapter(one.annotation)) for one in parameters]

    def _source(self, parameter: inspect.Parameter) -> str:
        if f"{{{parameter.name}}}" in self.path:
            return PATH
        return QUERY if self.method == "GET" else TEXT if parameter.annotation is str else JSON

    @cached_property
    def output(self) -> TypeAdapter[Any]:
        """Type of the answer, or of each event."""
        result = inspect.signature(self.function).return_annotation
        return TypeAdapter(result.__metadata__[0] if self.streams else result)

    @property
    def streams(self) -> bool:
        """True if the answer is a stream of server-sent events."""
        return inspect.isasyncgenfunction(self.function)

    @property
    def summary(self) -> str:
        return " ".join((inspect.getdoc(self.function) or "").partition("\n\n")[0].split())


def description(calls: Sequence[Call], error: type[BaseModel]) -> dict[str, Any]:
    """Describe the API as OpenAPI 3.1. Every refusal is an `error`."""
    schemas = {error.__name__: error.model_json_schema()}
    refusal = _content("Refused; the error names the remedy.", JSON, {"$ref": REF.format(model=error.__name__)})
    paths: dict[str, dict[str, Any]] = {}
    for call in calls:
        paths.setdefault(call.path, {})[call.method.lower()] = _operation(call, schemas, refusal)
    info = {"title": "spar web", "version": __version__, "description": ABOUT}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


def _operation(call: Call, schemas: dict[str, Any], refusal: dict[str, Any]) -> dict[str, Any]:
    media_type = "text/event-stream" if call.streams else JSON
    success = _content(call.summary, media_type, _schema(call.output, schemas, "serialization"))
    operation: dict[str, Any] = {
        "operationId": f"{call.function.__module__.rpartition('.')[2]}_{call.function.__name__}",
        "summary": call.summary,
        "parameters": [],
        "responses": {"200": success, "4XX": refusal},
    }
    for name, source, type_ in call.inputs:
        schema = _schema(type_, schemas)
        if source == PATH:
            operation["parameters"].append({"name": name, "in": PATH, "required": True, "schema": schema})
        elif source == QUERY:
            required = schema.get("required", ())
            operation["parameters"] += [
                {"name": field, "in": QUERY, "required": field in required, "schema": kind}
                for field, kind in schema["properties"].items()
            ]
        else:
            operation["requestBody"] = {"required": True, "content": {source: {"schema": schema}}}
    return operation


def _schema(kind: TypeAdapter[Any], schemas: dict[str, Any], mode: JsonSchemaMode = "validation") -> dict[str, Any]:
    """Return the schema of a type, and add those of the models in it to `schemas`."""
    schema = kind.json_schema(ref_template=REF, mode=mode)
    schemas |= schema.pop("$defs", {})
    return schema


def _content(summary: str, media_type: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": summary, "content": {media_type: {"schema": schema}}}
