"""Goofspiel: both bid a card for each prize."""
