"""Entities and relations that a language model reads out of passages, beside what the rules find."""
