"""Runs the example notebook. `python tests/notebooks.py [COPY]` stores it with its outputs."""

import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

FIRST_STEPS = Path(__file__).parent.parent / "examples/first_steps.ipynb"
MEASURED = re.compile(r"[\d.,]+(?: v [\d.,]+)? (?=(?:ms|s)\b)")
IDENTITY = re.compile(r"\b[0-9a-f]{12}\b")
"""An experiment, which other code makes another one."""


def executed() -> Any:
    """The example with its outputs, but for what is told while it works, and the markers of each run."""
    notebook = nbformat.read(FIRST_STEPS, as_version=4)
    NotebookClient(notebook, timeout=300, config=Config({"KernelManager": {"transport": "ipc"}})).execute()
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            shown = [one for one in cell.outputs if one.get("name") != "stderr" and one.output_type != "display_data"]
            cell.outputs, cell.execution_count = shown, None
            for one in shown:
                if "execution_count" in one:
                    one.execution_count = None
    return notebook


def texts(notebook: Any) -> list[str]:
    """The outputs of each cell as text, without times and names of experiments."""
    cells = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    told = ["\n".join(one.get("text") or one.data["text/plain"] for one in outputs) for outputs in cells]
    return [IDENTITY.sub("ID", MEASURED.sub("", text)) for text in told]


if __name__ == "__main__":
    nbformat.write(executed(), sys.argv[1] if len(sys.argv) > 1 else FIRST_STEPS)
