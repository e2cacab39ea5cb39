// Which data a float model was made for, told by the model itself. A trained classifier tells the records of its task apart: it is sure of
// each, and gives different answers; and a unit behind a RELU is silent for some of what it sees, not for all or for nothing. Data in other
// units make the answers alike or unsure, and units dead or always on.
#pragma once

#include <optional>
#include <string>

#include "diagnosis/symptoms.h"
#include "diagnosis/whole/pre_processing.h"
#include "diagnosis/whole/range_fit.h"
#include "visq/data.h"
#include "visq/request.h"

namespace visq::diagnosis {

/// How a float model takes some data.
struct Liveliness {
  /// What the answers of a first output of probabilities say about which record it was (mutual information: the entropy of the mean answer
  /// less the mean entropy), over the most that they could say; 0 to 1. Nothing for other outputs.
  std::optional<double> told_apart;
  /// Of the channels behind RELUs, the share that fires for less than 1 % or more than 99 % of the values; mean over the maps. Nothing
  /// where there are no such maps.
  std::optional<double> idle;
  double magnitude = 0;  ///< RMS of the inputs: the larger they are, the surer the answers, right or wrong
};

enum class NaturalData : std::uint8_t { kAsGiven, kChanged, kOpen };

/// The data as they are beside the same data after a change.
struct DataEvidence {
  std::string change;  ///< follows "the data"
  Liveliness given, changed;
  /// What both numbers say that speak clearly; open where none does, or where they disagree. For larger inputs answers speak only where the
  /// others hardly tell anything apart.
  NaturalData verdict() const;
  /// Both numbers side by side; empty where nothing was measured.
  std::string words() const;
  /// Whose pre-processing is wrong by the verdict, and what to do; empty where it is open.
  std::string conclusion() const;
};

/// What would take these data to those of calibration, where they are others: the change after which they fill the ranges, else the one
/// that takes the input onto its range. Nothing where neither is known.
std::optional<PreProcessing> suspected_change(const Symptoms& symptoms, const std::optional<RangeFit>& fit);

/// Runs the float model over some of the records. Errors: those of the runs.
Result<DataEvidence> weigh_data(const Subject& subject, RecordSource& data, const RunRequest& request, const PreProcessing& change);

}  // namespace visq::diagnosis
