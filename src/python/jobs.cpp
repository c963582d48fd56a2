// Everything that can be asked: arguments into the fields of a job, its reply into objects.
#include <fmt/format.h>
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <tuple>

#include "data/cells/number_text.h"
#include "data/columns_in_memory.h"
#include "interfaces/job.h"
#include "modicum/calibration/calibrate.h"
#include "modicum/data/gathered.h"
#include "modicum/interfaces/command_line.h"
#include "modicum/release/loss_source.h"
#include "modicum/release/number_table.h"
#include "modicum/release/release_files.h"
#include "modicum/release/table_source.h"
#include "python/bindings.h"
#include "release/certificates/certificate_json.h"

namespace modicum {
namespace {

namespace py = pybind11;
using namespace py::literals;

using Names = std::vector<std::string>;
using Texts = std::vector<py::str>;
using Numbers = std::tuple<Texts, Texts, Eigen::MatrixXd>;

// Names come from the rows and may be any bytes, also such that are no UTF-8: these become
// surrogates, as in Python's own names of files, and are found again by `bytes_of`. A release that
// is paid for must not be lost on its way.
py::str text_of(const std::string& bytes) {
  PyObject* const text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

std::string bytes_of(py::handle text) {
  const auto bytes = py::reinterpret_steal<py::bytes>(
      PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes) throw py::error_already_set();
  return bytes;
}

Texts texts_of(const Names& names) {
  Texts texts;
  for (const std::string& each : names) texts.push_back(text_of(each));
  return texts;
}

Names names_in(const Texts& texts) {
  Names names;
  for (const py::str& each : texts) names.push_back(bytes_of(each));
  return names;
}

[[noreturn]] void refuse_argument(const std::string& name, py::handle given) {
  throw InvalidParameter(name, one_line(py::repr(given).cast<std::string>(), 200),
                         "must be a number, text or a list");
}

// A path as text, or nothing.
std::optional<std::string> path_in(py::handle given) {
  if (py::isinstance<py::str>(given)) return bytes_of(given);
  if (py::hasattr(given, "__fspath__")) return given.attr("__fspath__")().cast<std::string>();
  return std::nullopt;
}

Value value_in(const std::string& name, py::handle given) {
  if (given.is_none()) return {};
  if (py::isinstance<py::bool_>(given)) return given.cast<bool>();
  if (auto path = path_in(given)) return *path;
  if (py::isinstance<py::int_>(given)) {
    const double number = given.cast<double>();
    if (std::abs(number) < 0x1p62) return given.cast<std::int64_t>();
    return number;
  }
  if (py::isinstance<py::float_>(given)) return given.cast<double>();
  if (py::isinstance<py::bytes>(given) || py::isinstance<py::bytearray>(given))
    refuse_argument(name, given);
  if (py::hasattr(given, "as_dict")) return value_in(name, given.attr("as_dict")());
  if (py::isinstance<py::dict>(given)) {
    Value record = Value::record();
    for (const auto& [key, value] : given.cast<py::dict>())
      record[bytes_of(py::str(key))] = value_in(name, value);
    return record;
  }
  // Arrays and scalars of other libraries know how to become lists and numbers.
  if (py::hasattr(given, "tolist")) return value_in(name, given.attr("tolist")());
  if (py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given)) {
    Value list = Value::list();
    for (const py::handle each : given) list.push_back(value_in(name, each));
    return list;
  }
  try {
    return py::float_(py::reinterpret_borrow<py::object>(given)).cast<double>();
  } catch (const py::error_already_set&) {
    refuse_argument(name, given);
  }
}

// Rows as they lie in memory. The array must live as long as the job.
RowsInMemory rows_in(const py::array& array) {
  const auto step = [&](int axis) {
    return array.strides(axis) / static_cast<py::ssize_t>(sizeof(double));
  };
  return {static_cast<const double*>(array.data()), static_cast<std::size_t>(array.shape(0)),
          static_cast<std::size_t>(array.shape(1)), step(0), step(1)};
}

bool is_matrix_of_doubles(py::handle given) {
  if (!py::isinstance<py::array_t<double>>(given)) return false;
  const auto array = given.cast<py::array>();
  return array.ndim() == 2 && array.strides(0) % static_cast<py::ssize_t>(sizeof(double)) == 0 &&
         array.strides(1) % static_cast<py::ssize_t>(sizeof(double)) == 0;
}

// A loss at hand, bare or as modicum.Loss has it, or what describes one.
LossSource loss_in(const std::string& name, py::handle given) {
  const py::object core = py::getattr(given, "_core", py::reinterpret_borrow<py::object>(given));
  if (!py::isinstance<Description>(core)) return LossSource(value_in(name, given));
  LossSource source;
  source.loss = std::make_shared<const Description>(core.cast<const Description&>());
  return source;
}

bool is_path_or_paths(py::handle given) {
  if (!py::isinstance<py::list>(given) && !py::isinstance<py::tuple>(given))
    return path_in(given).has_value();
  for (const py::handle each : given)
    if (!path_in(each)) return false;
  return true;
}

void require_not_given(const Field& field) {
  if (field.given)
    throw UsageError(fmt::format("`{}` is given twice, but must be given once", field.name));
}

// Rows at hand, or nothing if they are in files. What else is given is not quoted: it may be data.
std::optional<RowsInMemory> table_in(const Field& field, py::handle given) {
  require_not_given(field);
  if (is_matrix_of_doubles(given)) return rows_in(given.cast<py::array>());
  if (!is_path_or_paths(given))
    throw InvalidParameter(
        field.name,
        fmt::format("of type {}",
                    py::str(py::type::of(given).attr("__name__")).cast<std::string>()),
        "must be one array of doubles in two dimensions, or paths of files");
  return std::nullopt;
}

// An input is what its type says, or a path, or a tree of values.
void set_argument(Fields& fields, const std::string& name, py::handle given) {
  if (given.is_none()) return;
  Field* field = fields.find(name);
  if (field != nullptr && field->target.has_value()) {
    if (auto* table = std::any_cast<TableSource*>(&field->target); table != nullptr) {
      if (py::isinstance<data::ColumnsInMemory>(given)) {
        require_not_given(*field);
        (*table)->files.columns = given.cast<std::shared_ptr<data::ColumnsInMemory>>();
        field->given = true;
        return;
      }
      if (py::isinstance<RowsElsewhere>(given)) {
        require_not_given(*field);
        (*table)->files.elsewhere = given.cast<std::shared_ptr<RowsElsewhere>>();
        field->given = true;
        return;
      }
      if (const auto rows = table_in(*field, given)) {
        (*table)->files.memory = rows;
        field->given = true;
        return;
      }
    }
    if (auto* loss = std::any_cast<LossSource*>(&field->target); loss != nullptr) {
      **loss = loss_in(name, given);
      field->given = true;
      return;
    }
    if (auto* losses = std::any_cast<LossSources*>(&field->target); losses != nullptr) {
      const bool several = py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given);
      for (const py::handle each : several ? py::list(py::reinterpret_borrow<py::object>(given))
                                           : py::list(py::make_tuple(given)))
        (*losses)->all.push_back(loss_in(name, each));
      field->given = !(*losses)->all.empty();
      return;
    }
  }
  const Value value = value_in(name, given);
  if (value.is_bool() && !value.boolean()) return;  // a flag that is not wanted
  if ((value.is_list() && value.size() == 0) || value == Value(""))
    throw InvalidParameter(name, "empty", "must have something in it");
  fields.set(name, value);
}

py::object python_of(const Value& value, const py::object& bounds) {
  if (value.is_null()) return py::none();
  if (value.is_bool()) return py::bool_(value.boolean());
  if (value.is_whole()) return py::int_(value.whole());
  if (value.is_number()) return py::float_(value.number());
  if (value.is_text()) return text_of(value.text());
  if (value.is_enclosure()) return bounds(value.enclosure().lower(), value.enclosure().upper());
  if (value.is_list()) {
    py::list list;
    for (const Value& each : value.items()) list.append(python_of(each, bounds));
    return list;
  }
  py::dict record;
  for (const auto& [key, each] : value.members()) record[text_of(key)] = python_of(each, bounds);
  return record;
}

// `bounds` makes the object for a number that is known by two.
std::tuple<py::object, std::optional<Numbers>> run_job(const std::string& name,
                                                       const py::list& inputs,
                                                       const py::dict& arguments,
                                                       const py::object& bounds) {
  const JobKind* kind = find_job(name);
  if (kind == nullptr || !kind->make)
    throw UsageError(fmt::format("there is no job {}", in_quotes(name)));
  const std::unique_ptr<Job> job = kind->make();
  Fields fields;
  job->fields(fields);
  try {
    std::size_t used = 0;
    for (const Field& field : fields.all()) {
      if (!field.is_positional || used == inputs.size()) continue;
      const std::size_t taken = field.takes_several ? inputs.size() - used : 1;
      set_argument(
          fields, field.name,
          taken == 1
              ? py::object(inputs[used])
              : py::object(
                    inputs[py::slice(static_cast<py::ssize_t>(used), std::nullopt, std::nullopt)]));
      used += taken;
    }
    if (used < inputs.size()) throw UsageError("there is one input too many");
    for (const auto& [key, value] : arguments)
      set_argument(fields, py::str(key).cast<std::string>(), value);
    fields.finish();
    Reply reply = [&] {
      const py::gil_scoped_release others_may_run;
      Progress nobody;
      return job->run(nobody);
    }();
    std::optional<Numbers> numbers;
    if (reply.released)
      numbers = {texts_of(reply.released->row_names), texts_of(reply.released->column_names),
                 std::move(reply.released->values)};
    return {python_of(reply.value(), bounds), std::move(numbers)};
  } catch (const UsageError& error) {
    throw UsageError(in_style(error.what(), NameStyle::argument));
  } catch (const CalibrationFailed& error) {
    throw CalibrationFailed(in_style(error.what(), NameStyle::argument));
  } catch (const TargetUnreachable& error) {
    throw TargetUnreachable(in_style(error.what(), NameStyle::argument));
  }
}

void save(const Texts& row_names, const Texts& column_names, const Eigen::MatrixXd& values,
          const py::dict& certificate, const std::string& path, bool replace) {
  write_again({names_in(row_names), names_in(column_names), values},
              value_in("certificate", certificate),
              ReleaseFiles(path, "", replace ? OldFiles::first_kept : OldFiles::refused));
}

}  // namespace

void bind_jobs(py::module_& module) {
  module.def("run", &run_job, "name"_a, "inputs"_a, "arguments"_a, py::kw_only(), "bounds"_a,
             "What a job replies: its tree, and the released rows, columns and values.");
  module.def("save", &save, "row_names"_a, "column_names"_a, "values"_a, "certificate"_a,
             py::kw_only(), "path"_a, "replace"_a = false, "Writes a release as the program does.");
  module.def(
      "certificate_words",
      [](const py::dict& certificate) {
        return certificate_words(value_in("certificate", certificate));
      },
      "certificate"_a, "A certificate in words.");
  module.def(
      "main",
      [](std::vector<std::string> arguments) {
        return static_cast<int>(run_command_line(std::move(arguments)));
      },
      "arguments"_a, py::call_guard<py::gil_scoped_release>(),
      "Runs a command as the program does; its exit code.");
}

}  // namespace modicum
