// Columns of data frames, Arrow tables and arrays, as they lie in memory.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cmath>

#include "data/cells/cell_text.h"
#include "data/columns_in_memory.h"
#include "modicum/data/arrow.h"
#include "modicum/numerics/errors.h"
#include "python/bindings.h"

namespace modicum {
namespace {

namespace py = pybind11;
using namespace py::literals;
using data::Cells;
using data::CellsPointer;
using data::ColumnsInMemory;

// Objects of any type, one by one: what becomes of each depends on no other.
class ObjectCells final : public Cells {
 public:
  explicit ObjectCells(const py::array& objects) {
    const auto rows = static_cast<std::size_t>(objects.shape(0));
    ends_.reserve(rows);
    truths_.assign(rows, unknown);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto* const cell = static_cast<const char*>(objects.data()) +
                               static_cast<py::ssize_t>(i) * objects.strides(0);
      const py::handle object(*reinterpret_cast<PyObject* const*>(cell));
      if (object) take(object, i);
      ends_.push_back(texts_.size());
    }
  }
  bool number(std::size_t row, double& value) const override {
    if (truths_[row] == unknown) return false;
    value = truths_[row];
    return true;
  }
  void text(std::size_t row, std::string& to) const override {
    const std::size_t begin = row == 0 ? 0 : ends_[row - 1];
    to.assign(texts_, begin, ends_[row] - begin);
  }

 private:
  static constexpr unsigned char unknown = 2;

  void take(py::handle object, std::size_t row) {
    if (PyUnicode_Check(object.ptr()) != 0) return append(object);
    if (object.is_none()) return;
    const std::string type = py::str(py::type::of(object).attr("__name__"));
    if (PyBool_Check(object.ptr()) != 0 || type == "bool_" || type == "bool") {
      const int truth = PyObject_IsTrue(object.ptr());
      if (truth < 0) return PyErr_Clear();
      truths_[row] = truth == 1 ? 1 : 0;
      texts_ += truth == 1 ? "true" : "false";
    } else if (PyFloat_Check(object.ptr()) != 0 || type.starts_with("float")) {
      const double value = PyFloat_AsDouble(object.ptr());
      if (PyErr_Occurred() != nullptr) PyErr_Clear();
      else texts_ += data::text_of_number(value);
    } else if (PyLong_Check(object.ptr()) != 0 || type.starts_with("int") ||
               type.starts_with("uint")) {
      take_whole(object);
    } else if (type == "Decimal") {
      append_quietly(
          [&] { return py::str(data::text_of_decimal(py::str(object).cast<std::string>())); });
    } else if (type == "date" || type == "datetime" || type == "Timestamp" ||
               type == "datetime64") {
      append_quietly([&] {
        const py::object iso = type == "datetime64" ? py::str(object) : object.attr("isoformat")();
        return py::str(data::text_of_moment(iso.cast<std::string>()));
      });
    } else if (PyBytes_Check(object.ptr()) != 0) {
      append_quietly([&] { return py::str(object.attr("decode")("utf-8")); });
    }  // all else is as if it were missing
  }
  void take_whole(py::handle object) {
    const py::object whole = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
    int beyond = 0;
    const long long value = whole ? PyLong_AsLongLongAndOverflow(whole.ptr(), &beyond) : 0;
    if (!whole || PyErr_Occurred() != nullptr) return PyErr_Clear();
    if (beyond == 0) texts_ += data::text_of_whole(std::int64_t{value});
  }
  // Text that is none, such as half a surrogate, is missing.
  void append(py::handle text) {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (bytes == nullptr) PyErr_Clear();
    else texts_.append(bytes, static_cast<std::size_t>(size));
  }
  template <class Make>
  void append_quietly(const Make& make) {
    try {
      append(make());
    } catch (const py::error_already_set&) {  // the message may quote the cell
    }
  }

  std::string texts_;
  std::vector<std::size_t> ends_;
  std::vector<unsigned char> truths_;
};

// How many units of a datetime64 make a day; 0 for others.
std::int64_t units_per_day(const std::string& unit) {
  for (const auto& [name, count] : {std::pair<const char*, std::int64_t>{"D", 1},
                                    {"h", 24},
                                    {"m", 1440},
                                    {"s", 86400},
                                    {"ms", 86400000},
                                    {"us", 86400000000},
                                    {"ns", 86400000000000}})
    if (unit == name) return count;
  return 0;
}

// One dimension; `missing` marks cells that are not there. Anything that is not known is as if it
// were missing.
CellsPointer array_cells(const py::array& array, data::Validity validity) {
  const std::string kind(1, array.dtype().kind());
  if (kind == "O") return std::make_shared<ObjectCells>(array);
  if (kind == "M") {
    const std::string name = py::str(array.dtype());  // datetime64[ns]
    const std::size_t open = name.find('[');
    const std::int64_t units = open == std::string::npos
                                   ? 0
                                   : units_per_day(name.substr(open + 1, name.size() - open - 2));
    return units == 0 ? data::empty_cells()
                      : data::date_cells(8, array.data(), array.strides(0), units, validity);
  }
  if (kind == "b") return data::number_cells("?", array.data(), array.strides(0), validity);
  std::string format;
  if (kind == "f") format = array.itemsize() == 4 ? "f" : array.itemsize() == 8 ? "d" : "";
  else if (kind == "i" || kind == "u")
    for (const auto& [bytes, letter] :
         {std::pair<py::ssize_t, char>{1, 'b'}, {2, 'h'}, {4, 'i'}, {8, 'q'}})
      if (array.itemsize() == bytes)
        format = kind == "i" ? letter : static_cast<char>(letter - 'a' + 'A');
  CellsPointer cells = data::number_cells(format, array.data(), array.strides(0), validity);
  return cells ? cells : data::empty_cells();
}

// (values, missing, categories), where the last two may be None: values are then places among the
// categories.
CellsPointer column_cells(const py::tuple& column) {
  const auto values = column[0].cast<py::array>();
  data::Validity validity;
  if (!column[1].is_none())
    validity.missing = static_cast<const std::uint8_t*>(column[1].cast<py::array>().data());
  CellsPointer own = array_cells(values, validity);
  if (column[2].is_none()) return own;
  const auto categories = column[2].cast<py::array>();
  return data::dictionary_cells(std::move(own), array_cells(categories, {}),
                                static_cast<std::size_t>(categories.shape(0)));
}

// Kept alive by whoever reads its memory; let go with the interpreter's lock.
std::shared_ptr<const void> kept(py::object object) {
  return {new py::object(std::move(object)), [](const void* held) {
            const py::gil_scoped_acquire lock;
            delete static_cast<const py::object*>(held);
          }};
}

// Columns that are None are not to be used.
std::shared_ptr<ColumnsInMemory> columns_of_arrays(std::vector<std::string> names,
                                                   const py::list& columns, std::size_t rows) {
  ColumnsInMemory::Batch batch{rows, {}};
  for (const py::handle column : columns)
    batch.columns.push_back(column.is_none() ? data::empty_cells()
                                             : column_cells(column.cast<py::tuple>()));
  return std::make_shared<ColumnsInMemory>(std::move(names), std::vector{std::move(batch)},
                                           kept(columns));
}

std::shared_ptr<ColumnsInMemory> shared(const std::shared_ptr<const ColumnsInMemory>& columns) {
  return std::const_pointer_cast<ColumnsInMemory>(columns);
}

template <class Struct>
Struct& content_of(const py::object& capsule) {
  return *capsule.cast<py::capsule>().get_pointer<Struct>();
}

}  // namespace

void bind_frames(py::module_& module) {
  py::class_<ColumnsInMemory, std::shared_ptr<ColumnsInMemory>>(module, "Columns",
                                                                "Columns as they lie in memory.")
      .def_property_readonly("names", &ColumnsInMemory::names);
  module.def("columns_of_arrays", &columns_of_arrays, "names"_a, "columns"_a, "rows"_a,
             "Columns of (values, missing, categories); None for those that are not used.");
  module.def(
      "columns_of_arrow",
      [](const py::object& stream) {
        return shared(columns_from_arrow(content_of<ArrowArrayStream>(stream)));
      },
      "stream"_a, "Columns of a capsule \"arrow_array_stream\", which is used up.");
  module.def(
      "columns_of_arrow_array",
      [](const py::object& schema, const py::object& array) {
        return shared(
            columns_from_arrow(content_of<ArrowSchema>(schema), content_of<ArrowArray>(array)));
      },
      "schema"_a, "array"_a, "Columns of capsules \"arrow_schema\" and \"arrow_array\".");
  module.def(
      "columns_of_export",
      [](const py::object& export_to) {
        ArrowArrayStream stream{};
        export_to(reinterpret_cast<std::uintptr_t>(&stream));
        return shared(columns_from_arrow(stream));
      },
      "export_to"_a, "Columns of what writes a stream to an address that it is given.");
}

}  // namespace modicum
