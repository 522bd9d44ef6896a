"""How others come in. Doors turn requests into calls of the engine, and its errors into their own form."""
