"""`python -m sixprime`: the command line."""

from sixprime.cli import main

main()
