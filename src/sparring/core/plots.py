"""Pictures of results by matplotlib, which is only imported for them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparring.core.errors import SparringError, lacking
from sparring.core.files import atomic_write


@contextmanager
def picture(file: Path, rows: int = 1, size: tuple[float, float] = (8, 4.5)) -> Iterator[Any]:
    """Axes to draw on, or several below each other. At the end they are written to the file."""
    try:
        import matplotlib
    except ImportError as error:
        raise lacking("plots need matplotlib", "plot") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(rows, figsize=size, sharex=True)
    with atomic_write(file) as part:
        try:
            yield axes
            for one in figure.axes:
                one.grid(alpha=0.3)
            figure.tight_layout()
            figure.savefig(part, format=file.suffix[1:] or "png")
        except ValueError as error:
            raise SparringError(f"cannot draw {file}: {error}") from error
        finally:
            pyplot.close(figure)
