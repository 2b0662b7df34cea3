"""The pictures and the measured lines of the book's pages on queue disciplines.

    python -m jettison.examples.discipline_gallery [NAME...] [--out DIR] [--book DIR]

runs the scenarios of ``scenarios/gallery``, draws one SVG per discipline beside tail drop, and writes what was measured into the pages.
"""
