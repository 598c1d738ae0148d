"""Games: the contract, capabilities and the registry; below, one folder for each game that comes along."""
