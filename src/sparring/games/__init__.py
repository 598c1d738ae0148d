"""Games: the contract, capabilities and the registry. Each game of the package has a folder here."""
