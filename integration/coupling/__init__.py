"""Systems of coupled FMUs as data, and the masters that run them."""
