#include "kernels/backend/build_info.h"

#include <fmt/core.h>
#include <hwy/highway.h>

#include <algorithm>
#include <dnnl.hpp>

#include "core/simd.h"
#include "kernels/backend/onednn.h"
#include "kernels/backend/xnnpack.h"

namespace visq::kernels {
namespace {

/// What oneDNN's run-time dispatch settled on: the CPU, unless the build or ONEDNN_MAX_CPU_ISA allows less.
const char* onednn_instructions() {
  using Isa = dnnl::cpu_isa;
  struct Named {
    Isa isa;
    const char* name;
  };
  static constexpr Named kNames[] = {{Isa::sse41, "SSE4.1"},
                                     {Isa::avx, "AVX"},
                                     {Isa::avx2, "AVX2"},
                                     {Isa::avx2_vnni, "AVX2 with VNNI"},
                                     {Isa::avx512_mic, "AVX-512 (MIC)"},
                                     {Isa::avx512_mic_4ops, "AVX-512 (MIC)"},
                                     {Isa::avx512_core, "AVX-512"},
                                     {Isa::avx512_core_vnni, "AVX-512 with VNNI"},
                                     {Isa::avx512_core_bf16, "AVX-512 with VNNI and BF16"},
                                     {Isa::avx512_core_amx, "AVX-512 with VNNI, BF16 and AMX"}};
  const Isa isa = dnnl::get_effective_cpu_isa();
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames), [&](const Named& each) { return each.isa == isa; });
  return found == std::end(kNames) ? "instructions it does not name" : found->name;
}

}  // namespace

std::vector<std::string> kernel_libraries() {
  const dnnl_version_t* version = dnnl_version();
  return {fmt::format("oneDNN {}.{}.{}, uses {}; int8 products are computed {}", version->major, version->minor, version->patch,
                      onednn_instructions(), backend::exact_int8_sums() ? "in integers" : "in float32"),
          backend::xnnpack_version(), fmt::format("Highway {}.{}.{}, uses {}", HWY_MAJOR, HWY_MINOR, HWY_PATCH, simd::name(simd::level()))};
}

std::string cpu_features() {
  // __builtin_cpu_supports takes literals only.
  std::string names;
  const auto add = [&names](bool present, const char* name) {
    if (present) names += names.empty() ? name : std::string(" ") + name;
  };
#if defined(__x86_64__) || defined(__i386__)
  add(__builtin_cpu_supports("sse4.2") != 0, "SSE4.2");
  add(__builtin_cpu_supports("avx") != 0, "AVX");
  add(__builtin_cpu_supports("avx2") != 0, "AVX2");
  add(__builtin_cpu_supports("fma") != 0, "FMA");
  add(__builtin_cpu_supports("avx512f") != 0, "AVX-512F");
  add(__builtin_cpu_supports("avx512bw") != 0, "AVX-512BW");
  add(__builtin_cpu_supports("avx512vl") != 0, "AVX-512VL");
  add(__builtin_cpu_supports("avx512vnni") != 0, "AVX-512-VNNI");
  add(__builtin_cpu_supports("avx512bf16") != 0, "AVX-512-BF16");
#endif
  return names.empty() ? "baseline" : names;
}

}  // namespace visq::kernels
