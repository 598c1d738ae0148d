"""One kept game to look at. What agents thought is read of this game alone: in long experiments that is most of all."""

from sparring.arena.referee import PlayedGame
from sparring.arena.result import Tournament
from sparring.arena.store import Store
from sparring.core.errors import SparringError


def kept_game(store: Store, start: str, number: int) -> PlayedGame:
    """A game of the experiment whose id begins so. Whether it counts follows from the results of all games."""
    contest = store.contest(id := store.find(start))
    result = Tournament(contest, store.sheets(id))
    table, block, _ = result.place(number)
    if number not in range(1, result.last + 1) or not result.was_played(number):
        raise not_there(start, number, result.last)
    sheet = store.sheet(id, table, block)
    return Tournament(contest, [sheet] if sheet else []).game(number)


def not_there(source: str, number: int, last: int) -> SparringError:
    reason = "was not played" if 1 <= number <= last else "does not exist"
    return SparringError(f"{source} has games 1 to {last}; game {number} {reason}")
