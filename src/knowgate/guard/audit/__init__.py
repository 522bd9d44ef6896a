"""The audit trail: what was asked, what was decided, what came of it, and whether anybody changed the story since.

Every line is sealed with a key and names the seal of the line before it, across files. What the seals show: a line that
was changed, moved, dropped or added by somebody without the key. What they cannot show: a whole trail put back to an
earlier day together with its head, and anything done by who can read the key.
"""
