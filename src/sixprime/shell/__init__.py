"""`sixprime shell`: the command language at a terminal, with completion, history and help."""
