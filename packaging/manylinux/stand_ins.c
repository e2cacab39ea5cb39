/* What the program and the libraries of Debian 12 call and a Linux with glibc 2.28 does not have, or has with other duties. elf_versions.py
   binds those calls here that older_symbols.py lists without an older version: NAME to stand_in_NAME, so that these are taken on every
   Linux alike. Written against nothing newer than glibc 2.25. */
#define _GNU_SOURCE /* dl_iterate_phdr() */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Until 2.33 the stat family was a part of every program, not of libc.so. On 64 bits the kernel's struct is glibc's, for fstat64 too. */
int stand_in_stat(const char *path, struct stat *out) { return (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, 0); }
int stand_in_lstat(const char *path, struct stat *out) { return (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW); }
int stand_in_fstat(int file, struct stat *out) { return (int)syscall(SYS_fstat, file, out); }
int stand_in_fstat64(int file, struct stat *out) { return stand_in_fstat(file, out); }

/* Randomness, in libc since 2.36: of std::random_device, and of the hash tables of expat. */
void stand_in_arc4random_buf(void *out, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t got = getrandom((char *)out + done, size - done, 0);
    if (got > 0) done += (size_t)got;
    else if (errno != EINTR) abort();
  }
}

uint32_t stand_in_arc4random(void) {
  uint32_t value;
  stand_in_arc4random_buf(&value, sizeof value);
  return value;
}

/* Since 2.34, of Linux since 5.9; where it fails, the program closes one by one. */
int stand_in_close_range(unsigned first, unsigned last, int flags) { return (int)syscall(SYS_close_range, first, last, flags); }

/* Whether the process has but one thread, since 2.32: "no" is always right, and costs atomic counting where plain counting would do. */
char stand_in___libc_single_threaded = 0;

/* A program that is linked with 2.34 or newer leaves the calls before its main() to libc, whose older ones leave them to a function that
   the program brings: this one. */
typedef void Constructor(int, char **, char **);

struct Start {
  int count;
  char **words, **environment;
};

static void construct(const struct Start *start, uintptr_t array, size_t size) {
  for (size_t i = 0; i < size / sizeof(Constructor *); ++i) ((Constructor **)array)[i](start->count, start->words, start->environment);
}

static int construct_program(struct dl_phdr_info *program, size_t size, void *start) {
  (void)size;
  uintptr_t value[DT_PREINIT_ARRAYSZ + 1] = {0};
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    if (program->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    for (const ElfW(Dyn) *entry = (const void *)(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr); entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag >= 0 && entry->d_tag <= DT_PREINIT_ARRAYSZ) value[entry->d_tag] = entry->d_un.d_val;
    }
  }
  construct(start, program->dlpi_addr + value[DT_PREINIT_ARRAY], value[DT_PREINIT_ARRAYSZ]);
  if (value[DT_INIT]) ((void (*)(void))(program->dlpi_addr + value[DT_INIT]))();
  construct(start, program->dlpi_addr + value[DT_INIT_ARRAY], value[DT_INIT_ARRAYSZ]);
  return 1; /* the program is the first; the libraries have been constructed by the loader */
}

static void construct_all(int count, char **words, char **environment) {
  struct Start start = {count, words, environment};
  dl_iterate_phdr(construct_program, &start);
}

typedef int Main(int, char **, char **);
int old_start_main(Main *, int, char **, Constructor *, void (*)(void), void (*)(void), void *);
__asm__(".symver old_start_main, __libc_start_main@GLIBC_2.2.5");

int stand_in___libc_start_main(Main *main, int count, char **words, Constructor *before, void (*after)(void), void (*unload)(void),
                               void *stack) {
  return old_start_main(main, count, words, before ? before : construct_all, after, unload, stack);
}

/* OpenCL, for GPUs, which visqerror never asks oneDNN for: there is no platform, and without one nobody gets as far as the rest. */
#define NO_PLATFORM (-1001)
#define NEVER_CALLED(name) \
  void stand_in_##name(void) { abort(); }

int stand_in_clGetPlatformIDs(uint32_t room, void **platforms, uint32_t *count) {
  (void)room, (void)platforms;
  if (count) *count = 0;
  return NO_PLATFORM;
}

NEVER_CALLED(clBuildProgram)
NEVER_CALLED(clCreateBuffer)
NEVER_CALLED(clCreateCommandQueue)
NEVER_CALLED(clCreateContext)
NEVER_CALLED(clCreateKernel)
NEVER_CALLED(clCreateProgramWithBinary)
NEVER_CALLED(clCreateProgramWithSource)
NEVER_CALLED(clCreateSubBuffer)
NEVER_CALLED(clEnqueueFillBuffer)
NEVER_CALLED(clEnqueueMapBuffer)
NEVER_CALLED(clEnqueueNDRangeKernel)
NEVER_CALLED(clEnqueueReadBuffer)
NEVER_CALLED(clEnqueueUnmapMemObject)
NEVER_CALLED(clEnqueueWriteBuffer)
NEVER_CALLED(clFinish)
NEVER_CALLED(clGetCommandQueueInfo)
NEVER_CALLED(clGetContextInfo)
NEVER_CALLED(clGetDeviceIDs)
NEVER_CALLED(clGetDeviceInfo)
NEVER_CALLED(clGetEventProfilingInfo)
NEVER_CALLED(clGetExtensionFunctionAddressForPlatform)
NEVER_CALLED(clGetKernelArgInfo)
NEVER_CALLED(clGetKernelInfo)
NEVER_CALLED(clGetMemObjectInfo)
NEVER_CALLED(clGetPlatformInfo)
NEVER_CALLED(clGetProgramBuildInfo)
NEVER_CALLED(clGetProgramInfo)
NEVER_CALLED(clReleaseCommandQueue)
NEVER_CALLED(clReleaseContext)
NEVER_CALLED(clReleaseDevice)
NEVER_CALLED(clReleaseEvent)
NEVER_CALLED(clReleaseKernel)
NEVER_CALLED(clReleaseMemObject)
NEVER_CALLED(clReleaseProgram)
NEVER_CALLED(clRetainCommandQueue)
NEVER_CALLED(clRetainContext)
NEVER_CALLED(clRetainDevice)
NEVER_CALLED(clRetainKernel)
NEVER_CALLED(clRetainMemObject)
NEVER_CALLED(clSetKernelArg)
