"""Recorded moves become positions again, and what cannot be played is refused by its number."""

import pytest

from sparring.agents.agent import RandomAgent
from sparring.arena.referee import play
from sparring.core.errors import SparringError
from sparring.games.contract import Game
from sparring.games.isolation.game import Isolation
from sparring.games.replay import Step, replay, turns
from toy_games import Pennies, Race

SMALL = Isolation(board="4x4", opening="free")
GAMES = pytest.mark.parametrize("game", [SMALL, Race(), Pennies()], ids=lambda game: game.name)


def states(game: Game, steps: list[Step]) -> list[bytes]:
    return [game.to_bytes(step.position.state) for step in steps]


@GAMES
def test_names_codes_and_mappings_lead_to_the_same_positions(game: Game) -> None:
    played, start = play(game, [RandomAgent() for _ in range(game.seats)], 5), game.start(5)
    by_name = list(replay(start, [turn.action for turn in played.turns]))
    by_code = list(replay(start, [turn.code for turn in played.turns]))
    by_player = list(replay(start, [step.actions for step in by_name[:-1]]))
    assert states(game, by_name) == states(game, by_code) == states(game, by_player)
    assert by_name[-1].position.outcome == played.scores
    assert tuple(turns(start, [turn.code for turn in played.turns])) == played.turns


@GAMES
def test_a_replay_can_begin_in_the_middle_with_the_dice_of_the_game(game: Game) -> None:
    moves = [turn.code for turn in play(game, [RandomAgent() for _ in range(game.seats)], 5).turns]
    whole = list(replay(game.start(5), moves))
    passed = sum(len(step.turns) for step in whole[:3])
    assert states(game, list(replay(whole[3].position, moves[passed:]))) == states(game, whole[3:])


def test_a_record_that_breaks_off_keeps_the_turns_of_its_last_step() -> None:
    (first, last) = replay(Pennies().start(), [0, 1, 1], ["sure", "", "hoping"])
    assert [(turn.player, turn.note) for turn in first.turns] == [(0, "sure"), (1, "")]
    assert [(turn.player, turn.action, turn.note) for turn in last.turns] == [(0, "choose1", "hoping")]


@pytest.mark.parametrize(
    ("game", "moves", "refusal"),
    [
        (SMALL, ["a1", "z9"], "move 2 cannot be played: z9 is not legal here; legal: "),
        (SMALL, [0, 0], "move 2 cannot be played: 0 is not legal here; legal: "),
        (SMALL, [{1: "a1"}], r"move 1 cannot be played: players \[0\] are to act, not \[1\]"),
        (Pennies(rounds=1), [0, 1, 0], "move 2 cannot be played: the game is over in 0 1 0"),
    ],
)
def test_what_cannot_be_played_is_refused_by_its_number(game: Game, moves: list[str], refusal: str) -> None:
    with pytest.raises(SparringError, match=refusal):
        list(replay(game.start(), moves))
