// Text of values as Python prints them, which is nearly JSON.
#pragma once

#include <string_view>

#include "modicum/data/value.h"

namespace modicum {

/// Numbers, text, lists and tuples, dictionaries with text as keys, None, True and False, as in
/// JSON too, and calls with named values: `Name(key=1)` is the record {"class_name": "Name", "key":
/// 1}. Numbers of numpy are numbers: `np.float64(0.01)`. inf is a number here, and so are those
/// below 2.3e-308, each rounded to the next double.
///
/// Throws InvalidDescription that names the line and the column, for NaN, repeated keys and nesting
/// beyond `deepest_nesting` too.
Value parse_literal(std::string_view text);

}  // namespace modicum
