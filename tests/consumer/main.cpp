// Uses something of each library that an installed copy must bring along.
#include <modicum/data/table.h>
#include <modicum/numerics/enclosure.h>
#include <modicum/randomness/random_source.h>
#include <modicum/release/release_files.h>
#include <modicum/version.h>

#include <cstdio>

int main() {
  const modicum::Enclosure half(0.5, 0.5);
  std::printf("modicum %s\n", modicum::version);
  modicum::SecureSource source;
  const bool random = source.next() != source.next();
  const bool hashed = modicum::sha256("").starts_with("e3b0c442");
  bool refused = false;
  try {
    const modicum::Table table({{"there is no such file.csv.gz"}});
  } catch (const modicum::UnreadableFile&) {
    refused = true;
  }
  return half.within(0.0, 1.0).upper() == 0.5 && random && hashed && refused ? 0 : 1;
}
