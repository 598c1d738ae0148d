"""The description of the API, made from the table of calls and the models that serve it."""

import re
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from sparring import __version__
from sparring.web import bodies
from sparring.web.calls import CALLS, PATH, Call

ABOUT = "What the page of `spar web` asks its server. A game is a value: where it began, and the moves that were made."
REF = "#/components/schemas/{model}"
JSON, TEXT, STREAM = "application/json", "text/plain", "text/event-stream"
STATUSES = {
    "400": "What was asked cannot be done; the error names the remedy.",
    "401": "The token is missing.",
    "403": "Another host or another page than ours asks.",
    "404": "There is no such thing.",
    "405": "There is such a path, but not for this method.",
    "408": "It took too long.",
    "409": "It has changed meanwhile.",
    "413": "Too much was sent.",
    "415": "It was sent as something else than what it is.",
    "429": "Too many at once.",
}


def described() -> dict[str, Any]:
    """As OpenAPI 3.1 has it."""
    asked = [(model, "validation") for call in CALLS for model in (call.body,) if model]
    models: list[tuple[Any, JsonSchemaMode]] = [*asked, (bodies.Error, "serialization")]  # type: ignore[list-item]
    _, definitions = models_json_schema(models, ref_template=REF)
    schemas = dict(definitions["$defs"])
    paths: dict[str, dict[str, Any]] = {}
    for call in CALLS:
        paths.setdefault(call.path, {})[call.method.lower()] = _operation(call, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "spar web", "version": __version__, "description": ABOUT},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _operation(call: Call, schemas: dict[str, Any]) -> dict[str, Any]:
    answer = _schema(call.answers, "serialization", schemas)
    told: dict[str, Any] = {
        "operationId": call.does.replace(":", "_"),
        "summary": call.about,
        "parameters": [*_in_path(call), *_in_query(call)],
        "responses": {
            "200": {"description": call.about, "content": {STREAM if call.streams else JSON: {"schema": answer}}},
            **{status: _refusal(why) for status, why in STATUSES.items()},
        },
    }
    if call.body:
        schema = {"$ref": REF.format(model=call.body.__name__)}
        told["requestBody"] = {"required": True, "content": {JSON: {"schema": schema}}}
    if call.text:
        told["requestBody"] = {"required": True, "content": {TEXT: {"schema": {"type": "string"}}}}
    return told


def _schema(kind: Any, mode: JsonSchemaMode, schemas: dict[str, Any]) -> dict[str, Any]:
    """Of whatever is answered; the models in it are put among the others."""
    found = TypeAdapter(kind).json_schema(ref_template=REF, mode=mode)
    schemas |= found.pop("$defs", {})
    return found


def _in_path(call: Call) -> list[dict[str, Any]]:
    names = re.findall(r"{(\w+)}", call.path)
    return [{"name": name, "in": "path", "required": True, "schema": PATH[name].json_schema()} for name in names]


def _in_query(call: Call) -> list[dict[str, Any]]:
    schema = call.query.model_json_schema() if call.query else {}
    needed = schema.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in needed, "schema": one}
        for name, one in schema.get("properties", {}).items()
    ]


def _refusal(why: str) -> dict[str, Any]:
    return {"description": why, "content": {JSON: {"schema": {"$ref": REF.format(model="Error")}}}}


def describe(server: Any) -> dict[str, Any]:
    return described()
