"""Every tool declared once: what an assistant may call, whichever door it comes through."""
