"""What a call costs: `python -m bench.run`, `python -m bench.soak`."""
