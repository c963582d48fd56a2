// Cells of tables in memory as the text that categories and persons are told apart by. The text of
// a cell must not depend on the type of its column, which one odd cell can change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace modicum::data {

/// Nothing for a number that is not finite or not below 2^53 in size: one double stands for several
/// whole numbers there, and persons would become one.
std::string text_of_number(double value);
std::string text_of_whole(std::int64_t value);
std::string text_of_whole(std::uint64_t value);

/// A moment as ISO 8601 has it, in one form: the date alone at midnight, no zeros at the end of
/// fractions of seconds. What is not of that form stays as it is.
std::string text_of_moment(std::string_view iso);

/// A decimal number without zeros at its end, exactly.
std::string text_of_decimal(std::string_view written);

}  // namespace modicum::data
