"""A small producer of the Arrow C data interface, by ctypes alone: what another library would hand over."""

import ctypes
import struct

import numpy as np

Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
                   ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)),
                   ("release", Release), ("private_data", ctypes.c_void_p)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                  ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
                  ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(Array))),
                  ("dictionary", ctypes.POINTER(Array)), ("release", Release), ("private_data", ctypes.c_void_p)]


class Stream(ctypes.Structure):
    pass


GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Schema))
GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Array))
GetError = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)
Stream._fields_ = [("get_schema", GetSchema), ("get_next", GetNext), ("get_last_error", GetError),
                   ("release", Release), ("private_data", ctypes.c_void_p)]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def bits(truths):
    return np.packbits(np.array(truths, dtype=bool), bitorder="little")


class ArrowTable:
    """Columns of (format, buffers): each buffer bytes, an array or None; `dictionary` likewise."""

    def __init__(self, rows, columns, batches=1):
        self.rows, self.columns, self.batches, self.released = rows, columns, batches, []
        self.kept = []

    def _column(self, rows, name, format_, buffers, dictionary=None):
        pointers = (ctypes.c_void_p * len(buffers))(*[None if each is None else np.frombuffer(
            each, dtype=np.uint8).ctypes.data if isinstance(each, bytes) else each.ctypes.data for each in buffers])
        array = Array(rows, -1, 0, len(buffers), 0, pointers)
        schema = Schema(format_.encode(), name.encode())
        if dictionary is not None:
            size, *rest = dictionary
            values, values_schema = self._column(size, "", *rest)
            array.dictionary, schema.dictionary = ctypes.pointer(values), ctypes.pointer(values_schema)
        self.kept += [pointers, buffers, array, schema]
        return array, schema

    def structs(self):
        made = [self._column(self.rows, name, *column) for name, column in self.columns.items()]
        arrays = (ctypes.POINTER(Array) * len(made))(*[ctypes.pointer(array) for array, _ in made])
        schemas = (ctypes.POINTER(Schema) * len(made))(*[ctypes.pointer(schema) for _, schema in made])
        none = (ctypes.c_void_p * 1)(None)

        def let_go(kind, type_):
            def release(address):
                self.released.append(kind)
                type_.from_address(address).release = Release()
            callback = Release(release)
            self.kept.append(callback)
            return callback
        array = Array(self.rows, 0, 0, 1, len(made), none, arrays, None, let_go("array", Array))
        schema = Schema(b"+s", b"", None, 0, len(made), schemas, None, let_go("schema", Schema))
        self.kept += [arrays, schemas, none, array, schema]
        return schema, array


class ArrayProducer(ArrowTable):
    def __arrow_c_array__(self, requested_schema=None):
        schema, array = self.structs()
        return (new_capsule(ctypes.addressof(schema), b"arrow_schema", None),
                new_capsule(ctypes.addressof(array), b"arrow_array", None))


class StreamProducer(ArrowTable):
    def stream(self):
        left = [self.batches]

        def get_schema(_, out):
            out[0] = self.structs()[0]
            return 0

        def get_next(_, out):
            if left[0] == 0:
                out[0] = Array()
            else:
                out[0] = self.structs()[1]
                left[0] -= 1
            return 0

        def release(address):
            self.released.append("stream")
            Stream.from_address(address).release = Release()
        stream = Stream(GetSchema(get_schema), GetNext(get_next), GetError(lambda _: None), Release(release))
        self.kept.append(stream)
        return stream

    def __arrow_c_stream__(self, requested_schema=None):
        return new_capsule(ctypes.addressof(self.stream()), b"arrow_array_stream", None)


class OldProducer(StreamProducer):
    """As pyarrow was before it had capsules."""

    __arrow_c_stream__ = property()  # hides it: hasattr is False

    def to_reader(self):
        return self

    def _export_to_c(self, address):
        ctypes.memmove(address, ctypes.addressof(self.stream()), ctypes.sizeof(Stream))


def texts(values):
    """Buffers of a column "u": validity, offsets, bytes."""
    encoded = [b"" if each is None else each.encode() for each in values]
    offsets = struct.pack(f"<{len(values) + 1}i", *np.cumsum([0, *map(len, encoded)]))
    return [bits([each is not None for each in values]), offsets, b"".join(encoded) or b" "]
