#include "data/hdf5/hdf5_child.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/as_size.h"
#include "core/available_memory.h"
#include "core/error.h"
#include "data/hdf5/hdf5.h"
#include "data/hdf5/hdf5_readers.h"

namespace visq::data {
namespace {

constexpr std::size_t kLongestMessage = std::size_t{1} << 16;  // names in it are cut, the path is the user's

std::uint64_t most_memory() {
  if (limits().memory > 0) return limits().memory;
  return static_cast<std::uint64_t>(kLargestShare * static_cast<double>(available_memory()));
}

std::size_t read_some(int descriptor, std::span<std::byte> bytes) {
  while (true) {
    const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
    if (count >= 0) return as_size(count);
    if (errno != EINTR) return 0;
  }
}

}  // namespace

void write_error(const Error& error, WireWriter& out) {
  out.number(static_cast<std::uint64_t>(Answer::kError));
  out.number(static_cast<std::uint64_t>(error.reason));
  out.text(std::string_view(error.message).substr(0, kLongestMessage));
}

Hdf5Child::Hdf5Child(std::string path, std::uint64_t size, std::unique_ptr<ChildProcess> process)
    : path_(std::move(path)),
      size_(size),
      process_(std::move(process)),
      wire_([child = process_.get()](auto bytes) { return child->receive(bytes); }) {}

Result<std::unique_ptr<Hdf5Child>> Hdf5Child::start(const std::string& path, const Serve& serve) {
  VISQ_ASSIGN(OpenFile file, open_regular_file(path));
  const hdf5::Session session;  // no other thread is inside the library while it is copied
  const auto work = [&](int channel) {
    hdf5::confine();
    enter_sandbox({file.descriptor.get(), channel}, most_memory());
    WireReader requests([channel](auto bytes) { return read_some(channel, bytes); });
    WireWriter answers(channel);
    serve(std::move(file), requests, answers);
  };
  VISQ_ASSIGN(auto process, ChildProcess::start(work, path));
  return std::unique_ptr<Hdf5Child>(new Hdf5Child(path, file.size, std::move(process)));
}

void Hdf5Child::ask(std::initializer_list<std::uint64_t> numbers) { process_->send(std::as_bytes(std::span(numbers))); }

Status Hdf5Child::answer() {
  const auto kind = static_cast<Answer>(wire_.number(static_cast<std::uint64_t>(Answer::kNoMemory)));
  VISQ_TRY(check());
  if (kind == Answer::kNoMemory) throw std::bad_alloc();
  if (kind == Answer::kValue) return {};
  Error error;
  error.reason = static_cast<Reason>(wire_.number(static_cast<std::uint64_t>(Reason::kInternal)));
  error.message = wire_.text(kLongestMessage);
  VISQ_TRY(check());
  return error;
}

Status Hdf5Child::check() {
  if (wire_.ok()) return {};
  switch (process_->end()) {
    case ChildEnd::kTime:
      return bad_input("{}: the HDF5 library does not come to an end with it (limit {} s): the file is damaged", path_,
                       limits().library_seconds);
    case ChildEnd::kKilled:
      return bad_input("{}: the process that read it was killed; the system may have no memory left", path_);
    case ChildEnd::kStopped:
      return bad_input("{}: interrupted while it was read", path_);
    case ChildEnd::kFault:
      break;
  }
  return bad_input("{}: the HDF5 library fails on it: the file is damaged", path_);
}

}  // namespace visq::data
