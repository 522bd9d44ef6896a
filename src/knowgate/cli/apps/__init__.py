"""The AI apps that start us: where each keeps its configuration, our entry in it, and whether that one works."""
