"""The checks of the analysis board, one part of the page a file."""
