"""System checks, by subject. Each message names the variable and how to mend it, and never a value."""

from extensions.checks import deployment, destinations, limits, master_key, services

__all__ = ["deployment", "destinations", "limits", "master_key", "services"]
