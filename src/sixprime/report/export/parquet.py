"""All decisions of a match as a Parquet file."""

from __future__ import annotations

from io import BytesIO

from sixprime.errors import SettingsError
from sixprime.report.export.forms import Files, Job
from sixprime.report.export.tables import TYPES, columns_for, rows


def render(job: Job) -> Files:
    """One file. Raises SettingsError without pyarrow."""
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise SettingsError("Parquet needs the extra: pip install 'sixprime[parquet]'") from None
    kinds = {int: arrow.int32(), float: arrow.float64(), str: arrow.string(), bool: arrow.bool_()}
    schema = arrow.schema([(name, kinds[TYPES[name]]) for name in columns_for(job.options)])
    out = BytesIO()
    parquet.write_table(arrow.Table.from_pylist(rows(job), schema=schema), out)
    return [(job.name, out.getvalue())]
