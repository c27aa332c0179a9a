"""The twelfth blind set: written without sight of the rules, and judged before any rule was changed for it."""
