"""Isolation's own agents. (This file belongs to the agents' floor: only agents/spec.py loads it.)"""

AGENTS: dict[str, object] = {}
