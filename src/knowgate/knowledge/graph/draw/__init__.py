"""The graph to look at: texts for other programs, one page for a browser, a tree for a terminal.

Every form is made of the same two lists, sorted, so that the same graph always gives the same text.
"""
