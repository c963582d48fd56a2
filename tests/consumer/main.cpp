#include <modicum/numerics/enclosure.h>
#include <modicum/version.h>

#include <cstdio>

int main() {
  const modicum::Enclosure half(0.5, 0.5);
  std::printf("modicum %s\n", modicum::version);
  return half.within(0.0, 1.0).upper() == 0.5 ? 0 : 1;
}
