// Sequences of tokens from a .npy file.
#include "core/as_size.h"
#include "core/error.h"
#include "data/numpy/npy.h"
#include "data/sources/convert.h"
#include "visq/tokens.h"

namespace visq {

Result<TokenSequences> load_tokens(const std::string& path) {
  VISQ_ASSIGN(const data::NpyHeader header, data::read_npy_header(path, path));
  const int rank = header.shape.rank();
  if (!is_integer(header.dtype)) return bad_input("{}: holds {}; tokens are integers", path, name(header.dtype));
  if (rank != 1 && rank != 2) return bad_input("{}: shape {}; tokens are [tokens] or [sequences, tokens]", path, to_string(header.shape));
  if (header.shape.elements() == 0) return bad_input("{}: shape {} holds no tokens", path, to_string(header.shape));
  VISQ_ASSIGN(const Array stored, data::read_npy(path, header, 0, header.shape, path));
  const auto wide = data::to_integers(stored, DType::kInt64);
  if (!wide.ok()) return bad_input("{}: {}", path, wide.error().message);
  TokenSequences out{path, rank == 2 ? header.shape[0] : 1, header.shape.back(), {}};
  const auto values = wide->values<std::int64_t>();
  out.tokens.assign(values.begin(), values.end());
  for (std::size_t i = 0; i < out.tokens.size(); ++i) {
    if (out.tokens[i] < 0) return bad_input("{}: element {} is {}; a token is 0 or more", path, i, out.tokens[i]);
  }
  return out;
}

}  // namespace visq
