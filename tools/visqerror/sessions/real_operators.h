// What an integer run of a circle model computes on real values.
#pragma once

#include "visqerror/sessions/session.h"

namespace visq::tool {

/// Says once which operators of an integer run have no integer arithmetic and are computed on real values.
void say_if_on_reals(const SharedModel& model, Mode mode, const Console& console);

}  // namespace visq::tool
