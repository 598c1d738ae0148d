"""The findings as a page in Markdown, with a picture for each document beside it.

Each document has a line in the summary and a section. Whoever answers one document again replaces its part of the page
and keeps the others.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from sparring.claims.answers import FULL, QUICK, Answer, Findings
from sparring.claims.chart import chart
from sparring.claims.claims import FAILS, HOLDS, LATER, NEAR, NEVER, OPEN, SAME, SLIGHT, Claim
from sparring.claims.measured import ELO, SECONDS
from sparring.core.files import written_whole
from sparring.core.kernel import fingerprint
from sparring.statistics.sprt import BIAS

TITLE = "# Findings"
VERDICTS = {
    HOLDS: f"all of our interval is where it is claimed to be: of percentages within {NEAR:g} points of the figure",
    FAILS: "none of our interval is where it is claimed to be, or luck on both sides does not explain the gap",
    SAME: f"all of our interval is within {SLIGHT:g} points of a tie: a difference, if any, is smaller",
    OPEN: "our games, or the document's, are too few to tell",
    NEVER: f"nothing that could have been measured would have answered it, or under {NEAR:g} % of games can differ",
    LATER: "this size leaves out what it takes",
}

SIZES_TOLD = {
    QUICK: "a first look of two minutes, which decides what is plain. `--size full` plays several times as many games.",
    FULL: "as many games as a verdict takes.",
}
INTRODUCTION = """What design documents claim, and what the games say. Claims, the games that answer them and the rules
    for verdicts are data, in the files of the experiments. Every figure below is computed from games and readings that
    a run has kept in its store. `spar reproduce FILE` answers your own document. Intervals are 95 %, over games that
    were played together on one seed with the seats changed; one in twenty misses the truth, and a narrow verdict may be
    luck. Where two are compared, *points* are those of a percentage: what one has more than the other against the same
    opponents on the same seeds."""


class Part(NamedTuple):
    """What a page says of one document: its line in the summary, and its section."""

    title: str
    line: str
    section: str


def write(found: Sequence[Findings], file: Path, command: str) -> None:
    """Write the page and its pictures, each whole or not at all, the page last. What the page says of other documents
    stays."""
    for one in found:
        with written_whole(_picture(one, file)) as part:
            part.write_text(chart(one), encoding="utf-8")
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    with written_whole(file) as part:
        part.write_text(page(found, file, command, before), encoding="utf-8")


def _picture(findings: Findings, file: Path) -> Path:
    return file.with_name(f"{file.stem}-{findings.dossier.name}.svg")


def page(found: Sequence[Findings], file: Path, command: str, before: str = "") -> str:
    """The text of the page, with what an earlier one says of other documents."""
    own = [Part(_title(one), _line(one), _section(one, _picture(one, file).name, command)) for one in found]
    names = tuple(f"{one.dossier.name} " for one in found)
    parts = sorted([*own, *(part for part in _parts(before) if not part.title.startswith(names))])
    verdicts = [[f"**{name}**", told] for name, told in VERDICTS.items()]
    summary = "\n".join([*_table(HEADINGS, []).splitlines(), *(part.line for part in parts)])
    whole = [TITLE, _filled(INTRODUCTION), _table(["verdict", ""], verdicts), summary]
    return "\n\n".join([*whole, *(part.section for part in parts)]) + "\n"


HEADINGS = ["document", *VERDICTS, "the strongest now"]


def _parts(text: str) -> list[Part]:
    """What a page says, document by document; nothing if it is no page of findings, or an old one."""
    head, *sections = re.split(r"(?m)^(?=## )", text)
    if not head.startswith(TITLE) or _table(HEADINGS, []) not in head:
        return []
    titles = [section.partition("\n")[0].removeprefix("## ") for section in sections]
    lines = {title: line for title in titles for line in head.splitlines() if line.startswith(f"| [{title}](")}
    told = zip(titles, sections, strict=True)
    return [Part(title, lines[title], section.strip()) for title, section in told if title in lines]


def _source(findings: Findings, command: str) -> str:
    """How many games a section is made of, who writes it again, and what to beware of."""
    results = findings.results
    caveats = {
        "Of times, which no clock tells twice alike, only the size is told.": any(
            one.measured and one.measured.unit == SECONDS for one in findings.claims
        ),
        "Who thinks until a time is up plays other games every time.": any(
            agent.timed for result in results for agent in result.contest.agents
        ),
        f"Some have played until a sequential test was decided. {BIAS}": any(result.decided for result in results),
    }
    beware = " ".join(told for told, needed in caveats.items() if needed)
    size = f"This is the size `{findings.size}`: {SIZES_TOLD[findings.size]} {findings.games:,} games were played by"
    again = f"which writes the same again with the same code (`{fingerprint()}`). {beware}"
    return "\n\n".join([_filled(size), f"    {command}", _filled(again)])


def _filled(text: str) -> str:
    return fill(" ".join(text.split()), 120)


def _line(findings: Findings) -> str:
    """The document in the summary: how many of its claims got each verdict."""
    verdicts = Counter(answer.verdict for answer in findings.claims)
    best = f"`{findings.ranking[0].spec}`" if findings.ranking else ""
    title = f"[{_title(findings)}](#{_anchor(_title(findings))})"
    return _row([title, *(f"{verdicts[name] or ''}" for name in VERDICTS), best])


def _section(findings: Findings, picture: str, command: str) -> str:
    document = findings.dossier.document
    parts = [f"## {_title(findings)}", document.about.strip(), _source(findings, command)]
    parts += [f"![{document.title}]({picture})", _claims(findings.claims)]
    reasons = [_reason(answer) for answer in findings.claims if _reason(answer)]
    parts += ["\n".join(reasons)] if reasons else []
    if findings.corrections:
        parts += ["### As written against corrected", _corrections(findings.corrections)]
    if findings.ranking:
        parts += ["### The strongest now", _strongest(findings)]
    return "\n\n".join([*parts, "### Where the figures come from", _sources(findings)])


def _title(findings: Findings) -> str:
    return f"{findings.dossier.name} {findings.dossier.document.title}"


def _anchor(title: str) -> str:
    """How Markdown calls a heading in a link."""
    return "".join(sign for sign in title.lower().replace(" ", "-") if sign.isalnum() or sign in "-_")


def _claims(answers: Iterable[Answer]) -> str:
    rows = []
    for one in answers:
        claim = one.question
        assert isinstance(claim, Claim)
        unit = one.measured.unit if one.measured else ""
        rows.append([one.label, claim.says, claim.reported(unit), claim.rule(unit), *_ours(one), f"**{one.verdict}**"])
    return _table(["", "claim", "its figure", "holds if ours is", "ours", "of", "verdict"], rows)


def _corrections(answers: Iterable[Answer]) -> str:
    rows = [[one.label, one.question.says, *_ours(one), f"**{one.verdict}**"] for one in answers]
    return _table(["", "what is compared", "ours", "of", ""], rows)


def _ours(answer: Answer) -> tuple[str, str]:
    return (str(answer.measured), answer.measured.of) if answer.measured else ("", "")


def _reason(answer: Answer) -> str:
    claim = answer.question
    told = (claim.never or claim.why) if isinstance(claim, Claim) else ""
    return f"- *{answer.label}*: {told}" if told else ""


def _strongest(findings: Findings) -> str:
    first, *rest = findings.ranking
    told = f"`{first.name}`, {first.measured}."
    if findings.ahead and rest:
        how = "ahead of" if findings.ahead.low > 0 else "not shown to be ahead of"
        told = f"`{first.name}`, {first.measured}, {how} `{rest[0].name}`: {findings.ahead}."
    unit = "Elo above the mean" if first.measured.unit == ELO else "of the points against all"
    rows = [[f"`{one.name}`", f"`{one.spec}`", str(one.measured)] for one in findings.ranking]
    says = findings.dossier.document.strongest.says
    return "\n\n".join([f"{told} {says}".strip(), _table(["agent", "as it is asked for", unit], rows)])


def _sources(findings: Findings) -> str:
    rows = []
    for result in findings.results:
        played, closer = f"{result.played:,} games", f"`spar report {result.id}{result.store}`"
        rows.append([f"`{result.id}`", result.contest.experiment.part, played, closer])
    for one in (*findings.claims, *findings.corrections):
        if one.reading and one.measured:
            about = " and ".join(name for name in (one.question.agent, one.question.against) if name)
            told = f"{one.question.measure} of {about}"
            ids = "<br>".join(f"`{id}`" for id in one.measured.source.split())
            rows.append([ids, told, one.measured.of, "a reading"])
    return _table(["id in the store", "what", "of", "a closer look"], dict.fromkeys(map(tuple, rows)))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(_row(line) for line in [head, ["---"] * len(head), *rows])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
