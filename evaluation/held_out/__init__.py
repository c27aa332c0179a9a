"""Programs that were written without knowledge of the rules, to judge the findings.

This is the fifth set. Its bugs are of the kinds that published studies of real faults report, about as often as they report them, and each
program names its source: Humbatova et al. 2020 (taxonomy of real faults in deep learning systems), Islam et al. 2019, Zhang et al. 2018,
the tools DeepLocalize, AUTOTRAINER, DeepFD, UMLAUT, NeuraLint and TheDeepChecker, Karpathy's recipe for training neural networks, frequent
questions in the PyTorch forum and on StackOverflow, and issues on GitHub.

Twelve kinds were left out, since no look at a run of 60 to 400 steps could find them, or since there is no such run: shapes and types that
fail before the first step; devices, memory and speed; deprecated or missing calls of a version of a library; saving and loading;
differences between training and deployment; labels that people gave wrongly; data that does not stand for the task; a split that puts
samples of the training set into the test set; a wrong metric; a model that is only a worse choice; missing positions or mixed axes that
only slow the learning; and too few epochs.

The programs were written from the names of the rules alone, without sight of how a rule decides, of its limits, or of earlier results for
single programs. It was checked by loss and accuracy, with two seeds, that each bug does harm, or is there as claimed, and that each fixed
twin and healthy program learns. The step of each NaN was checked by looking at losses and gradients. The findings were not run on the
programs before.
"""
