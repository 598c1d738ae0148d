PYTHON ?= python3
SPAR := .venv/bin/spar
TESTS := .venv/bin/python -m pytest --dist worksteal -n
CODE := src tests benchmarks examples
INSTALL := .venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e

# Images of containers often set it. Then every process that a test starts would compile all its modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check torture docs prepared lint isolation ludo battlesnake flagwar bench clean
.DEFAULT_GOAL := demo

# A small real league of the Isolation seed's agents: progress, cross-table, ratings, verdict.
demo: .venv/ready
	$(SPAR) league isolation random minimax:open,depth=3 minimax:improved,depth=3 \
	    improved,nodes=2000 next_moves,nodes=2000 voronoi,nodes=2000 --games 100
	@echo
	@echo "with charts:  $(SPAR) report last --html report.html"
	@echo "why it moves: $(SPAR) explain isolation --agent voronoi"
	@echo "who is there: $(SPAR) agents isolation"
	@echo "your own:     docs/your-first-heuristic.md, a quarter of an hour"

# Everything: lint, types and all tests. Three at once for two cores, for many wait for other processes.
test: prepared
	$(TESTS) 3

# The quick answer while working: under a minute.
check: prepared
	$(TESTS) 2 -m "not slow"

# The attack tests alone, with far more attacks than in `make test`.
torture: prepared
	$(TESTS) 2 -m torture --torture

# The documentation as a site, in build/docs; a broken link is an error.
docs: .venv/tested
	.venv/bin/python -m sphinx -q -W -b html docs build/docs
	@echo "build/docs/index.html"

# Compiles and solves once before the tests, whose processes would otherwise all do it at the same time; lint and types
# meanwhile.
prepared: .venv/tested
	$(MAKE) -j 2 lint flagwar battlesnake ludo isolation

lint: .venv/tested
	.venv/bin/ruff check $(CODE)
	.venv/bin/ruff format --check $(CODE)
	.venv/bin/mypy

isolation: .venv/tested
	$(SPAR) bench isolation > /dev/null
	$(SPAR) match isolation greedy random --games 2 --store .venv/games.db > /dev/null

ludo: .venv/tested
	$(SPAR) bench ludo > /dev/null
	$(SPAR) solve ludo --players 2 --tokens 2 > /dev/null

battlesnake: .venv/tested
	$(SPAR) bench battlesnake > /dev/null

flagwar: .venv/tested
	$(SPAR) bench flagwar > /dev/null

# Speed, as ratios measured side by side against C compiled on the spot and, if .[bench] is installed, OpenSpiel.
bench: .venv/tested
	.venv/bin/python benchmarks/alphabeta.py
	.venv/bin/python benchmarks/solver.py
	.venv/bin/python benchmarks/waiting.py
	.venv/bin/python benchmarks/loops.py
	.venv/bin/python benchmarks/steps.py
	.venv/bin/python benchmarks/helpers.py
	.venv/bin/python benchmarks/mcts.py
	.venv/bin/python benchmarks/strength.py
	.venv/bin/python benchmarks/ludo.py
	.venv/bin/python benchmarks/ludo_exact.py
	.venv/bin/python benchmarks/ludo_learning.py
	.venv/bin/python benchmarks/ludo_ladder.py
	.venv/bin/python benchmarks/battlesnake.py
	.venv/bin/python benchmarks/battlesnake_search.py
	.venv/bin/python benchmarks/rhea.py
	.venv/bin/python benchmarks/serve.py
	.venv/bin/python benchmarks/flagwar.py
	.venv/bin/python benchmarks/arena.py
	.venv/bin/python benchmarks/report.py
	.venv/bin/python benchmarks/first_hour.py
	.venv/bin/python benchmarks/honesty.py
	.venv/bin/python benchmarks/bridges.py

.venv/bin/pip:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Sparring needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv

.venv/ready: pyproject.toml constraints.txt | .venv/bin/pip
	$(INSTALL) .
	touch $@

# The page is tested in the system's Chromium.
.venv/tested: pyproject.toml constraints.txt | .venv/bin/pip
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null || \
	    $$([ "$$(id -u)" = 0 ] || echo sudo -n) sh -c "apt-get update -qq && apt-get install -yqq chromium" \
	    > /dev/null 2>&1 || { echo "The page is tested in Chromium; install it: sudo apt-get install chromium"; exit 1; }
	$(INSTALL) '.[test]'
	touch .venv/ready $@

clean:
	rm -rf .venv build dist src/*.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
