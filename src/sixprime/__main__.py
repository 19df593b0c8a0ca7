"""`python -m sixprime`: the command line."""

try:
    from sixprime.cli import main
except KeyboardInterrupt:
    raise SystemExit(1) from None

main()
