// Second moments of the features of a logistic regression.
#pragma once

#include "modicum/release/labeled_rows.h"

namespace modicum {

/// What the rows add up to for their question: the number of rows, then all entries.
std::vector<Integer128> answer_features(const PassOverRows& pass, Eigen::Index dimension);

}  // namespace modicum
