"""Examples of what can be written against the package."""
