// The tables of a ledger, and how those of earlier versions become those of today.
#pragma once

#include "ledger/database.h"

namespace modicum {

/// Of the tables; each version adds a step.
int newest_schema();
/// 0 where there is no ledger.
int schema_of(Database& database);
/// Takes the steps that are missing, all or none of them. Throws Error for a ledger made by a newer
/// version.
void upgrade(Database& database, int wanted = newest_schema());

}  // namespace modicum
