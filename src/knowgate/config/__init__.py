"""One settings tree: what can be set (settings), where it is read from (load) and how it is shown (show)."""
