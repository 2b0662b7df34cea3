"""Draws the picture of README.md: `jettison run demo`, then `python docs/src/pictures/demo.py out/demo docs/src/pictures/demo.svg`.

Needs the Python package with its extra `plot`.
"""

import sys

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt

import jettison
from jettison import plot

# The same bytes for the same results.
plt.rcParams["svg.hashsalt"] = "jettison"
result = jettison.open(sys.argv[1])
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), width_ratios=[3, 2], layout="constrained")
# All four lines would hide each other: the worst, and one that is good.
plot.time_series(result, "buffer", "viewer", variants=["queue=tail-drop", "queue=fq-codel"], ax=left)
left.set_title("Video in the player's buffer: at 0 the picture stands still", loc="left", fontsize=10, pad=16)
plot.bars(result, "stall_ratio", "viewer", ax=right, legend=False)
right.set_title("Share of the time that it stands still", loc="left", fontsize=10, pad=16)
figure.savefig(sys.argv[2], metadata={"Date": None} if sys.argv[2].endswith(".svg") else None, facecolor="white")
