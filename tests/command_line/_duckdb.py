"""DuckDB through its C interface, to make files for tests: MODICUM_DUCKDB names the library."""

import ctypes
import os
import pathlib

# Where ./test puts it. The program looks there, too.
os.environ.setdefault("MODICUM_DUCKDB",
                      str(pathlib.Path(__file__).resolve().parents[2] / "build" / "duckdb" / "libduckdb.so"))
_library = None


class _Result(ctypes.Structure):
    _fields_ = [(f"part{i}", ctypes.c_void_p) for i in range(6)]


def run(*statements):
    """Each in the same database in memory, without its answer."""
    global _library
    if _library is None:
        _library = ctypes.CDLL(os.environ["MODICUM_DUCKDB"])
        _library.duckdb_result_error.restype = ctypes.c_char_p
    database, connection = ctypes.c_void_p(), ctypes.c_void_p()
    assert _library.duckdb_open(None, ctypes.byref(database)) == 0
    assert _library.duckdb_connect(database, ctypes.byref(connection)) == 0
    try:
        for statement in statements:
            result = _Result()
            if _library.duckdb_query(connection, statement.encode(), ctypes.byref(result)) != 0:
                raise RuntimeError(_library.duckdb_result_error(ctypes.byref(result)).decode())
            _library.duckdb_destroy_result(ctypes.byref(result))
    finally:
        _library.duckdb_disconnect(ctypes.byref(connection))
        _library.duckdb_close(ctypes.byref(database))


def parquet(path, rows):
    """A Parquet file of what the statement makes."""
    run(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
    return path
