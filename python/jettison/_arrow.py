"""pyarrow, which brings no types: here it becomes one that anything can be asked of."""

from __future__ import annotations

from typing import Any

import pyarrow
import pyarrow.compute
import pyarrow.parquet

pa: Any = pyarrow
pc: Any = pyarrow.compute
pq: Any = pyarrow.parquet
