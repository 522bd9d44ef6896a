"""Secrets and personal data are taken out of whatever leaves: results, errors, logs and the audit trail."""

from knowgate.guard.redact.cleaner import Numbers
from knowgate.guard.redact.hints import Hint
from knowgate.guard.redact.redactor import Redacted, Redactor, RedactRules

__all__ = ["Hint", "Numbers", "RedactRules", "Redacted", "Redactor"]
