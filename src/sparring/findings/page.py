"""The findings as a page in Markdown, with a picture for each document beside it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import fill

from sparring.arena.sprt import BIAS
from sparring.files import written_whole
from sparring.findings.answers import FULL, QUICK, Answer, Findings
from sparring.findings.chart import chart
from sparring.findings.claims import FAILS, HOLDS, LATER, NEAR, NEVER, OPEN, Claim
from sparring.findings.measured import ELO, SECONDS
from sparring.kernel import fingerprint

VERDICTS = {
    HOLDS: f"all of our interval is where it is claimed to be: of percentages within {NEAR:g} points of the figure",
    FAILS: "none of our interval is where it is claimed to be, or luck on both sides does not explain the gap",
    OPEN: "our games, or the document's, are too few to tell",
    NEVER: f"nothing that could have been measured would have answered it, or under {NEAR:g} % of games can differ",
    LATER: "this size leaves out what it takes",
}

SIZES_TOLD = {
    QUICK: "a first look of two minutes, which decides what is plain. `--size full` plays several times as many games.",
    FULL: "as many games as the experiments say.",
}


def write(found: Sequence[Findings], file: Path, command: str) -> None:
    """The page and its pictures, each whole or not at all, the page last."""
    for one in found:
        with written_whole(_picture(one, file)) as part:
            part.write_text(chart(one), encoding="utf-8")
    with written_whole(file) as part:
        part.write_text(page(found, file, command), encoding="utf-8")


def _picture(findings: Findings, file: Path) -> Path:
    return file.with_name(f"{file.stem}-{findings.dossier.name}.svg")


def page(found: Sequence[Findings], file: Path, command: str) -> str:
    parts = [_introduction(found, command), _summary(found)]
    parts += [_section(one, _picture(one, file).name) for one in found]
    return "\n\n".join(parts) + "\n"


def _introduction(found: Sequence[Findings], command: str) -> str:
    used = {answer.verdict for one in found for answer in one.claims}
    results = [result for one in found for result in one.results]
    caveats = {
        "Of times, which no clock tells twice alike, only the size is told.": any(
            one.measured and one.measured.unit == SECONDS for each in found for one in each.claims
        ),
        "Who thinks until a time is up plays other games every time.": any(
            agent.timed for result in results for agent in result.contest.agents
        ),
        f"Some have played until a sequential test was decided. {BIAS}": any(result.decided for result in results),
    }
    beware = " ".join(told for told, needed in caveats.items() if needed)
    games = f"{sum(one.games for one in found):,} games"
    size = f"This is the size `{found[0].size}`: {SIZES_TOLD[found[0].size]}"
    verdicts = [[f"**{name}**", told] for name, told in VERDICTS.items() if name in used]
    how = f"""What design documents claim, and what the games say. Claims, the games that answer them and the rules for
        verdicts are data, in the files of the experiments; every figure below is computed from the {games} and the
        readings that one run has kept in its store. {size} The page was written by"""
    what = f"""and whoever runs that again, with the same code (`{fingerprint()}`), gets the same page. {beware}
        Intervals are 95 %, over games that were played together on one seed with the seats changed; one in twenty
        misses the truth, and a narrow verdict may be luck. Where two are compared, *points* are those of a percentage:
        what one has more than the other against the same opponents on the same seeds. `spar reproduce FILE` answers
        one's own document."""
    parts = ["# Findings", _filled(how), f"    {command}", _filled(what), _table(["verdict", ""], verdicts)]
    return "\n\n".join(parts)


def _filled(text: str) -> str:
    return fill(" ".join(text.split()), 120)


def _summary(found: Sequence[Findings]) -> str:
    shown = [name for name in VERDICTS if any(answer.verdict == name for one in found for answer in one.claims)]
    rows = []
    for one in found:
        verdicts = Counter(answer.verdict for answer in one.claims)
        best = f"`{one.ranking[0].spec}`" if one.ranking else ""
        title = f"[{_title(one)}](#{_anchor(_title(one))})"
        rows.append([title, *(f"{verdicts[name] or ''}" for name in shown), best])
    return _table(["document", *shown, "the strongest now"], rows)


def _section(findings: Findings, picture: str) -> str:
    document = findings.dossier.document
    parts = [f"## {_title(findings)}", document.about, f"![{document.title}]({picture})", _claims(findings.claims)]
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
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
