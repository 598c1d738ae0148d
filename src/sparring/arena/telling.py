"""Results in words: the verdict first, then the evidence, then how to look closer."""

import shlex
from typing import TYPE_CHECKING

from sparring.arena.experiment import Contest
from sparring.arena.sprt import sprt_text
from sparring.arena.statistics import Rating, Score
from sparring.table import columns, counted

if TYPE_CHECKING:
    from sparring.arena.result import Tournament


SAID = ("game", "options", "agents", "tables", "games", "seed", "sprt", "decisions")
OPTIONS = ("limit", "bank", "seating")
"""What the command of a match or league says always, and what if it was chosen."""


def verdict(first: str, second: str, score: Score) -> str:
    """Who is better, by how much, and how sure that is."""
    low, high = score.elo_interval
    better, worse = (first, second) if score.mean >= 0.5 else (second, first)
    sign = 1 if score.mean >= 0.5 else -1
    low, high = sorted((sign * low, sign * high))
    sure = score.p_better if sign > 0 else 1 - score.p_better
    played = f"{score.games} games in {counted(score.blocks, 'pair')}"
    evidence = f"{sign * score.elo:+.0f} Elo [{low:+.0f}, {high:+.0f}], {played}"
    chance = f"p(better) {'> 99.9' if sure > 0.999 else f'{100 * sure:.1f}'} %"
    if low > 0:
        return f"{better} beats {worse}: {evidence}, {chance}"
    return f"{better} is not shown to beat {worse}: {evidence}, {chance}"


def command(contest: Contest) -> str:
    """The command that plays a match or league and goes on with it, if its settings can be said in one."""
    told = contest.experiment
    one = told.tables[0] if len(told.tables) == 1 else list(told.agents) if contest.game.seats == 2 else []
    verb, agents = ("match", one) if len(contest.tables) == 1 and one else ("league", list(told.agents))
    chosen = {name: getattr(told, name) for name in told.chosen() if name not in SAID}
    own = len(told.tables) > 1 or any(entry.spec != name or entry.nodes for name, entry in told.agents.items())
    if own or not told.agents or set(chosen) - set(OPTIONS):
        return ""
    options = contest.game.options() | {name: chosen[name] for name in OPTIONS if name in chosen}
    words = [f"--{name} {shlex.quote(str(value))}" for name, value in options.items()]
    words += [f"--sprt {sprt_text(told.sprt)}"] if told.sprt else []
    words += ["--decisions"] if told.decisions else []
    return f"spar {verb} {told.game} {shlex.join(agents)} --games {told.games} --seed {told.seed} {' '.join(words)}"


def told(result: "Tournament") -> str:
    """What a terminal shows."""
    stopped = [f"interrupted after {result.played} games, which are counted below"] if result.interrupted else []
    return "\n".join([*stopped, *findings(result), *_closer(result)])


def findings(result: "Tournament") -> list[str]:
    """The verdict and its evidence."""
    if not result.played:
        body = [f"no {'pair' if result.contest.game.seats == 2 else 'block'} of games was finished"]
    elif result.contest.game.seats > 2:
        body = _tables(result)
    elif result.contest.experiment.contestants:
        body = _gauntlet(result)
    else:
        body = _match(result) if len(result.pairings) == 1 else _league(result)
    test = result.contest.experiment.sprt
    body += [test.why(result.llr)] if test else []
    return [*body, *_repeats(result), *_failures(result)]


def _closer(result: "Tournament") -> list[str]:
    command = result.command()
    again = f"{'go on' if result.interrupted else 'again'}: {command or 'call it again'}"
    report, replay = f"spar report {result.id}{result.store}", f"spar replay {result.id}{result.store} --game 1"
    return [again, *([f"closer: {report}, {replay}"] if result.kept else [])]


def _match(result: "Tournament") -> list[str]:
    (pairing,) = result.pairings
    score, mine, yours = pairing.score, pairing.effort(), pairing.reversed.effort()
    low, high = score.interval
    return [
        pairing.verdict(),
        f"won {score.won} · drawn {score.drawn} · lost {score.lost}    "
        f"{100 * score.mean:.1f} % [{100 * low:.1f}, {100 * high:.1f}]",
        f"depth {mine['depth']:.1f} v {yours['depth']:.1f} · "
        f"{mine['nodes']:,.0f} v {yours['nodes']:,.0f} nodes a move · "
        f"{1000 * mine['seconds']:.2f} v {1000 * yours['seconds']:.2f} ms a move",
    ]


def _league(result: "Tournament") -> list[str]:
    ranked = [rating for rating in result.ratings if rating.games]
    names = [rating.name for rating in ranked]
    head = ["", "agent", "Elo", "95 %", "score", *(f"{place + 1}" for place in range(len(names)))]
    rows = []
    for place, rating in enumerate(ranked):
        met = [result.between(rating.name, other) for other in names]
        cells = ["" if pairing is None else f"{100 * pairing.score.mean:.0f}" for pairing in met]
        interval = f"[{rating.low:+.0f}, {rating.high:+.0f}]"
        rows.append(
            [f"{place + 1}", rating.name, f"{rating.elo:+.0f}", interval, f"{100 * rating.score:.1f} %", *cells]
        )
    table = columns([head, *rows], right={0, 2, 4, *range(5, 5 + len(names))})
    note = f"{result.played} games in pairs with sides swapped, {result.seconds:.1f} s; a cell is the % won there"
    return [_leader(result, ranked), "", table, "", note]


def _leader(result: "Tournament", ranked: list[Rating]) -> str:
    first, second = ranked[:2]
    meeting = result.between(first.name, second.name)
    return meeting.verdict() if meeting else f"{first.name} leads with {first.elo:+.0f} Elo"


def _gauntlet(result: "Tournament") -> list[str]:
    """Every contestant against every opponent, with what was claimed beside what was measured."""
    experiment = result.contest.experiment
    names = list(experiment.opponents)
    rows = [["contestant", *names, "total", "95 %", "claimed", ""]]
    for name, entry in experiment.contestants.items():
        met = [result.between(name, other) for other in names]
        cells = ["" if pairing is None else f"{100 * pairing.score.mean:.0f}" for pairing in met]
        total = result.total(name)
        low, high = (100 * bound for bound in total.interval)
        claim = "" if entry.claim is None else f"{entry.claim:.1f}"
        holds = "" if entry.claim is None else "inside" if low <= entry.claim <= high else "outside"
        rows.append([name, *cells, f"{100 * total.mean:.1f}", f"[{low:.1f}, {high:.1f}]", claim, holds])
    table = columns(rows, right=set(range(1, len(names) + 2)) | {len(names) + 3})
    played = f"{result.played} games, {experiment.games} of each pair, seed {experiment.seed}, {result.seconds:.0f} s"
    return [*([experiment.title, ""] if experiment.title else []), table, "", played]


def _tables(result: "Tournament") -> list[str]:
    """Games of more than two: places instead of wins."""
    head = ["", "agent", "rating", "95 %", "place", "95 %", "wins", "95 %"]
    rows = []
    for place, one in enumerate(result.placings):
        rows.append(
            [
                f"{place + 1}",
                one.name,
                f"{one.elo:+.0f}",
                f"[{one.low:+.0f}, {one.high:+.0f}]",
                f"{one.place:.2f}",
                f"[{one.place_low:.2f}, {one.place_high:.2f}]",
                f"{100 * one.wins:.1f} %",
                f"[{100 * one.wins_low:.1f}, {100 * one.wins_high:.1f}]",
            ]
        )
    seats = result.contest.game.seats
    note = f"{result.played} games of {seats} with every seating, {result.seconds:.1f} s"
    return [columns([head, *rows], right={0, 2, 4, 6}), "", note]


def _repeats(result: "Tournament") -> list[str]:
    repeats = sum(int((~pairing.distinct).sum()) for pairing in result.pairings)
    return [f"{2 * repeats} games only repeated others move for move and do not count"] if repeats else []


def _failures(result: "Tournament") -> list[str]:
    retired = {result.names[number] for number in result.retired}
    lines = []
    for name, kinds in result.failures().items():
        causes = ", ".join(f"{counted(times, 'game')} by {kind}" for kind, times in kinds.items())
        gone = " and was retired" if name in retired else ""
        lines.append(f"{name} lost {causes}{gone} (first: {result.last_words(name)[:160]})")
    return lines
