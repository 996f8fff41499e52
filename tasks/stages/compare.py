"""Is one method better than another over the datasets of an experiment?"""

from tasks.report.ranks import compare_methods
from tasks.running.stage import Stage

compare = Stage("compare", compare_methods)
