"""Reported results: every number that may be one becomes a fact, and the facts' roles are settled together."""
