#include "visqerror/sessions/job.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "core/error.h"
#include "core/ranks.h"
#include "visqerror/terminal/exit_code.h"
#ifdef VISQ_WITH_MPI
#include "mpi/mpi_transport.h"
#endif

namespace visq::tool {
namespace {

/// The transport of the job; it is left in leave_job().
std::unique_ptr<RankTransport>& transport() {
  static std::unique_ptr<RankTransport> instance;
  return instance;
}

#ifdef VISQ_WITH_MPI

/// Whether a launcher of MPI jobs started this process: Open MPI's, MPICH's, or Slurm's through PMIx or PMI. Starting MPI takes time that
/// other runs need not spend.
bool in_job() {
  constexpr const char* kSigns[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
  return std::any_of(std::begin(kSigns), std::end(kSigns), [](const char* sign) { return std::getenv(sign) != nullptr; });
}

bool is_first() {
  constexpr const char* kRanks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
  return std::any_of(std::begin(kRanks), std::end(kRanks), [](const char* rank) {
    const char* value = std::getenv(rank);
    return value != nullptr && std::string_view(value) == "0";
  });
}

/// The launcher ends all ranks where one has died, or where a user stops it. It does not always say why.
void on_end(int) {
  constexpr std::string_view kMessage = "visqerror: the launcher of this job ended it, as it does where a rank has died; nothing written\n";
  static_cast<void>(!::write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  ::_exit(128 + SIGTERM);
}

Status join() {
  if (!in_job()) return {};
  if (is_first()) std::signal(SIGTERM, on_end);
  VISQ_ASSIGN(transport(), join_mpi_job());
  return {};
}

#else

Status join() {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (size == nullptr || std::atoi(size) < 2) return {};
  return usage_error(
      "this build knows no MPI, so every process of the job would do the same work; build with -DVISQ_WITH_MPI=ON, or give "
      "each process a part of the records (--records A:B --per-record) and join their results with visqerror merge");
}

#endif

void fall_silent() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

}  // namespace

Status join_job() {
  VISQ_TRY(join());
  set_ranks(Ranks(transport().get()));
  if (!ranks().first()) fall_silent();
  return {};
}

int leave_job(int code) {
  std::string message;
  const int agreed = ranks().finish(code, message);
  if (!message.empty() && ranks().first()) print_error(message);
  // The rank that leaves first with an error makes the launcher end the others, which are about to leave with the same one.
  if (transport() != nullptr) std::signal(SIGTERM, SIG_IGN);
  set_ranks(Ranks());
  transport().reset();
  return agreed;
}

}  // namespace visq::tool
