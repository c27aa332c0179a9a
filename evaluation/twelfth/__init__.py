"""Programs that were written without knowledge of the rules, to judge the findings."""
