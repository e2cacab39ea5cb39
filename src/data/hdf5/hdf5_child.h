// A stranger's HDF5 file in the hands of a child process that holds nothing else: the library may crash there, spin, or be taken over by
// what the file holds, and this process gets an error. docs/containment.md tells why.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>

#include "core/child_process.h"
#include "core/sandbox.h"
#include "core/wire.h"
#include "visq/limits.h"

namespace visq::data {

class Hdf5Child {
 public:
  /// What the child does with the file, open already: reads numbers that ask() sends, writes answers with answer() below, until there are
  /// no more.
  using Serve = std::function<void(OpenFile file, WireReader& requests, WireWriter& answers)>;
  /// Errors: the file is none or cannot be read, there is no process for it.
  static Result<std::unique_ptr<Hdf5Child>> start(const std::string& path, const Serve& serve);

  void ask(std::initializer_list<std::uint64_t> numbers);
  /// Whether what was asked for comes now, in wire(). Errors: what the reader in the child said; how the child ended. Throws std::bad_alloc
  /// where the reader had no memory.
  Status answer();
  WireReader& wire() { return wire_; }
  /// More of anything than the file has bytes is not named in it.
  std::uint64_t file_size() const { return size_; }
  /// An error where what came is none of an answer: how the child ended. From then on it says nothing else.
  Status check();

 private:
  Hdf5Child(std::string path, std::uint64_t size, std::unique_ptr<ChildProcess> process);
  std::string path_;
  std::uint64_t size_;
  std::unique_ptr<ChildProcess> process_;
  WireReader wire_;
};

/// How an answer begins.
enum class Answer : std::uint64_t { kValue, kError, kNoMemory };

void write_error(const Error& error, WireWriter& out);

/// In the child: what `read` gives or throws becomes an answer; `write` writes the value.
template <class Read, class Write>
void answer(WireWriter& out, const Read& read, const Write& write) {
  begin_work(limits().library_seconds);
  try {
    auto result = read();
    if (result.ok()) {
      out.number(static_cast<std::uint64_t>(Answer::kValue));
      write(*result);
    } else {
      write_error(result.error(), out);
    }
  } catch (const std::bad_alloc&) {
    out.number(static_cast<std::uint64_t>(Answer::kNoMemory));
  }
  out.flush();
}

}  // namespace visq::data
