"""The exact truth about Ludo for two with one or two tokens each."""
