"""Programs that were written without knowledge of the rules, to judge the findings.

This is the fourth set. Its bugs are those that published studies of real faults name most often, and each program names its source:
Humbatova et al. 2020 (taxonomy of real faults in deep learning systems), Islam et al. 2019, Zhang et al. 2018, the tools DeepLocalize,
AUTOTRAINER, DeepFD, UMLAUT, NeuraLint and TheDeepChecker, Karpathy's recipe for training neural networks, and frequent questions in the
PyTorch forum and on StackOverflow. How many programs a kind of bug has follows roughly how often the studies report it.

The programs were written from the names of the rules alone, without sight of how a rule decides, of its limits, or of earlier results.
It was checked by loss and accuracy that each bug does harm, or is there as claimed, and that each fixed twin and healthy program learns.
The findings were not run on them before.
"""
