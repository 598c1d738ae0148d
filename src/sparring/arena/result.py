"""What matches and leagues prove, in words, tables and JSON: the verdict first, then the evidence, then how to
look closer."""

import shlex
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sparring.arena.game import CRASH, ILLEGAL, TIMEOUT, PlayedGame
from sparring.arena.statistics import Rating, Score, ratings
from sparring.table import columns, counted


@dataclass(frozen=True)
class Pairing:
    """The blocks two agents played; in each, the first agent sits first in the first game."""

    first: str
    second: str
    blocks: tuple[tuple[PlayedGame, PlayedGame], ...]
    draws: bool = False  # chance has a say in how one of them plays

    @cached_property
    def score(self) -> Score:
        """The first agent's."""
        return Score.of([(one.scores[0], two.scores[1]) for one, two in self.distinct])

    @cached_property
    def distinct(self) -> list[tuple[PlayedGame, PlayedGame]]:
        """The blocks that are evidence: agents that leave nothing to chance only repeat themselves on the same
        opening, and a game played twice proves no more than once."""
        if self.draws:
            return list(self.blocks)
        different = {tuple((game.start, game.turns) for game in block): block for block in self.blocks}
        return list(different.values())

    @property
    def reversed(self) -> "Pairing":
        return Pairing(self.second, self.first, tuple((two, one) for one, two in self.blocks), self.draws)

    @property
    def games(self) -> list[PlayedGame]:
        return [game for block in self.blocks for game in block]

    def effort(self) -> dict[str, float]:
        """What the first agent spent on a move, on average."""
        efforts = [effort for one, two in self.blocks for effort in (one.efforts[0], two.efforts[1])]
        moves = max(1, sum(effort.moves for effort in efforts))
        return {
            "depth": sum(effort.depth for effort in efforts) / moves,
            "nodes": sum(effort.nodes for effort in efforts) / moves,
            "seconds": sum(effort.seconds for effort in efforts) / moves,
        }

    def faults(self) -> dict[str, int]:
        """How many games the first agent lost by each kind of failure."""
        found: dict[str, int] = {}
        for one, two in self.blocks:
            for game, score in ((one, one.scores[0]), (two, two.scores[1])):
                verdict = game.reason.split(":")[0]
                if verdict in (ILLEGAL, CRASH, TIMEOUT) and score == 0:
                    found[verdict] = found.get(verdict, 0) + 1
        return found

    def verdict(self) -> str:
        score = self.score
        low, high = score.elo_interval
        better, worse = (self.first, self.second) if score.mean >= 0.5 else (self.second, self.first)
        sign = 1 if score.mean >= 0.5 else -1
        low, high = sorted((sign * low, sign * high))
        sure = score.p_better if sign > 0 else 1 - score.p_better
        played = f"{score.games} games in {counted(score.blocks, 'pair')}"
        evidence = f"{sign * score.elo:+.0f} Elo [{low:+.0f}, {high:+.0f}], {played}"
        chance = f"p(better) {'> 99.9' if sure > 0.999 else f'{100 * sure:.1f}'} %"
        if low > 0:
            return f"{better} beats {worse}: {evidence}, {chance}"
        return f"{better} is not shown to beat {worse}: {evidence}, {chance}"


@dataclass(frozen=True)
class Tournament:
    """All pairings of a match, a league or a gauntlet."""

    game: str
    options: dict[str, str]
    seed: int
    games_a_pair: int
    pairings: tuple[Pairing, ...]
    seconds: float
    limit: float | None = None  # of seconds a move
    interrupted: bool = False

    @property
    def games(self) -> list[PlayedGame]:
        return [game for pairing in self.pairings for game in pairing.games]

    @property
    def agents(self) -> list[str]:
        return list(dict.fromkeys(name for pairing in self.pairings for name in (pairing.first, pairing.second)))

    @cached_property
    def ratings(self) -> list[Rating]:
        """Fitted on all games at once, best first."""
        place = {name: index for index, name in enumerate(self.agents)}
        results = [
            (place[pairing.first], place[pairing.second], score)
            for pairing in self.pairings
            for one, two in pairing.distinct
            for score in (one.scores[0], two.scores[1])
        ]
        return ratings(self.agents, results)

    def between(self, first: str, second: str) -> Pairing | None:
        """How two agents met, seen from the first; None if they did not."""
        for pairing in self.pairings:
            if {pairing.first, pairing.second} == {first, second} and pairing.blocks:
                return pairing if pairing.first == first else pairing.reversed
        return None

    def command(self) -> str:
        """The command that plays the same games again."""
        verb = "match" if len(self.pairings) == 1 else "league"
        options = " ".join(f"--{key} {shlex.quote(value)}" for key, value in self.options.items())
        agents = " ".join(shlex.quote(name) for name in self.agents)
        limit = f" --limit {self.limit * 1000:g}ms" if self.limit else ""
        return f"spar {verb} {self.game} {agents} --games {self.games_a_pair} --seed {self.seed} {options}{limit}"

    def __str__(self) -> str:
        parts = [self._match_text() if len(self.pairings) == 1 else self._league_text()]
        if self.interrupted:
            parts.insert(0, f"interrupted after {len(self.games)} games, which are counted below")
        parts.append(f"again: {self.command()}")
        return "\n".join(parts)

    def _match_text(self) -> str:
        (pairing,) = self.pairings
        if not pairing.blocks:
            return "no pair of games was finished"
        score, mine, yours = pairing.score, pairing.effort(), pairing.reversed.effort()
        low, high = score.interval
        lines = [
            pairing.verdict(),
            f"won {score.won} · drawn {score.drawn} · lost {score.lost}    "
            f"{100 * score.mean:.1f} % [{100 * low:.1f}, {100 * high:.1f}]",
            f"depth {mine['depth']:.1f} v {yours['depth']:.1f} · "
            f"{mine['nodes']:,.0f} v {yours['nodes']:,.0f} nodes a move · "
            f"{1000 * mine['seconds']:.2f} v {1000 * yours['seconds']:.2f} ms a move",
        ]
        return "\n".join(lines + self._repeat_lines() + self._fault_lines())

    def _repeat_lines(self) -> list[str]:
        repeats = sum(len(pairing.blocks) - len(pairing.distinct) for pairing in self.pairings)
        return [f"{2 * repeats} games only repeated others move for move and do not count"] if repeats else []

    def _fault_lines(self) -> list[str]:
        lines = []
        for pairing in self.pairings:
            for side in (pairing, pairing.reversed):
                for fault, times in side.faults().items():
                    example = next(g.reason for g in side.games if g.reason.startswith(fault))
                    lines.append(f"{side.first} lost {times} games to {side.second} by {fault} ({example[:100]})")
        return lines

    def _league_text(self) -> str:
        ranked = [rating for rating in self.ratings if rating.games]
        names = [rating.name for rating in ranked]
        head = ["", "agent", "Elo", "95 %", "score", *(f"{place + 1}" for place in range(len(names)))]
        rows = []
        for place, rating in enumerate(ranked):
            met = [self.between(rating.name, other) for other in names]
            cells = ["" if pairing is None else f"{100 * pairing.score.mean:.0f}" for pairing in met]
            interval = f"[{rating.low:+.0f}, {rating.high:+.0f}]"
            rows.append(
                [f"{place + 1}", rating.name, f"{rating.elo:+.0f}", interval, f"{100 * rating.score:.1f} %", *cells]
            )
        table = columns([head, *rows], right={0, 2, 4, *range(5, 5 + len(names))})
        note = f"{len(self.games)} games in pairs with sides swapped, {self.seconds:.1f} s; a cell is the % won there"
        return "\n".join(
            [self._league_verdict(ranked), "", table, "", note, *self._repeat_lines(), *self._fault_lines()]
        )

    def _league_verdict(self, ranked: list[Rating]) -> str:
        if len(ranked) < 2:
            return "no pair of games was finished"
        first, second = ranked[:2]
        meeting = self.between(first.name, second.name)
        return meeting.verdict() if meeting else f"{first.name} leads with {first.elo:+.0f} Elo"

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "options": self.options,
            "seed": self.seed,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "command": self.command(),
            "ratings": [vars(rating) for rating in self.ratings] if self.games else [],
            "pairings": [_pairing_json(pairing) for pairing in self.pairings],
        }


def _pairing_json(pairing: Pairing) -> dict[str, Any]:
    score = pairing.score
    return {
        "first": pairing.first,
        "second": pairing.second,
        "games": score.games,
        "won": score.won,
        "drawn": score.drawn,
        "lost": score.lost,
        "score": score.mean,
        "interval": score.interval,
        "elo": score.elo if score.games else None,
        "elo_interval": score.elo_interval if score.games else None,
        "p_better": score.p_better,
        "effort": [pairing.effort(), pairing.reversed.effort()],
        "faults": [pairing.faults(), pairing.reversed.faults()],
    }
