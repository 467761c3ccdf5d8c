/* A CUDA driver without a device, as far as the back end calls it: memory is the host's, and the
   one kernel that it runs is the interpreter, each thread of a block on a thread of the system.

   It refuses what a driver refuses (memory that is not there, copies beyond an allocation, blocks
   that are too large), and fails as the environment variable FAKE_CUDA says. */

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- the prelude of the interpreter ---- */

typedef uint32_t u32;
typedef uint64_t u64;
typedef struct { u32 x, y, z, w; } uint4;

static _Thread_local u32 group, thread_in_group;
static pthread_barrier_t barrier;
static u32 lanes; /* of the blocks that run */

enum { BLOCK = 1024, WARP_LANES = 32 };
static pthread_barrier_t warp_barriers[BLOCK / WARP_LANES];
static u32 votes[BLOCK / WARP_LANES];

static bool warp_any(bool condition) {
  u32 warp = thread_in_group / WARP_LANES;
  if (condition) __atomic_store_n(&votes[warp], 1, __ATOMIC_RELAXED);
  pthread_barrier_wait(&warp_barriers[warp]);
  bool any = __atomic_load_n(&votes[warp], __ATOMIC_RELAXED) != 0;
  pthread_barrier_wait(&warp_barriers[warp]);
  if (thread_in_group % WARP_LANES == 0) votes[warp] = 0;
  pthread_barrier_wait(&warp_barriers[warp]);
  return any;
}

static void lower(u32 *word, u32 value) {
  u32 old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (value < old && !__atomic_compare_exchange_n(word, &old, value, true, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED)) {
  }
}

static void raise_to(u32 *word, u32 value) {
  u32 old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (value > old && !__atomic_compare_exchange_n(word, &old, value, true, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED)) {
  }
}

/* Other threads come between one call and the next: without that they rarely meet on few cores. */
static u64 compare_and_swap(volatile u64 *cell, u64 expected, u64 value) {
  static _Thread_local u32 calls;
  if (++calls % 3 == 0) sched_yield();
  __atomic_compare_exchange_n(cell, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}

#define KERNEL static
#define FUNCTION static inline
#define GLOBAL
#define SHARED static /* one block runs at a time */
#define RESTRICT restrict
#define GROUP group
#define LANE thread_in_group
#define LANES lanes
#define BARRIER() pthread_barrier_wait(&barrier)
#define HAS_WARPS true
#define WARP_BARRIER() pthread_barrier_wait(&warp_barriers[thread_in_group / WARP_LANES])
#define WARP_ANY(condition) warp_any(condition)
#define INCREMENT(word) __atomic_fetch_add(word, 1, __ATOMIC_RELAXED)
#define SHARED_MIN(word, value) lower(word, value)
#define SHARED_MAX(word, value) raise_to(word, value)
#define COMPARE_AND_SWAP(cell, expected, value) compare_and_swap(cell, expected, value)
#define HIGH_PRODUCT(left, right) ((u64)(((unsigned __int128)(left) * (right)) >> 64))

#include "table.h" /* the numbers of BYTECODE.md */

#include "numbers.h"

#include "interpreter.h"

/* ---- what the driver knows ---- */

enum {
  SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_PTX = 218,
  UNSUPPORTED_PTX_VERSION = 222, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700
};

#define MEMORY ((size_t)1 << 30)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct allocation { struct allocation *next; char *start; size_t size; } *allocations;
static size_t used;
static int sticky; /* what every call fails with, after a fault */

static bool told(const char *failure) {
  const char *told = getenv("FAKE_CUDA");
  return told != NULL && strcmp(told, failure) == 0;
}

static bool allocated(const char *start, size_t size) {
  for (struct allocation *a = allocations; a != NULL; a = a->next) {
    if (start >= a->start && size <= a->size && start - a->start <= (ptrdiff_t)(a->size - size)) {
      return true;
    }
  }
  return false;
}

/* ---- calls ---- */

int cuInit(unsigned flags) { return told("no driver") ? NO_DEVICE : flags == 0 ? SUCCESS : INVALID_VALUE; }

int cuGetErrorString(int error, const char **text) {
  *text = error == ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "refused";
  return SUCCESS;
}

#ifndef INCOMPLETE

int cuDriverGetVersion(int *version) { *version = 13000; return SUCCESS; }
int cuDeviceGetCount(int *count) { *count = told("no device") ? 0 : 1; return SUCCESS; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return SUCCESS; }

int cuDeviceGetName(char *name, int size, int device) {
  strncpy(name, "no device", size);
  return device == 0 ? SUCCESS : INVALID_VALUE;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
    case 1: *value = BLOCK; break;
    case 75: *value = told("old device") ? 7 : 9; break;
    case 76: *value = 0; break;
    case 115: *value = told("no pools") ? 0 : 1; break;
    default: return INVALID_VALUE;
  }
  return device == 0 ? SUCCESS : INVALID_VALUE;
}

static int context;
static _Thread_local void *current;

int cuDevicePrimaryCtxRetain(void **result, int device) {
  *result = &context;
  return device == 0 ? SUCCESS : INVALID_VALUE;
}

int cuDevicePrimaryCtxRelease_v2(int device) { return device == 0 ? SUCCESS : INVALID_VALUE; }
int cuCtxGetCurrent(void **result) { *result = current; return SUCCESS; }
int cuCtxSetCurrent(void *context) { current = context; return SUCCESS; }
#define PER_THREAD ((void *)2)
int cuStreamSynchronize(void *stream) { return stream == PER_THREAD ? sticky : INVALID_VALUE; }
int cuEventCreate(void **event, unsigned flags) { (void)flags; *event = &context; return sticky; }
int cuEventDestroy_v2(void *event) { (void)event; return sticky; }

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  *total = MEMORY;
  *free_bytes = MEMORY - used;
  return sticky;
}

int cuMemAlloc_v2(u64 *result, size_t size) {
  if (sticky) return sticky;
  if (size == 0) return INVALID_VALUE;
  pthread_mutex_lock(&lock);
  /* A driver may have less than it said, for what others took since. */
  bool fits = size <= MEMORY - used && !(told("little memory") && size > 1 << 20);
  if (fits) {
    struct allocation *a = malloc(sizeof *a);
    char *start = malloc(size);
    memset(start, 0xa5, size);
    *a = (struct allocation){allocations, start, size};
    allocations = a;
    used += size;
    *result = (u64)start;
  }
  pthread_mutex_unlock(&lock);
  return fits ? SUCCESS : OUT_OF_MEMORY;
}

int cuMemFree_v2(u64 start) {
  if (sticky) return sticky;
  pthread_mutex_lock(&lock);
  struct allocation **a = &allocations;
  while (*a != NULL && (u64)(*a)->start != start) a = &(*a)->next;
  struct allocation *found = *a;
  if (found != NULL) {
    *a = found->next;
    used -= found->size;
    free(found->start);
    free(found);
  }
  pthread_mutex_unlock(&lock);
  return found != NULL ? SUCCESS : INVALID_VALUE;
}

int cuMemAllocAsync(u64 *result, size_t size, void *stream) {
  if (told("no pools")) return INVALID_VALUE;
  return stream == PER_THREAD ? cuMemAlloc_v2(result, size) : INVALID_VALUE;
}

int cuMemFreeAsync(u64 start, void *stream) {
  return stream == PER_THREAD ? cuMemFree_v2(start) : INVALID_VALUE;
}

static int copy(void *to, const void *from, char *device, size_t size) {
  if (sticky) return sticky;
  pthread_mutex_lock(&lock);
  bool inside = allocated(device, size);
  if (inside) memcpy(to, from, size);
  pthread_mutex_unlock(&lock);
  return inside ? SUCCESS : INVALID_VALUE;
}

int cuMemcpyHtoDAsync_v2(u64 to, const void *from, size_t size, void *stream) {
  return stream == PER_THREAD ? copy((char *)to, from, (char *)to, size) : INVALID_VALUE;
}

int cuMemcpyDtoHAsync_v2(void *to, u64 from, size_t size, void *stream) {
  return stream == PER_THREAD ? copy(to, (char *)from, (char *)from, size) : INVALID_VALUE;
}

int cuModuleLoadData(void **module, const void *image) {
  *module = &context;
  if (told("old driver")) return UNSUPPORTED_PTX_VERSION;
  bool known = strncmp(image, "//", 2) == 0 && strstr(image, ".entry interpret(") != NULL;
  return known ? SUCCESS : INVALID_PTX;
}

int cuModuleUnload(void *module) { (void)module; return sticky; }

int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = module;
  return strcmp(name, "interpret") == 0 ? SUCCESS : NOT_FOUND;
}

int cuFuncGetAttribute(int *value, int attribute, void *function) {
  (void)function;
  *value = BLOCK;
  return attribute == 0 ? SUCCESS : INVALID_VALUE;
}

/* What the threads of a launch share. */
struct launch { u32 grid; void **parameters; };
struct thread_of_block { pthread_t thread; u32 number; const struct launch *launch; };

static void *run_thread(void *argument) {
  const struct thread_of_block *self = argument;
  void **p = self->launch->parameters;
  thread_in_group = self->number;
  for (group = 0; group < self->launch->grid; group++) {
    interpret(*(u32 **)p[0], *(uint4 **)p[1], *(u32 **)p[2], *(u64 **)p[3], *(u64 **)p[4],
              *(u64 **)p[5], *(u32 **)p[6]);
    /* The next block has the same shared memory. */
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

static int run_block(u32 threads, const struct launch *launch) {
  struct thread_of_block *block = calloc(threads, sizeof *block);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 16);
  lanes = threads;
  pthread_barrier_init(&barrier, NULL, threads);
  for (u32 t = 0; t < threads; t += WARP_LANES) {
    u32 left = threads - t;
    u32 own = left < WARP_LANES ? left : WARP_LANES;
    pthread_barrier_init(&warp_barriers[t / WARP_LANES], NULL, own);
  }
  for (u32 t = 0; t < threads; t++) {
    block[t].number = t;
    block[t].launch = launch;
    if (pthread_create(&block[t].thread, &attributes, run_thread, &block[t]) != 0) abort();
  }
  for (u32 t = 0; t < threads; t++) pthread_join(block[t].thread, NULL);
  pthread_barrier_destroy(&barrier);
  for (u32 t = 0; t < threads; t += WARP_LANES) {
    pthread_barrier_destroy(&warp_barriers[t / WARP_LANES]);
  }
  free(block);
  return SUCCESS;
}

int cuLaunchKernel(void *function, u32 gx, u32 gy, u32 gz, u32 bx, u32 by, u32 bz, u32 shared,
                   void *stream, void **parameters, void **extra) {
  (void)function;
  if (sticky) return sticky;
  bool valid = gx > 0 && gx <= INT32_MAX && gy == 1 && gz == 1 && bx > 0 && bx <= BLOCK &&
               by == 1 && bz == 1 && shared == 0 && stream == PER_THREAD && extra == NULL;
  if (!valid) return INVALID_VALUE;
  if (told("fault")) {
    /* Faults come to light at a later call, and stay. */
    sticky = ILLEGAL_ADDRESS;
    return SUCCESS;
  }
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  struct launch launch = {gx, parameters};
  pthread_mutex_lock(&one_at_a_time);
  int result = run_block(bx, &launch);
  pthread_mutex_unlock(&one_at_a_time);
  return result;
}

#endif
