"""What was used last, for whoever asks for it again."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Thing = TypeVar("Thing")


class Recent(Generic[Key, Thing]):
    """As many things as there is room for, those used last at the end. Any thread may ask."""

    def __init__(self, most: int, size: Callable[[Thing], int] = lambda thing: 1) -> None:
        self._most, self._size = most, size
        self._lock = threading.Lock()
        self._held: OrderedDict[Key, Thing] = OrderedDict()

    def get(self, key: Key) -> Thing | None:
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def keep(self, key: Key, thing: Thing) -> list[Thing]:
        """Hold a thing in place of what was held there; returned is all that is held no more."""
        with self._lock:
            gone = [self._held.pop(key)] if key in self._held else []
            self._held[key] = thing
            while self._held and sum(map(self._size, self._held.values())) > self._most:
                gone.append(self._held.popitem(last=False)[1])
        return [one for one in gone if one is not thing]
