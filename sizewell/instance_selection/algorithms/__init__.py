"""What hardware an ML algorithm can use, so that its name is enough to choose a family."""

from sizewell.instance_selection.algorithms.algorithms import Algorithm, Task, find_algorithm, load_algorithms

__all__ = ["Algorithm", "Task", "find_algorithm", "load_algorithms"]
