// What the plots share: where the picture goes, and how far it is sampled.
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "interfaces/job.h"
#include "modicum/interfaces/chart.h"
#include "modicum/privacy/profile.h"
#include "modicum/release/write_file.h"

namespace modicum {

/// A file, or "-" for the reply itself.
struct PicturePlace {
  std::string output = {}, title = {};

  /// `output` and `title`; the first is required unless told otherwise.
  void fields(Fields& fields, bool required = true);
  /// Throws InvalidParameter unless it may go there, Error where nothing can be written.
  void require() const;
  bool shown() const { return output == "-"; }
  std::string title_or(const std::string& usual) const { return title.empty() ? usual : title; }
  /// Writes the picture, or makes it the text of the reply.
  void draw(const Chart& chart, Reply& reply, FileAccess access = FileAccess::usual) const;
};

struct Picture {
  Chart chart;
  Value rows = {};  ///< the numbers behind it, for programs; nothing for none
};

/// What plots without data are derived from. Each has a `Picture drawn(const Kind&, Progress&)`
/// beside it.
struct PlotJob {
  PicturePlace place = {};
  bool certified = false;

  void certified_field(Fields& fields);
  /// Pictures do not need proofs, unless they are asked for.
  Accuracy accuracy() const { return certified ? Accuracy::certified : Accuracy::fast; }
};

/// Draws it, and tells where it went and what is in it.
Reply told(const PicturePlace& place, const Picture& picture,
           FileAccess access = FileAccess::usual);

template <std::derived_from<PlotJob> Kind>
Reply run(const Kind& plot, Progress& progress) {
  plot.place.require();
  return told(plot.place, drawn(plot, progress));
}

/// `points`, with its default in `points`.
void add_points(Fields& fields, double& points);
std::size_t point_count(double points);
/// Several numbers, with their defaults in `numbers`.
void add_numbers(Fields& fields, const std::string& name, std::vector<double>& numbers,
                 const std::string& help);

/// `count` numbers from `from` to `to`, both included.
std::vector<double> even_steps(double from, double to, std::size_t count);
/// The ends of an axis, none of them negative. Throws InvalidParameter that names the field.
std::pair<double, double> require_ends(const char* from_name, double from, const char* to_name,
                                       double to);

/// The first zero after a curve has no place on a logarithmic axis: it is drawn far below.
inline constexpr double far_below = 1e-300;

}  // namespace modicum
