"""Is one method better than another over the datasets of an experiment?"""

from tasks.document.comparisons import compare_methods
from tasks.running.stage import Stage

compare = Stage("compare", compare_methods, told=("table",))
