"""The suites by name."""

from tasks.declared.paper import PAPER
from tasks.declared.tiny import TINY

SUITES = {"paper": PAPER, "tiny": TINY}
