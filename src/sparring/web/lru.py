"""A cache that forgets what was not used for longest."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """Values up to a total size, by default up to a number of values. Threads may share it."""

    def __init__(self, capacity: int, size: Callable[[Value], int] = lambda value: 1) -> None:
        self._capacity, self._size = capacity, size
        self._lock = threading.Lock()
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Key, value: Value) -> list[Value]:
        """Store a value and return the values that are no longer stored."""
        with self._lock:
            removed = [self._values.pop(key)] if key in self._values else []
            self._values[key] = value
            while self._values and sum(map(self._size, self._values.values())) > self._capacity:
                removed.append(self._values.popitem(last=False)[1])
        return [one for one in removed if one is not value]
