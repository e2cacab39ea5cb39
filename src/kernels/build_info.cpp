#include "kernels/build_info.h"

#include <fmt/format.h>
#include <hwy/highway.h>

#include <dnnl.hpp>

namespace visq::kernels {

std::vector<std::string> kernel_libraries() {
  const dnnl_version_t* version = dnnl_version();
  return {fmt::format("oneDNN {}.{}.{}", version->major, version->minor, version->patch), "XNNPACK (its packages state no version)",
          fmt::format("Highway {}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH)};
}

std::string cpu_features() {
  // __builtin_cpu_supports takes literals only.
  std::string names;
  const auto add = [&names](bool present, const char* name) {
    if (present) names += names.empty() ? name : std::string(" ") + name;
  };
#if defined(__x86_64__) || defined(__i386__)
  add(__builtin_cpu_supports("sse4.2") != 0, "SSE4.2");
  add(__builtin_cpu_supports("avx2") != 0, "AVX2");
  add(__builtin_cpu_supports("fma") != 0, "FMA");
  add(__builtin_cpu_supports("avx512f") != 0, "AVX-512F");
  add(__builtin_cpu_supports("avx512bw") != 0, "AVX-512BW");
  add(__builtin_cpu_supports("avx512vnni") != 0, "AVX-512-VNNI");
#endif
  return names.empty() ? "baseline" : names;
}

}  // namespace visq::kernels
