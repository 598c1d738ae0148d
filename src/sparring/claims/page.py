"""The findings as a page in Markdown, with a picture for each document beside it.

Each document has a line in the summary and a section. If only some documents are answered again, the other parts of the
page stay as they are.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import fill

from sparring.claims.answers import FULL, QUICK, Answer, Findings
from sparring.claims.chart import chart
from sparring.claims.claims import ELO, FAILS, HOLDS, LATER, NEAR, NEVER, OPEN, SAME, SECONDS, SLIGHT, Claim
from sparring.claims.instruments import INSTRUMENTS
from sparring.core.files import atomic_write
from sparring.core.kernel import fingerprint
from sparring.statistics.sprt import BIAS

TITLE = "# Findings"
VERDICTS = {
    HOLDS: f"our whole interval agrees with the claim; for percentages, it is within {NEAR:g} points of the figure",
    FAILS: "no part of our interval agrees with the claim, or chance on both sides does not explain the gap",
    SAME: f"our whole interval is within {SLIGHT:g} points of a tie, so a difference is smaller than that",
    OPEN: "our games, or the document's, are too few for a verdict",
    NEVER: f"no measurement could have answered it, or fewer than {NEAR:g} % of the games can differ",
    LATER: "the quick size does not play the games for it",
}

SIZES_TOLD = {
    QUICK: "a first look of two minutes. `--size full` plays several times as many games.",
    FULL: "as many games as the verdicts need.",
}
HEADINGS = ["document", *VERDICTS, "strongest agent"]
INTRODUCTION = """The claims of design documents, and what games say about them. The claims, the games that answer them
    and the rules for verdicts are data in the files of the experiments. Every figure is computed from games and
    readings that a run has kept in its store. `spar reproduce FILE` answers your own document. Intervals are 95 %
    intervals over blocks of games with one seed and changed seats; one in twenty misses the true value, so a narrow
    verdict may be chance. When two agents are compared, *points* are percentage points: the lead of one over the other
    against the same opponents on the same seeds."""


def write(found: Sequence[Findings], file: Path, command: str) -> None:
    """Write the page and its pictures, each completely or not at all, the page last. Other documents stay on it."""
    for one in found:
        with atomic_write(_picture(one, file)) as part:
            part.write_text(chart(one), encoding="utf-8")
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    with atomic_write(file) as part:
        part.write_text(page(found, file, command, before), encoding="utf-8")


def _picture(findings: Findings, file: Path) -> Path:
    return file.with_name(f"{file.stem}-{findings.dossier.name}.svg")


def page(found: Sequence[Findings], file: Path, command: str, before: str = "") -> str:
    """Return the text of the page. The parts about other documents come from the page before."""
    own = [(_title(one), _line(one), _section(one, _picture(one, file).name, command)) for one in found]
    names = tuple(f"{one.dossier.name} " for one in found)
    parts = sorted([*own, *(part for part in _parts(before) if not part[0].startswith(names))])
    verdicts = [[f"**{name}**", told] for name, told in VERDICTS.items()]
    summary = "\n".join([_table(HEADINGS, []), *(line for _, line, _ in parts)])
    whole = [TITLE, _filled(INTRODUCTION), _table(["verdict", ""], verdicts), summary]
    return "\n\n".join([*whole, *(section for _, _, section in parts)]) + "\n"


def _parts(text: str) -> list[tuple[str, str, str]]:
    """Split a page into the title, the summary line and the section of each document; nothing if it is no such page."""
    head, *sections = re.split(r"(?m)^(?=## )", text)
    if _table(HEADINGS, []) not in head:
        return []
    titles = [section.partition("\n")[0].removeprefix("## ") for section in sections]
    lines = {title: line for title in titles for line in head.splitlines() if line.startswith(f"| [{title}](")}
    told = zip(titles, sections, strict=True)
    return [(title, lines[title], section.strip()) for title, section in told if title in lines]


def _source(findings: Findings, command: str) -> str:
    """Return the size of a section, the command that writes it, and caveats."""
    results = findings.results
    caveats = []
    if any(one.measured and one.measured.unit == SECONDS for one in findings.claims):
        caveats.append("Times are not repeatable, so only their order of magnitude is given.")
    if any(agent.timed for result in results for agent in result.contest.agents):
        caveats.append("Agents with a time budget play other games every time.")
    if any(result.decided for result in results):
        caveats.append(f"Some pairs played until a sequential test was decided. {BIAS}")
    games = sum(result.played for result in results)
    size = f"This is the size `{findings.size}`: {SIZES_TOLD[findings.size]} {games:,} games were played by"
    again = f"which writes the same page with the same code (`{fingerprint()}`). {' '.join(caveats)}"
    return "\n\n".join([_filled(size), f"    {command}", _filled(again)])


def _filled(text: str) -> str:
    return fill(" ".join(text.split()), 120)


def _line(findings: Findings) -> str:
    """Return the line of the document in the summary: how many claims got each verdict."""
    verdicts = Counter(answer.verdict for answer in findings.claims)
    best = f"`{findings.ranking[0].spec}`" if findings.ranking else ""
    title = _title(findings)
    anchor = "".join(sign for sign in title.lower().replace(" ", "-") if sign.isalnum() or sign in "-_")
    return _row([f"[{title}](#{anchor})", *(f"{verdicts[name] or ''}" for name in VERDICTS), best])


def _section(findings: Findings, picture: str, command: str) -> str:
    document = findings.dossier.document
    parts = [f"## {_title(findings)}", document.about.strip(), _source(findings, command)]
    parts += [f"![{document.title}]({picture})", _claims(findings.claims)]
    reasons = [reason for reason in map(_reason, findings.claims) if reason]
    parts += ["\n".join(reasons)] if reasons else []
    if findings.corrections:
        rows = [[one.label, one.question.says, *_ours(one)] for one in findings.corrections]
        parts += ["### As written against corrected", _table(["", "what is compared", "ours", "of", ""], rows)]
    if findings.ranking:
        parts += ["### The strongest agents", _strongest(findings)]
    return "\n\n".join([*parts, "### Where the figures come from", _sources(findings)])


def _title(findings: Findings) -> str:
    return f"{findings.dossier.name} {findings.dossier.document.title}"


def _claims(answers: Iterable[Answer]) -> str:
    rows = []
    for one in answers:
        claim = one.question
        assert isinstance(claim, Claim)
        unit = one.measured.unit if one.measured else ""
        rows.append([one.label, claim.says, claim.reported(unit), claim.rule(unit), *_ours(one)])
    return _table(["", "claim", "its figure", "holds if ours is", "ours", "of", "verdict"], rows)


def _ours(answer: Answer) -> tuple[str, str, str]:
    figure, of = (f"{answer.measured}", answer.measured.of) if answer.measured else ("", "")
    return figure, of, f"**{answer.verdict}**"


def _reason(answer: Answer) -> str:
    claim = answer.question
    told = (claim.never or claim.why) if isinstance(claim, Claim) else ""
    return f"- *{answer.label}*: {told}" if told else ""


def _strongest(findings: Findings) -> str:
    first, *rest = findings.ranking
    told = f"`{first.name}`, {first.measured}."
    if findings.ahead and rest:
        how = "ahead of" if findings.ahead.low > 0 else "not significantly ahead of"
        told = f"`{first.name}`, {first.measured}, {how} `{rest[0].name}`: {findings.ahead}."
    unit = "Elo above the mean" if first.measured.unit == ELO else "of the points against all"
    rows = [[f"`{one.name}`", f"`{one.spec}`", str(one.measured)] for one in findings.ranking]
    says = findings.dossier.document.strongest.says
    return "\n\n".join([f"{told} {says}".strip(), _table(["name", "agent", unit], rows)])


def _sources(findings: Findings) -> str:
    rows = []
    for result in findings.results:
        played, closer = f"{result.played:,} games", f"`spar report {result.id}{result.store}`"
        rows.append([f"`{result.id}`", result.contest.experiment.part, played, closer])
    for one in (*findings.claims, *findings.corrections):
        asked = one.question
        if asked.measure in INSTRUMENTS and one.measured:
            about = " and ".join(name for name in (asked.agent, asked.against) if name)
            ids = "<br>".join(f"`{id}`" for id in one.measured.source.split())
            rows.append([ids, f"{asked.measure} of {about}", one.measured.of, "a reading"])
    return _table(["id in the store", "what", "of", "a closer look"], dict.fromkeys(map(tuple, rows)))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(_row(line) for line in [head, ["---"] * len(head), *rows])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
