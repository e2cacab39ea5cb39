// Children that crash, spin, fall silent or try what a sandbox does not allow; what this process learns of it, and what is left of them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "core/child_process.h"
#include "core/sandbox.h"
#include "core/stop.h"
#include "support/runs/data_files.h"
#include "support/runs/sanitized.h"

namespace visq {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Runs it until it says nothing more.
std::string all_it_says(const ChildProcess::Work& work, ChildEnd* end = nullptr) {
  const auto child = ChildProcess::start(work, "f");
  EXPECT_TRUE(child.ok());
  std::string said;
  std::array<std::byte, 100> bytes{};
  while (const std::size_t count = (*child)->receive(bytes)) said.append(reinterpret_cast<const char*>(bytes.data()), count);
  if (end != nullptr) *end = (*child)->end();
  EXPECT_EQ((*child)->receive(bytes), 0U);
  return said;
}

ChildEnd end_of(const ChildProcess::Work& work) {
  ChildEnd end = ChildEnd::kStopped;
  all_it_says(work, &end);
  return end;
}

void say(int channel, std::string_view text) { static_cast<void>(!::write(channel, text.data(), text.size())); }

[[noreturn]] void spin() {
  for (volatile bool more = true; more;) {
  }
  ::abort();
}

class Child : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
    EXPECT_EQ(descriptors(), before_);
  }
  static std::ptrdiff_t descriptors() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  }
  std::ptrdiff_t before_ = descriptors();
};

TEST_F(Child, AnswersAndIsReaped) {
  const auto echo = [](int channel) {
    std::array<char, 5> word{};
    if (::read(channel, word.data(), word.size()) == 5) say(channel, std::string("got ") + std::string(word.data(), 5));
    ::pause();
  };
  auto child = ChildProcess::start(echo, "f");
  ASSERT_TRUE(child.ok());
  (*child)->send(std::as_bytes(std::span("hello", 5)));
  std::array<std::byte, 100> bytes{};
  const std::size_t count = (*child)->receive(bytes);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(bytes.data()), count), "got hello");
}

TEST_F(Child, TellsHowItEnded) {
  for (const int signal : {SIGSEGV, SIGFPE, SIGABRT, SIGILL, SIGBUS}) {
    EXPECT_EQ(end_of([&](int channel) {
                enter_sandbox({channel}, 0);
                ::raise(signal);
              }),
              ChildEnd::kFault)
        << signal;
  }
  EXPECT_EQ(end_of([](int) {}), ChildEnd::kFault);
  EXPECT_EQ(end_of([](int) { throw std::runtime_error("words that nobody hears"); }), ChildEnd::kFault);
  EXPECT_EQ(end_of([](int) { ::raise(SIGKILL); }), ChildEnd::kKilled);
}

TEST_F(Child, WhatItSaidBeforeItsEndArrives) {
  EXPECT_EQ(all_it_says([](int channel) {
              say(channel, "one, two");
              ::raise(SIGKILL);
            }),
            "one, two");
}

TEST_F(Child, IsEndedWhenItsTimeIsUp) {
  const auto start = Clock::now();
  EXPECT_EQ(end_of([](int channel) {
              enter_sandbox({channel}, 0);
              begin_work(1);
              spin();
            }),
            ChildEnd::kTime);
  EXPECT_GT(seconds_since(start), 0.9);
}

TEST_F(Child, IsGivenUpWithinASecondOnceThisProcessIsToEnd) {
  std::thread signal([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop_requested = true;
  });
  const auto start = Clock::now();
  EXPECT_EQ(end_of([](int channel) {
              enter_sandbox({channel}, 0);
              spin();
            }),
            ChildEnd::kStopped);
  EXPECT_LT(seconds_since(start), 1);
  signal.join();
  stop_requested = false;
}

TEST_F(Child, DoesNotHearWhatATerminalSendsToAll) {
  EXPECT_EQ(all_it_says([](int channel) {
              enter_sandbox({channel}, 0);
              for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::raise(signal);
              say(channel, "still here");
            }),
            "still here");
}

/// "yes" where a sandbox lets a process do it.
std::string may(const std::function<bool()>& what) {
  return all_it_says([&](int channel) {
    enter_sandbox({channel}, std::size_t{64} << 20);
    say(channel, what() ? "yes" : "no");
  });
}

TEST_F(Child, InASandboxOpensStartsAndReachesNothing) {
  const pid_t parent = ::getpid();
  EXPECT_EQ(may([] { return ::open("/dev/null", O_RDONLY) >= 0; }), "no");
  EXPECT_EQ(may([] { return ::dup(1) >= 0; }), "no");
  EXPECT_EQ(may([] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }), "no");
  EXPECT_EQ(may([] { return ::write(STDOUT_FILENO, "x", 1) == 1; }), "no");
  EXPECT_EQ(may([] { return ::fork() >= 0; }), "no");
  EXPECT_EQ(may([] { return ::unlink("/tmp/visq-no-such-file") == 0 || errno != EPERM; }), "no");
  EXPECT_EQ(may([=] { return ::kill(parent, 0) == 0; }), "no");
  EXPECT_EQ(may([] {
              begin_work(5);
              allow_work(1 << 20);
              return std::vector<char>(1 << 20, 'x')[5] == 'x';
            }),
            "yes");
}

TEST_F(Child, InASandboxTakesNoMoreMemoryThanItIsAllowed) {
  if (testing::kSanitized) GTEST_SKIP() << "a sanitizer's allocator ends the process where memory is refused";
  const auto takes = [](std::uint64_t bytes, std::uint64_t allowed) {
    return may([=] {
      begin_work(5);
      allow_work(allowed);
      void* const taken = std::malloc(bytes);
      return taken != nullptr && std::memset(taken, 1, bytes) != nullptr;
    });
  };
  EXPECT_EQ(takes(kOwnMemory / 2, 0), "yes");
  EXPECT_EQ(takes(kOwnMemory + (1 << 20), 0), "no");
  EXPECT_EQ(takes(kOwnMemory + (1 << 20), 32 << 20), "yes");
  EXPECT_EQ(takes(kOwnMemory + (std::uint64_t{80} << 20), std::uint64_t{1} << 40), "no");  // the 64 MiB of above are for good
}

TEST_F(Child, ManyAtOnceHoldOnlyTheirOwn) {
  std::vector<std::unique_ptr<ChildProcess>> children;
  for (int i = 0; i < 20; ++i) {
    auto child = ChildProcess::start(
        [](int channel) {
          enter_sandbox({channel}, 0);
          std::byte byte{};
          while (::read(channel, &byte, 1) == 1) say(channel, "x");
        },
        "f");
    ASSERT_TRUE(child.ok());
    children.push_back(std::move(child).value());
  }
  std::array<std::byte, 1> byte{};
  for (const auto& child : children) {
    child->send(byte);
    EXPECT_EQ(child->receive(byte), 1U);
  }
}

TEST_F(Child, OpensFilesOnly) {
  const testing::DataFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  testing::write_bytes(folder.file("file"), "12345");
  EXPECT_EQ(open_regular_file(folder.file("file"))->size, 5U);
  EXPECT_EQ(open_regular_file(folder.file("pipe")).error().message, folder.file("pipe") + ": is not a file");  // without waiting
  EXPECT_EQ(open_regular_file("/dev/zero").error().message, "/dev/zero: is not a file");
  EXPECT_EQ(open_regular_file("/no/such").error().message, "/no/such: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace visq
