"""What a change of the design asks of the rest.  In: constraints, derivatives, a change.  Out: the design after it."""
