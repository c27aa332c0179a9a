"""How well findings are: small training programs with known bugs, their fixed twins and healthy programs, and a table of the results."""
