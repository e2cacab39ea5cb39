#include "mpi/mpi_transport.h"

#include <mpi.h>

#include <algorithm>

#include "core/as_size.h"
#include "core/error.h"

namespace visq {
namespace {

constexpr std::int64_t kLargestPiece = 1 << 30;  ///< counts of MPI calls are ints

/// A failure inside MPI ends all ranks: its default handler is MPI_Abort.
class MpiTransport : public RankTransport {
 public:
  MpiTransport() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiTransport() override { MPI_Finalize(); }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<std::string> gather(const std::string& own) override {
    const auto mine = static_cast<std::int64_t>(own.size());
    std::vector<std::int64_t> sizes(as_size(size_));
    MPI_Allgather(&mine, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
    std::vector<std::string> all(sizes.size());
    for (int from = 0; from < size_; ++from) {
      std::string& bytes = all[as_size(from)];
      const std::int64_t size = sizes[as_size(from)];
      bytes = from == rank_ ? own : std::string(as_size(size), '\0');
      for (std::int64_t at = 0; at < size; at += kLargestPiece) {
        MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(kLargestPiece, size - at)), MPI_CHAR, from, MPI_COMM_WORLD);
      }
    }
    return all;
  }

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace

Result<std::unique_ptr<RankTransport>> join_mpi_job() {
  int given = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS) return internal_error("MPI: cannot join the job");
  auto transport = std::make_unique<MpiTransport>();
  if (given < MPI_THREAD_SERIALIZED) return unsupported("MPI: this library allows one thread only");
  return std::unique_ptr<RankTransport>(std::move(transport));
}

}  // namespace visq
