// Runs kernels whose accesses no memory decides: each thread by itself, from its beginning to its end. Reads runs
// from the standard input, and prints what each thread accessed between its barriers, as ranges of bytes.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <tuple>
#include <vector>

typedef unsigned long u64;
struct Position { unsigned x, y, z; };
Position threadIdx, blockIdx, blockDim, gridDim;
struct Entry { void (*run)(); };
extern Entry rt_entries[];

namespace {

struct Array {
  std::string name;
  char *zero;  // where index 0 is
  char *begin, *end;
  u64 element;
};

const int MOST = 12;
const u64 HALF = 1 << 20;
alignas(64) char memory[MOST][2 * HALF];

std::vector<long> params;
std::vector<Array> arrays;
// Barriers of the block.
int phase;
// Those of the grid; and since the last one of the block those of the tile, the warp, and each mask.
const unsigned MASKS[] = {0x3, 0xc, 0xf, 0xf0};
typedef std::array<int, 7> Stage;
Stage stage;
// Phase, stage, array, mode, first byte, size.
std::set<std::tuple<int, Stage, std::string, char, long, u64>> accesses;

// The barriers of OpenCL C that the thread has passed: phase and stage, and which memory it orders.
std::set<std::tuple<int, int, int>> fences;

// A copy that is not complete, and those of each stage; the last stage is the one that is not committed.
struct Copy { const char *to, *from; u64 size; };
std::vector<std::vector<Copy>> flight;

bool overlap(const char *p, u64 size, const char *q, u64 other) {
  return p < q + other && q < p + size;
}

// What a thread accesses of its own copies is told by an array.
void clash(const char *p, u64 size, char mode) {
  bool writes = mode != 'r' && mode != 'R', perhaps = mode == 'R' || mode == 'W';
  for (const auto &copies : flight)
    for (const Copy &copy : copies)
      if (overlap(p, size, copy.to, copy.size) ||
          (writes && overlap(p, size, copy.from, copy.size)))
        for (const Array &a : arrays)
          if (p >= a.begin && p < a.end)
            accesses.insert({phase, stage, a.name + ".in_flight", perhaps ? 'W' : 'w', 0, 1});
}

void access(const void *place, u64 size, char mode) {
  const char *p = (const char *)place;
  clash(p, size, mode);
  for (const Array &a : arrays)
    if (p >= a.begin && p < a.end) accesses.insert({phase, stage, a.name, mode, p - a.zero, size});
}

Array *find(const char *name) {
  for (Array &a : arrays)
    if (a.name == name) return &a;
  return 0;
}

u64 number() {
  char word[64];
  if (scanf("%63s", word) != 1) exit(3);
  return word[0] == '-' ? (u64)strtol(word, 0, 10) : strtoul(word, 0, 10);
}

} // namespace

char *rt_pointer(const char *name, u64 element) {
  if (Array *known = find(name)) return known->zero;
  if (arrays.size() == MOST) exit(4);
  char *begin = memory[arrays.size()];
  arrays.push_back({name, begin + HALF, begin, begin + 2 * HALF, element});
  return begin + HALF;
}

alignas(64) char rt_dynamic[1 << 20];

void rt_array(const char *name, void *zero, void *begin, u64 size, u64 element) {
  char *p = (char *)begin;
  if (!find(name)) arrays.push_back({name, (char *)zero, p, p + size, element});
}

void rt_access(const void *place, u64 size, char mode) { access(place, size, mode); }
void rt_atomic(void *place, u64 size) { access(place, size, 'a'); }
// All bytes may be copied; which ones must be, the fields say.
void rt_copied(void *to, const void *from, u64 size) {
  access(from, size, 'R');
  access(to, size, 'W');
}
// Behind a barrier, what is in flight may still be copied.
void rt_again() {
  auto copies = flight;
  flight.clear();
  for (const auto &stage : copies)
    for (const Copy &copy : stage) access(copy.from, copy.size, 'r'), access(copy.to, copy.size, 'w');
  flight = copies;
}
void rt_sync() { phase++, stage = {stage[0]}, rt_again(); }
void rt_grid() { stage[0]++, rt_sync(); }
void rt_tile() { stage[1]++, rt_again(); }
void rt_warp(unsigned mask) {
  unsigned lane = (threadIdx.x + blockDim.x * threadIdx.y) % 32;
  if (mask == ~0u) stage[2]++;
  for (int n = 0; n < 4; n++)
    if (mask == MASKS[n] && (mask >> lane & 1)) stage[3 + n]++;
  rt_again();
}
// A surface is an array of bytes; its rows are far apart.
void rt_surface(const char *name, long place, u64 size, bool writes) {
  rt_array(name, 0, 0, 0, 1);
  accesses.insert({phase, stage, name, writes ? 'w' : 'r', place, size});
}
void rt_copy_async(void *to, const void *from, u64 size) {
  access(from, size, 'r');
  access(to, size, 'w');
  flight.back().push_back({(const char *)to, (const char *)from, size});
}
void rt_commit() { flight.push_back({}); }
void rt_wait_prior(u64 stages) {
  if (flight.size() > stages + 1) flight.erase(flight.begin(), flight.end() - 1 - stages);
}
long rt_param(int number) { return params[number]; }
void rt_fence(int flags, int of_sub_group) {
  fences.insert({phase, stage[1], flags});
  of_sub_group ? rt_tile() : rt_sync();
}
void rt_atomic_block(void *place, u64 size) { access(place, size, 'b'); }
void rt_perhaps_read(const void *place, u64 size) { access(place, size, 'R'); }
void rt_pixel(const char *image, long place, char mode) {
  rt_pointer(image, 1);
  accesses.insert({phase, stage, image, mode, place, 1});
}

void *rt_memcpy(void *to, const void *from, u64 size) {
  access(from, size, 'r');
  access(to, size, 'w');
  return memmove(to, from, size);
}

void *rt_memset(void *to, int value, u64 size) {
  access(to, size, 'w');
  return memset(to, value, size);
}

// What the compiler calls.
#define RT_ACCESS(n)                                                                               \
  void __tsan_read##n(void *p) { access(p, n, 'r'); }                                              \
  void __tsan_write##n(void *p) { access(p, n, 'w'); }                                             \
  void __tsan_unaligned_read##n(void *p) { access(p, n, 'r'); }                                    \
  void __tsan_unaligned_write##n(void *p) { access(p, n, 'w'); }                                   \
  void __tsan_volatile_read##n(void *p) { access(p, n, 'r'); }                                     \
  void __tsan_volatile_write##n(void *p) { access(p, n, 'w'); }
extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
RT_ACCESS(1) RT_ACCESS(2) RT_ACCESS(4) RT_ACCESS(8) RT_ACCESS(16)
void __tsan_read_range(void *p, long n) { access(p, n, 'r'); }
void __tsan_write_range(void *p, long n) { access(p, n, 'w'); }
}

int main() {
  for (u64 runs = number(); runs > 0; runs--) {
    void (*run)() = rt_entries[number()].run;
    gridDim = {(unsigned)number(), 1, 1};
    blockDim = {(unsigned)number(), (unsigned)number(), 1};
    params.clear();
    for (u64 n = number(); n > 0; n--) params.push_back((long)number());
    arrays.clear();
    printf("R\n");
    for (unsigned block = 0; block < gridDim.x; block++)
      for (unsigned thread = 0; thread < blockDim.x * blockDim.y; thread++) {
        blockIdx = {block, 0, 0};
        threadIdx = {thread % blockDim.x, thread / blockDim.x, 0};
        phase = 0, stage = {};
        flight.assign(1, {});
        accesses.clear(), fences.clear();
        run();
        printf("T %u %u %d\n", block, thread, phase + 1);
        for (const auto &a : accesses) {
          const Stage &s = std::get<1>(a);
          printf("A %d %d,%d,%d,%d,%d,%d,%d %s %c %ld %lu\n", std::get<0>(a), s[0], s[1], s[2], s[3],
                 s[4], s[5], s[6], std::get<2>(a).c_str(), std::get<3>(a), std::get<4>(a),
                 std::get<5>(a));
        }
        for (const auto &f : fences)
          printf("F %d %d %d\n", std::get<0>(f), std::get<1>(f), std::get<2>(f));
      }
    for (const Array &a : arrays) printf("S %s %lu\n", a.name.c_str(), a.element);
  }
  return 0;
}
