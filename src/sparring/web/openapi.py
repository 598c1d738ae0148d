"""The description of the API, made from the table of calls and the types of their functions."""

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from sparring import __version__
from sparring.web import bodies
from sparring.web.calls import CALLS, JSON, PATH, QUERY, Call

if TYPE_CHECKING:
    from sparring.web.server import Server

ABOUT = "What the page of `spar web` asks its server. A game is a value: where it began, and the moves that were made."
REF = "#/components/schemas/{model}"
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


def describe(server: "Server") -> dict[str, Any]:
    """This description, as OpenAPI 3.1."""
    shared: dict[str, Any] = {"Error": bodies.Error.model_json_schema()}
    paths: dict[str, dict[str, Any]] = {}
    for call in CALLS:
        paths.setdefault(call.path, {})[call.method.lower()] = _operation(call, shared)
    about = {"title": "spar web", "version": __version__, "description": ABOUT}
    return {"openapi": "3.1.0", "info": about, "paths": paths, "components": {"schemas": shared}}


def _operation(call: Call, shared: dict[str, Any]) -> dict[str, Any]:
    answer = _schema(call.answers, shared, "serialization")
    kind = "text/event-stream" if call.streams else JSON
    error = {"$ref": REF.format(model="Error")}
    refusals = {status: _content(why, JSON, error) for status, why in STATUSES.items()}
    told: dict[str, Any] = {
        "operationId": call.does.replace(":", "_"),
        "summary": call.about,
        "parameters": [],
        "responses": {"200": _content(call.about, kind, answer), **refusals},
    }
    for name, place, type_ in call.takes:
        schema = _schema(type_, shared)
        if place == PATH:
            told["parameters"].append({"name": name, "in": PATH, "required": True, "schema": schema})
        elif place == QUERY:
            needed, fields = schema.get("required", ()), schema["properties"].items()
            told["parameters"] += [
                {"name": one, "in": QUERY, "required": one in needed, "schema": field} for one, field in fields
            ]
        else:
            told["requestBody"] = {"required": True, "content": {place: {"schema": schema}}}
    return told


def _schema(kind: TypeAdapter[Any], shared: dict[str, Any], mode: JsonSchemaMode = "validation") -> dict[str, Any]:
    """Of whatever is asked or answered; the models in it are put among those that are shared."""
    found = kind.json_schema(ref_template=REF, mode=mode)
    shared |= found.pop("$defs", {})
    return found


def _content(about: str, kind: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": about, "content": {kind: {"schema": schema}}}
