"""Symbols of Debian 12's glibc that a Linux with glibc 2.28 has by another version, or not at all, and why what it has will do.

elf_versions.py stops at a symbol that is too new and not listed here: whoever meets one finds out what changed, and adds it.
"""

from __future__ import annotations

from typing import NamedTuple, Optional


class Older(NamedTuple):
    """What stands in for some symbols of a version."""

    needed: str  # their version in Debian 12
    given: Optional[str]  # the version to be bound to; None: the stand-in (stand_ins.c)
    library: Optional[str]  # where 2.28 has them, if not where Debian 12 does
    why: str
    names: str


OLDER = [
    Older("GLIBC_2.34", "GLIBC_2.2.5", "libdl.so.2", "libdl became a part of libc; the same functions",
          "dlclose dlerror dlopen dlsym"),
    Older("GLIBC_2.34", "GLIBC_2.2.5", "libpthread.so.0", "libpthread became a part of libc; the same functions",
          "pthread_attr_getstacksize pthread_attr_setstacksize pthread_create pthread_detach pthread_getspecific "
          "pthread_join pthread_key_create pthread_key_delete pthread_mutexattr_destroy pthread_mutexattr_init "
          "pthread_mutexattr_settype pthread_once pthread_rwlock_destroy pthread_rwlock_init pthread_rwlock_rdlock "
          "pthread_rwlock_unlock pthread_rwlock_wrlock pthread_setspecific"),
    Older("GLIBC_2.34", "GLIBC_2.3.4", "libpthread.so.0", "libpthread became a part of libc; the same function",
          "pthread_setaffinity_np"),
    Older("GLIBC_2.32", "GLIBC_2.3.4", "libpthread.so.0", "moved from libpthread to libc; the same functions",
          "pthread_attr_setaffinity_np pthread_getaffinity_np"),
    Older("GLIBC_2.29", "GLIBC_2.2.5", None, "the new version only leaves out the call of a user's matherr(); the same numbers",
          "exp pow"),
    Older("GLIBC_2.29", "GLIBC_2.2.5", None, "the same, and the sign of the NaN that a negative argument gives is another",
          "log log2"),
    Older("GLIBC_2.35", "GLIBC_2.2.5", None, "the new version only leaves out the call of a user's matherr(); the same numbers",
          "hypot hypotf"),
    Older("GLIBC_2.33", None, None, "was a part of every program, not of libc.so; asks the kernel",
          "fstat fstat64 lstat stat"),
    Older("GLIBC_2.34", None, None, "older ones do not call the program's constructors", "__libc_start_main"),
    Older("GLIBC_2.34", None, None, "did not exist; asks the kernel", "close_range"),
    Older("GLIBC_2.36", None, None, "did not exist; asks the kernel", "arc4random arc4random_buf"),
    Older("GLIBC_2.32", None, None, "did not exist; says that there may be threads", "__libc_single_threaded"),
    *(Older(version, None, None, "OpenCL is for GPUs, which are not used; says that there is none", names) for version, names in {
        "OPENCL_1.0":
            "clBuildProgram clCreateBuffer clCreateCommandQueue clCreateContext clCreateKernel clCreateProgramWithBinary "
            "clCreateProgramWithSource clEnqueueMapBuffer clEnqueueNDRangeKernel clEnqueueReadBuffer clEnqueueUnmapMemObject "
            "clEnqueueWriteBuffer clFinish clGetCommandQueueInfo clGetContextInfo clGetDeviceIDs clGetDeviceInfo clGetEventProfilingInfo "
            "clGetKernelInfo clGetMemObjectInfo clGetPlatformIDs clGetPlatformInfo clGetProgramBuildInfo clGetProgramInfo "
            "clReleaseCommandQueue clReleaseContext clReleaseEvent clReleaseKernel clReleaseMemObject clReleaseProgram "
            "clRetainCommandQueue clRetainContext clRetainKernel clRetainMemObject clSetKernelArg",
        "OPENCL_1.1": "clCreateSubBuffer",
        "OPENCL_1.2": "clEnqueueFillBuffer clGetExtensionFunctionAddressForPlatform clGetKernelArgInfo clReleaseDevice clRetainDevice",
    }.items()),
]  # fmt: skip

BY_SYMBOL = {(name, older.needed): older for older in OLDER for name in older.names.split()}
