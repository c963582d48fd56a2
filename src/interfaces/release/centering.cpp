#include "interfaces/release/centering.h"

#include <fmt/format.h>

namespace modicum {

void CenteringFields::fields(Fields& fields, const char* what, const char* usual) {
  const Choices<Centering> centerings{
      {"private", Centering::by_private_means,
       fmt::format("released means and norms, for 15 % of the budget; {}", usual)},
      {"given", Centering::by_given_centers, "the public numbers of `centers`"},
      {"none", Centering::not_at_all, "the origin, which ranges put into their middle"}};
  fields.choice("center", center, centerings, what);
  fields.add("centers", centers, "public centers, one for each column, in the units of the file");
}

Centering CenteringFields::chosen(bool can, Centering usual, const char* where) const {
  const Centering found = center.value_or(centers.empty() ? usual : Centering::by_given_centers);
  if (found != Centering::not_at_all && !can)
    throw UsageError(fmt::format("`center` must be none, except for {}", where));
  if (found == Centering::by_given_centers && centers.empty())
    throw UsageError("`centers` is missing, but must be given for `center` given");
  if (found != Centering::by_given_centers && !centers.empty())
    throw UsageError("`centers` must not be given unless `center` is given");
  return found;
}

}  // namespace modicum
