"""`python -m comgra_export`: the command line."""

from comgra_export.cli import main

main()
