/* Loaded before the C library: makes the n-th call that writes go wrong.
 *
 *   MODICUM_FAULT       which call, counted from 1; 0 or nothing for none
 *   MODICUM_FAULT_KIND  error: the call fails, and no other; full: from there on no write has room;
 *                       kill, term: the process gets that signal before the call
 *   MODICUM_FAULT_LOG   a file that gets a line for each call
 *   MODICUM_FILE_SYSTEM plain: no files without names; poor: no links either
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int count, target, log_file = -1;
static const char *kind = "error", *file_system = "";

__attribute__((constructor)) static void begin(void) {
  const char* number = getenv("MODICUM_FAULT");
  if (number) target = atoi(number);
  if (getenv("MODICUM_FAULT_KIND")) kind = getenv("MODICUM_FAULT_KIND");
  if (getenv("MODICUM_FILE_SYSTEM")) file_system = getenv("MODICUM_FILE_SYSTEM");
  const char* log = getenv("MODICUM_FAULT_LOG");
  if (log)
    log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* Whether this call is to fail, with errno set. */
static int fails(const char* what) {
  const int number = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
  if (log_file >= 0) {
    char line[80];
    const int length = snprintf(line, sizeof line, "%s\n", what);
    syscall(SYS_write, log_file, line, (size_t)length);
  }
  if (target > 0 && number >= target && strcmp(kind, "full") == 0 && strcmp(what, "write") == 0)
    return errno = ENOSPC, 1;
  if (number != target) return 0;
  if (strcmp(kind, "error") == 0) return errno = EIO, 1;
  if (strcmp(kind, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(kind, "term") == 0) kill(getpid(), SIGTERM);
  return 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define NO_LINKS (strcmp(file_system, "poor") == 0)

ssize_t write(int file, const void* bytes, size_t size) {
  return fails(file == 1 ? "print" : file == 2 ? "complain" : "write") ? -1 : REAL(write)(file, bytes, size);
}
int fsync(int file) { return fails("fsync") ? -1 : REAL(fsync)(file); }
int flock(int file, int how) { return fails("flock") ? -1 : REAL(flock)(file, how); }
int rename(const char* from, const char* to) { return fails("rename") ? -1 : REAL(rename)(from, to); }
int unlink(const char* path) { return fails("unlink") ? -1 : REAL(unlink)(path); }
int link(const char* from, const char* to) {
  if (NO_LINKS) return errno = EPERM, -1;
  return fails("link") ? -1 : REAL(link)(from, to);
}
int linkat(int a, const char* from, int b, const char* to, int flags) {
  if (NO_LINKS) return errno = EPERM, -1;
  return fails("linkat") ? -1 : REAL(linkat)(a, from, b, to, flags);
}

static int opened(const char* path, int flags, mode_t mode) {
  const int nameless = (flags & O_TMPFILE) == O_TMPFILE;
  if (nameless && *file_system) return errno = EOPNOTSUPP, -1;
  if ((nameless || (flags & O_CREAT)) && fails("open")) return -1;
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
#define MODE(flags, mode)                                  \
  mode_t mode = 0;                                         \
  if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) { \
    va_list list;                                          \
    va_start(list, flags);                                 \
    mode = va_arg(list, mode_t);                           \
    va_end(list);                                          \
  }
int open(const char* path, int flags, ...) {
  MODE(flags, mode)
  return opened(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  MODE(flags, mode)
  return opened(path, flags, mode);
}
