"""A timeline as one HTML page: no script, nothing loaded from elsewhere, light and dark, with links between rounds."""

from pathlib import Path

from sparring.core.files import atomic_write
from sparring.core.markup import Html, document, section, table, tag
from sparring.games.flagwar.picture import COLOURS, round_svg, svg
from sparring.games.flagwar.state import SIDES
from sparring.games.flagwar.timeline import RoundEvaluation, RoundReport, Timeline, signed
from sparring.games.registry import game as make_game

STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
BRIGHT = ("#6aa9ee", "#f0765c")  # the sides' colours of lines and letters in dark mode
DARK = "".join(
    f".board text[fill='{light}'] {{ fill: {bright} }} .board [stroke='{light}'] {{ stroke: {bright} }}\n"
    for light, bright in zip(COLOURS, BRIGHT, strict=True)
)
LEGEND = (
    "Hollow discs show where pieces began, full discs where they are after the round. A dashed arrow is a command, a "
    "full line the walk, a dotted line a piece that was put elsewhere. A cross is a jailing with its tick, a faint one "
    "an earlier jailing, and X marks jailed pieces. Zones (dashed squares) and flags at home: before the round."
)


def write(told: Timeline, file: Path) -> None:
    with atomic_write(file) as part:
        part.write_text(page(told), encoding="utf-8", errors="replace")


def page(told: Timeline) -> str:
    sides = ", ".join(f"{side} is {agent}" for side, agent in zip(SIDES, told.played.agents, strict=True))
    settings = {"seed": told.played.seed, **make_game(told.played.game, **told.played.options).chosen()}
    links = [tag("li", tag("a", f"{one.number}", href=f"#round-{one.number}")) for one in told.rounds]
    top = tag(
        "header",
        tag("h1", f"Flag War: {told.title}"),
        tag("p", told.result, class_="verdict"),
        tag("p", f"{sides}; {', '.join(f'{name} {value}' for name, value in settings.items())}.", class_="soft"),
        tag("p", LEGEND, class_="soft"),
        tag("nav", tag("ol", *links, class_="rounds"), aria_label="rounds"),
    )
    rounds = [_round(one, len(told.rounds)) for one in told.rounds]
    boards = [tag("div", svg(one.trace.after), class_="board") for one in told.rounds[-1:]]
    end = [section("The end", *boards)] if boards else []
    return document(
        f"Flag War: {told.title}",
        top,
        tag("main", *rounds, *end),
        style=f"{STYLE}@media (prefers-color-scheme: dark) {{\n{DARK}}}\n",
    )


def _round(told: RoundReport, last: int) -> Html:
    before, after = told.number - 1, told.number + 1
    links = [tag("a", "previous", href=f"#round-{before}")] if before else []
    links += [tag("a", "next", href=f"#round-{after}")] if after <= last else []
    events = [tag("li", line) for line in told.trace.happened]
    board = tag("div", round_svg(told.trace), class_="board")
    shown = tag("div", board, tag("ol", *events) if events else tag("p", "No events."))
    pieces = table("The command and the walk of each piece.", ["piece", *told.head, "why"], told.rows)
    judged = [
        _evaluation(f"{SIDES[one.evaluation.player]}: {one.decision['agent']}", one.evaluation, one.lines)
        for one in told.decisions
    ]
    return tag(
        "section",
        tag("h2", f"Round {told.number}", *links),
        tag("div", shown, pieces, class_="round"),
        tag("div", *(judged or [_evaluation("Worth to A", told.default, [])]), class_="sides"),
        id=f"round-{told.number}",
    )


def _evaluation(head: str, evaluation: RoundEvaluation, lines: list[str]) -> Html:
    notes = [tag("p", line, class_="soft") for line in lines]
    return tag("div", tag("h3", head), tag("p", evaluation.scores), *notes, _breakdown(evaluation))


def _breakdown(evaluation: RoundEvaluation) -> Html:
    """The table of terms. Rows where the prediction was wrong are marked by colour and by a sign."""
    if not evaluation.rows:
        return Html()
    if evaluation.predicted is None:
        rows = [[term, signed(actual)] for term, _, actual in evaluation.rows]
        return table(f"By {evaluation.by}.", ["term", "actual"], rows, numbers=[1])
    marked = []
    for term, expected, actual in evaluation.rows:
        name, style = (term, "n") if expected == actual else (f"{term} ≠", "n differs")
        marked.append([name, *(tag("td", signed(value), class_=style) for value in (expected, actual))])
    caption = f"By {evaluation.by}, ≠ where the prediction was wrong."
    return table(caption, ["term", "predicted", "actual"], marked, numbers=[1, 2])
