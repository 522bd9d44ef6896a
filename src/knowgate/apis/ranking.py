from __future__ import annotations
def rank(query, found):
    return [e for e,_ in found]
