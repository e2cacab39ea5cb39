// --resize, --scale, --mean, --std, --layout, --rgb, --bgr and --preset: how pictures become what a model takes.
#pragma once

#include <string>

#include "visq/data/preparation.h"
#include "visq/status.h"
#include "visqerror/options/options.h"

namespace visq::tool {

struct PictureOptions {
  std::string preset, resize, scale, mean, deviation, layout;
  bool rgb = false, bgr = false;

  void add_to(Options& options);
  /// What a preset says, changed by what the other options say. Errors: kUsage.
  Result<Preparation> parse() const;
  /// The options as they were given, for the command line of a next command; each with a space before it.
  std::string words() const;
};

}  // namespace visq::tool
