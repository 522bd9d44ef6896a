"""`mrapids-agent`: an API behind the gate, with the agent's own commands, flags and files."""
