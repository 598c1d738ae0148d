"""Sparring's games for other libraries. Each module needs its extra: `zoo`, `spiel` or `mcp`."""
