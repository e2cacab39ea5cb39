#include "analysis/compare/record_codec.h"

#include <algorithm>
#include <concepts>

#include "core/error.h"
#include "core/packing.h"

namespace visq::analysis {
namespace {

constexpr std::uint8_t kVersion = 4;

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

/// Writes whatever fields() names.
class Packer {
 public:
  template <class... Ts>
  void operator()(const Ts&... values) {
    (one(values), ...);
  }
  std::string take() { return writer_.take(); }

 private:
  template <class T>
  void one(const T& value);
  PackWriter writer_;
};

/// Reads the same fields; what is missing or makes no sense ends it.
class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : reader_(bytes) {}
  template <class... Ts>
  void operator()(Ts&... values) {
    (one(values), ...);
  }
  bool sound() const { return sound_ && reader_.at_end(); }

 private:
  template <class T>
  void one(T& value);
  PackReader reader_;
  bool sound_ = true;
};

void fields(auto& archive, Is<metrics::PairStats> auto& s) {
  archive(s.elements, s.sum_f, s.sum_q, s.sum_abs_f, s.sum_ff, s.sum_qq, s.sum_fq, s.sum_abs_d, s.sum_dd, s.sum_dd_outside, s.max_abs_d,
          s.min_f, s.max_f, s.min_q, s.max_q, s.has_scale, s.sum_dd_scaled, s.max_abs_d_scaled, s.non_finite_f, s.non_finite_q,
          s.first_non_finite_f, s.first_non_finite_q, s.rows, s.sum_kl);
}

void fields(auto& archive, Is<MapRecord> auto& m) {
  archive(m.stats, m.channels, m.shape, m.integer, m.differing, m.saturated, m.fingerprint, m.not_compared);
}

void fields(auto& archive, Is<OriginRecord> auto& r) {
  archive(r.has_created, r.has_inherited, r.not_computed, r.elements, r.created, r.weights, r.inner, r.rounding, r.clipping, r.inherited,
          r.created_scaled, r.inherited_scaled, r.created_non_finite, r.inherited_non_finite);
}

void fields(auto& archive, Is<runtime::NodeFailure> auto& f) { archive(f.subgraph, f.node, f.reason); }
void fields(auto& archive, Is<runtime::SurplusRun> auto& r) { archive(r.in_reference, r.subgraph); }

void fields(auto& archive, Is<RecordOutput> auto& o) {
  archive(o.maps, o.processed, o.origins, o.reference_failures, o.quantized_failures, o.surplus);
}

/// More elements than any map has. Counts up to it can be added up over the records of any file.
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

template <class... Counts>
bool are_counts(Counts... counts) {
  return ((counts >= 0 && counts <= kMostElements) && ...);
}

/// Whether what was read can be what was written: files of results come from anywhere.
bool plausible(const metrics::PairStats& s) {
  return are_counts(s.elements, s.non_finite_f, s.non_finite_q, s.rows) && std::max({s.non_finite_f, s.non_finite_q, s.rows}) <= s.elements;
}
bool plausible(const MapRecord& m) { return are_counts(m.differing, m.saturated); }
bool plausible(const OriginRecord& r) { return are_counts(r.elements, r.created_non_finite, r.inherited_non_finite); }
bool plausible(const auto&) { return true; }

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

template <class T>
void Packer::one(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    writer_.add(static_cast<std::uint8_t>(value ? 1 : 0));
  } else if constexpr (std::is_arithmetic_v<T>) {
    writer_.add(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    writer_.add_text(value);
  } else if constexpr (std::is_same_v<T, Shape>) {
    one(std::vector<std::int64_t>(value.dims().begin(), value.dims().end()));
  } else if constexpr (is_list<T>) {
    writer_.add(static_cast<std::uint64_t>(value.size()));
    for (const auto& each : value) one(each);
  } else {
    fields(*this, value);
  }
}

template <class T>
void Unpacker::one(T& value) {
  if (!sound_) return;
  if constexpr (std::is_same_v<T, bool>) {
    std::uint8_t byte = 0;
    sound_ = reader_.get(byte) && byte <= 1;
    value = byte == 1;
  } else if constexpr (std::is_arithmetic_v<T>) {
    sound_ = reader_.get(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    sound_ = reader_.get_text(value);
  } else if constexpr (std::is_same_v<T, Shape>) {
    std::vector<std::int64_t> dims;
    one(dims);
    sound_ = sound_ && std::all_of(dims.begin(), dims.end(), [](std::int64_t size) { return are_counts(size); });
    value = Shape(std::move(dims));
  } else if constexpr (is_list<T>) {
    std::uint64_t size = 0;
    sound_ = reader_.get(size) && size <= reader_.left();  // every element takes a byte at least
    for (std::uint64_t i = 0; sound_ && i < size; ++i) one(value.emplace_back());
  } else {
    fields(*this, value);
    sound_ = sound_ && plausible(value);
  }
}

template <class T>
std::string pack_any(const T& value) {
  Packer packer;
  packer(kVersion, value);
  return packer.take();
}

template <class T>
Result<T> unpack_any(const std::string& bytes) {
  Unpacker unpacker(bytes);
  std::uint8_t version = 0;
  T value;
  unpacker(version, value);
  if (!unpacker.sound() || version != kVersion) return bad_input("the sums of a record cannot be read");
  return value;
}

}  // namespace

std::string pack(const RecordOutput& output) { return pack_any(output); }
Result<RecordOutput> unpack_output(const std::string& bytes) { return unpack_any<RecordOutput>(bytes); }
std::string pack(const std::vector<std::vector<MapRecord>>& maps) { return pack_any(maps); }
Result<std::vector<std::vector<MapRecord>>> unpack_maps(const std::string& bytes) {
  return unpack_any<std::vector<std::vector<MapRecord>>>(bytes);
}

}  // namespace visq::analysis
