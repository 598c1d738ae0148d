"""Monte Carlo tree search over the moves of all snakes."""

from typing import Any

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision, Judged
from sparring.agents.spec import (
    Spec,
    heuristic_of,
    iterations_or_time,
    judge_of,
    number_within,
    one_of,
    only_options,
    up_to,
)
from sparring.core.kernel import cold, kernel
from sparring.games.battlesnake.agents.baselines import with_unsafe
from sparring.games.battlesnake.heuristics import steady
from sparring.games.battlesnake.rules import actors, alive, over, play_turn, reward, safe_moves
from sparring.games.battlesnake.state import MOVES
from sparring.games.contract import Game
from sparring.search.mcts import RULES, MonteCarlo, Settings


@kernel
def choices(s: Any, snake: int, found: Any) -> int:
    """Safe moves. Who has none dies whatever it does, and need not choose."""
    moves, count = safe_moves(s, snake), 0
    for move in range(4):
        if moves >> move & 1:
            found[count] = move
            count += 1
    if count == 0:
        found[0] = 0
        count = 1
    return count


@cold
def together(s: Any, actions: Any, dice: Any) -> None:
    """A turn without the map's chance: the food that may come is nothing to count on."""
    moves = 0
    for snake in range(s.snakes):
        moves |= actions[snake] << 4 * snake
    play_turn(s, moves)


@kernel
def settled(s: Any, snake: int) -> float:
    """The reward, as if those who live died together now. Alone, only to die is a loss."""
    return reward(s, snake) if s.snakes > 1 else int(alive(s, snake)) - 1.0


@kernel
def at_stake(s: Any, snake: int) -> float:
    """The share of the others who may still be outlived, or may outlive a snake."""
    if over(s) or not alive(s, snake):
        return 0.0
    return (s.living - 1) / (s.snakes - 1) if s.snakes > 1 else 1.0


KERNELS = {
    "actors": actors,
    "choices": choices,
    "together": together,
    "reward": settled,
    "at_stake": at_stake,
    "WIDEST": len(MOVES),
}


class MonteCarloSnake(Agent):
    """Decoupled UCT over the moves of all snakes at once: mcts:steady,iterations=2000, or time=100ms."""

    draws = True
    ITERATIONS = 2000
    CONTEMPT = 0.9
    """Two who die together share the points. Whoever takes that for half a win dies with others all the time."""

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(
            spec, ("iterations", "time", "exploration", "contempt", "rollout", "select"), weights=True, name=True
        )
        self.spec = spec.text
        self.budget = iterations_or_time(spec, self.ITERATIONS)
        self.timed = self.budget.seconds is not None
        select = one_of(RULES, spec, "select", "uct")
        settings = Settings(
            select=select,
            exploration=number_within(
                spec, "exploration", 0.001, RULES[select].exploration, 1.0 if select == "regret" else 10.0
            ),
            rollout=up_to(1000, spec, "rollout", 0, least=0),
            contempt=number_within(spec, "contempt", 0.0, self.CONTEMPT, 1.0),
        )
        judge = judge_of(game, spec, heuristic_of(game, spec, steady.name))
        self.compiled, self.tunable = judge.compiled, judge.tunable
        self.search = MonteCarlo(game, KERNELS, judge.score, judge.weights, settings)

    def decide(self, view: View) -> Decision:
        found = self.search.run(view.state, view.me, self.budget.within(view.seconds), view.dice)
        return Decision(
            agent=self.spec,
            position=view.position,
            player=view.me,
            action=found.best.action,
            candidates=tuple(
                Judged(one.action, one.value if one.visits else None, note=f"{found.share(one):.0%} of the visits")
                for one in found.actions
            ),
            depth=found.depth,
            nodes=found.nodes,
            seconds=found.seconds,
            notes={"iterations": found.iterations},
        )

    def explain(self, view: View) -> Decision:
        return with_unsafe(self.decide(view), view)
