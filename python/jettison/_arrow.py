"""pyarrow, typed as `Any` because it has no type information."""

from __future__ import annotations

from typing import Any

import pyarrow
import pyarrow.compute
import pyarrow.parquet

pa: Any = pyarrow
pc: Any = pyarrow.compute
pq: Any = pyarrow.parquet
