// What one run of a model keeps between records and shares between its subgraphs: variables, hash tables, recurrent state.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "visq/tensor.h"

namespace visq::kernels {

class KernelState;

/// A hash table of HASHTABLE. Keys and values are the bytes of an int64 or of a string.
struct HashTable {
  DType key = DType::kInt64, value = DType::kString;
  std::unordered_map<std::string, std::string> entries;
};

/// Everything in it belongs to one sequence of records; a new sequence starts with a new session. Resources are known by the text
/// that their handles carry.
struct Session {
  std::map<std::string, Array> variables;  ///< elements as operators see them
  std::map<std::string, HashTable> tables;
  std::set<int> called_once;  ///< subgraphs that a CALL_ONCE has run
};

}  // namespace visq::kernels
