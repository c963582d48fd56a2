// What the plot commands share: where the picture goes, and how far it is sampled.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interfaces/command.h"
#include "interfaces/json_output.h"
#include "modicum/interfaces/chart.h"

namespace modicum {

struct PictureRequest {
  std::string output, title;
  CommonFlags flags;

  /// Pictures do not need proofs, unless they are asked for.
  Accuracy accuracy() const { return flags.certified ? Accuracy::certified : Accuracy::fast; }
  std::string title_or(const std::string& usual) const { return title.empty() ? usual : title; }
};
/// --output and --title.
void add_picture_place(CLI::App& command, PictureRequest& request);
/// Throws InvalidParameter, UsageError unless the picture can go there.
void require_picture_place(const PictureRequest& request);
/// --output, --title and the common flags.
void add_picture_options(CLI::App& command, PictureRequest& request);

struct Picture {
  Chart chart;
  Value rows;  ///< the numbers behind it, for --json; null for none
};

/// Makes the picture and writes it, after a look at where it goes. What the command prints.
std::string picture(const PictureRequest& request, const std::function<Picture()>& make);

/// --points, with its default in `text`.
void add_points_option(CLI::App& command, std::string& text);
std::size_t point_count(const std::string& text);

/// An option with several numbers.
void add_numbers_option(CLI::App& command, const std::string& name, std::vector<std::string>& texts,
                        const std::string& help);
std::vector<double> parse_numbers(const std::string& name, const std::vector<std::string>& texts);

/// `count` numbers from `from` to `to`, both included.
std::vector<double> even_steps(double from, double to, std::size_t count);

// Each adds plots of one kind.
void add_curve_plots(CLI::App& plot, CommandResult& output);
void add_noise_plots(CLI::App& plot, CommandResult& output);
void add_leverage_plot(CLI::App& plot, CommandResult& output);
void add_claim_plot(CLI::App& plot, CommandResult& output);
void add_component_plots(CLI::App& plot, CommandResult& output);
void add_projection_plot(CLI::App& plot, CommandResult& output);

}  // namespace modicum
