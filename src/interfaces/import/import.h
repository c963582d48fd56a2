// import: histories of other tools as descriptions.
#pragma once

#include "interfaces/job.h"

namespace modicum {

JobKind import_job();

}  // namespace modicum
