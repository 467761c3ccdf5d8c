// Runs kernels as LCL22's calculus does, by nothing of its implementation: in a phase a thread sees
// memory as it was when the phase began, and its own accesses; at a barrier the phase's accesses
// become memory. Reads runs from the standard input, and prints what every phase accessed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <csignal>
#include <string>
#include <sys/time.h>
#include <ucontext.h>
#include <unordered_map>
#include <vector>

typedef unsigned long u64;
struct Position { unsigned x, y, z; };
Position threadIdx, blockIdx, blockDim, gridDim;
struct Entry { void (*run)(); };
extern Entry rt_entries[];

namespace {

// A place in a source, as the compiler tells it to the handlers of overflow.
struct Where { const char *file; unsigned line, column; };

struct Update { int op, bits; bool is_signed, block; u64 operand, expected; };

// What one thread did to one cell in one phase.
struct Deed {
  int thread;
  bool read, written, atomic, atomic_block;
  u64 value;
  std::vector<Update> updates;
};

struct Cell {
  int array;
  u64 index;
  u64 value;        // when the phase began
  bool several;     // more than one value is possible
  u64 turn;         // the last turn of a thread that accessed it
  u64 own;          // what that thread sees, if it wrote
  bool own_known;
  std::vector<Deed> deeds;  // in this phase
};

struct Array {
  std::string name;
  int bits;
  u64 fill;
  std::vector<u64> values;
};

const int PATH = 12;
struct Thread {
  ucontext_t context;
  bool ended;
  int line;
  void *base;  // the frame of thread_main
  void *path[PATH];
};

const int STACK = 1 << 16;
const int MAX_THREADS = 256;
const long FUEL = 200000;
// How much a thread has after an overflow, and how many of its overflows are told.
const long AFTER = 4000;
const int MOST_OVERFLOWS = 12;
const char *const NOT_ENDED = "";

std::vector<Array> arrays;
std::vector<long> params;
std::unordered_map<u64, std::vector<int>> places;
std::vector<Cell> cells;
std::vector<int> touched, phase_touched;
Thread threads[MAX_THREADS];
char *stacks;
ucontext_t scheduler;
int current;
u64 turn;
long fuel, fuel_before;
int phase;
const char *stopped;
void (*kernel)();

// Did the current thread compute an overflow in this phase? How often?
int overflows;
// Did any thread?
bool overflowed;

// Ends the run, from within a thread. What comes after an overflow ends only the thread.
void stop(const char *why) {
  if (overflows) threads[current].ended = true;
  else stopped = why;
  swapcontext(&threads[current].context, &scheduler);
}

Cell &cell(int array, u64 index) {
  u64 key = index * 64 + (u64)array;
  std::vector<int> &bucket = places[key];
  for (int c : bucket)
    if (cells[c].array == array && cells[c].index == index) return cells[c];
  const Array &a = arrays[array];
  u64 value = index < a.values.size() ? a.values[index] : a.fill;
  bucket.push_back((int)cells.size());
  cells.push_back(Cell{array, index, value, false, 0, 0, false, {}});
  return cells.back();
}

// What the current thread did to the cell in this phase.
Deed &deed(Cell &c) {
  if (c.turn != turn) {
    c.turn = turn;
    c.own_known = false;
    if (c.deeds.empty()) phase_touched.push_back((int)(&c - cells.data()));
    c.deeds.push_back(Deed{current, false, false, false, false, 0, {}});
  }
  return c.deeds.back();
}

// A loop without a basic block to count is stopped by the clock: at the second tick without a call
// of this file in between, the thread is certainly in its own code.
volatile int ticks;

void tick(int) {
  if (++ticks > 1) stop("fuel");
}

u64 applied(const Update &u, u64 old) {
  u64 mask = u.bits == 64 ? ~0ul : (1ul << u.bits) - 1;
  int shift = 64 - u.bits;
  long so = (long)(old << shift) >> shift, sm = (long)(u.operand << shift) >> shift;
  bool less = u.is_signed ? so < sm : old < u.operand;
  switch (u.op) {
  case '+': return (old + u.operand) & mask;
  case '-': return (old - u.operand) & mask;
  case '<': return less ? old : u.operand;
  case '>': return less ? u.operand : old;
  case '&': return old & u.operand;
  case '|': return old | u.operand;
  case '^': return old ^ u.operand;
  case '=': return u.operand;
  case 'i': return old >= u.operand ? 0 : old + 1;
  case 'd': return old == 0 || old > u.operand ? u.operand : old - 1;
  default: return old == u.expected ? u.operand : old;
  }
}

u64 after(const Deed &d, u64 value) {
  if (d.written) value = d.value;
  for (const Update &u : d.updates) value = applied(u, value);
  return value;
}

// What the cell holds after the phase.
void merge(Cell &c) {
  std::vector<const Deed *> changes;
  for (const Deed &d : c.deeds)
    if (d.written || d.atomic || d.atomic_block) changes.push_back(&d);
  if (changes.empty()) return;
  bool plain = true, commute = true, any_written = false;
  int op = 0;
  for (const Deed *d : changes) {
    plain &= d->updates.empty();
    any_written |= d->written;
    for (const Update &u : d->updates) {
      if (op && op != u.op) commute = false;
      op = u.op;
      if (u.op == '=' || u.op == 'i' || u.op == 'd' || u.op == '?') commute = false;
    }
  }
  if (changes.size() == 1) {
    if (changes[0]->written) c.several = false;
    c.value = after(*changes[0], c.value);
  } else if (plain) {
    c.several = false;
    for (const Deed *d : changes) c.several |= d->value != changes[0]->value;
    c.value = changes[0]->value;
  } else if (commute && !any_written) {
    for (const Deed *d : changes) c.value = after(*d, c.value);
  } else {
    c.several = true;
  }
}

void thread_main() {
  threads[current].base = __builtin_frame_address(0);
  kernel();
  threads[current].ended = true;
  swapcontext(&threads[current].context, &scheduler);
}

bool same_place(const Thread &a, const Thread &b) {
  if (a.ended || b.ended) return a.ended && b.ended;
  return std::equal(a.path, a.path + PATH, b.path);
}

void print_deed(const Cell &c, const Deed &d) {
  printf("A %d %s %lx %d%d%d%d %lx %zu", d.thread, arrays[c.array].name.c_str(), c.index, d.read,
         d.written, d.atomic, d.atomic_block, d.value, d.updates.size());
  for (const Update &u : d.updates) printf(" %c %lx %lx", u.op, u.operand, u.expected);
  printf("\n");
}

// An overflow of the current thread: what it did in this phase so far. It goes on with the result
// that wraps, if there is one.
void overflow(const Where *where, bool has_result) {
  ticks = 0;
  if (!overflows) fuel_before = fuel;
  if (!overflows && fuel > AFTER) fuel = AFTER;
  overflowed = true;
  if (overflows++ < MOST_OVERFLOWS) {
    // Only a kernel's own file has a number as its name.
    bool own = where->file[0] >= '0' && where->file[0] <= '9';
    printf("O %d %d %u\n", phase, current, own ? where->line : 0);
    for (int i : phase_touched)
      if (cells[i].turn == turn) print_deed(cells[i], cells[i].deeds.back());
  }
  if (!has_result) stop("fuel");
}

void print_phase(int number) {
  std::map<int, std::map<std::pair<int, u64>, std::pair<const Cell *, const Deed *>>> by_thread;
  for (int i : phase_touched)
    for (const Deed &d : cells[i].deeds)
      by_thread[d.thread][{cells[i].array, cells[i].index}] = {&cells[i], &d};
  printf("P %d\n", number);
  for (auto &t : by_thread)
    for (auto &entry : t.second) {
      print_deed(*entry.second.first, *entry.second.second);
    }
}

// Starts or stops the clock.
void arm(bool on) {
  itimerval every = {{on ? 1 : 0, 0}, {on ? 1 : 0, 0}};
  setitimer(ITIMER_VIRTUAL, &every, 0);
}

void run_block(unsigned block) {
  places.clear();
  cells.clear();
  cells.reserve(1024);
  int count = (int)(blockDim.x * blockDim.y * blockDim.z);
  blockIdx = {block % gridDim.x, block / gridDim.x % gridDim.y, block / gridDim.x / gridDim.y};
  printf("B\n");
  for (int i = 0; i < count; i++) {
    Thread &t = threads[i];
    t.ended = false;
    getcontext(&t.context);
    t.context.uc_stack.ss_sp = stacks + (long)i * STACK;
    t.context.uc_stack.ss_size = STACK;
    t.context.uc_link = &scheduler;
    makecontext(&t.context, thread_main, 0);
  }
  stopped = NOT_ENDED;
  fuel = FUEL;
  overflowed = false;
  for (phase = 0;; phase++) {
    phase_touched.clear();
    for (current = 0; current < count; current++) {
      turn++;
      unsigned i = (unsigned)current;
      threadIdx = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
      ticks = overflows = 0;
      arm(true);
      swapcontext(&scheduler, &threads[current].context);
      arm(false);
      if (overflows) fuel = fuel_before;
      if (stopped != NOT_ENDED) {
        printf("E %s %d %d\n", stopped, phase, current);
        return;
      }
    }
    print_phase(phase);
    if (overflowed) {
      printf("E overflow\n");
      return;
    }
    for (int i : phase_touched) {
      merge(cells[i]);
      cells[i].deeds.clear();
      cells[i].turn = 0;
    }
    for (int i = 1; i < count; i++)
      if (!same_place(threads[0], threads[i])) {
        printf("E diverged %d %d %d %d\n", phase, threads[0].ended ? 0 : threads[0].line, i,
               threads[i].ended ? 0 : threads[i].line);
        return;
      }
    if (threads[0].ended) {
      printf("E done %d 0\n", phase);
      return;
    }
  }
}

u64 number() {
  char word[64];
  if (scanf("%63s", word) != 1) exit(3);
  return word[0] == '-' ? (u64)strtol(word, 0, 10) : strtoul(word, 0, 10);
}

} // namespace

int rt_array(const char *name) {
  for (size_t i = 0; i < arrays.size(); i++)
    if (arrays[i].name == name) return (int)i;
  fprintf(stderr, "no array %s\n", name);
  exit(3);
}

u64 rt_read(int array, u64 index) {
  ticks = 0;
  Cell &c = cell(array, index);
  Deed &d = deed(c);
  d.read = true;
  if (c.own_known) return c.own;
  if (c.several) stop("ambiguous");
  return c.value;
}

void rt_write(int array, u64 index, u64 value) {
  ticks = 0;
  Cell &c = cell(array, index);
  Deed &d = deed(c);
  d.written = true;
  d.value = value;
  d.updates.clear();
  c.own_known = true;
  c.own = value;
}

u64 rt_atomic(int array, u64 index, int op, int bits, bool is_signed, bool block, u64 operand,
              u64 expected) {
  ticks = 0;
  Cell &c = cell(array, index);
  Deed &d = deed(c);
  if (!c.own_known && c.several) stop("ambiguous");
  Update u = {op, bits, is_signed, block, operand, expected};
  (block ? d.atomic_block : d.atomic) = true;
  d.updates.push_back(u);
  u64 old = c.own_known ? c.own : c.value;
  c.own_known = true;
  c.own = applied(u, old);
  return old;
}

// A barrier: which one it is, the calls that lead to it say.
void rt_sync(int line) {
  ticks = 0;
  Thread &t = threads[current];
  t.line = line;
  std::fill(t.path, t.path + PATH, (void *)0);
  void **frame = (void **)__builtin_frame_address(0);
  for (int i = 0; i < PATH && frame != (void **)t.base; i++) {
    t.path[i] = frame[1];
    frame = (void **)frame[0];
  }
  swapcontext(&t.context, &scheduler);
}

long rt_param(int number) { return params[number]; }

// Every basic block of a kernel: loops that do not end are stopped.
extern "C" void __sanitizer_cov_trace_pc() {
  ticks = 0;
  if (--fuel < 0) stop("fuel");
}

// What the compiler puts before the operations that overflow, where they do.
#define RT_HANDLER(name, has_result, ...)                                                          \
  extern "C" void __ubsan_handle_##name##_overflow(Where *where, ##__VA_ARGS__) {                    \
    overflow(where, has_result);                                                                   \
  }
RT_HANDLER(add, true, u64, u64)
RT_HANDLER(sub, true, u64, u64)
RT_HANDLER(mul, true, u64, u64)
RT_HANDLER(negate, true, u64)
RT_HANDLER(divrem, false, u64, u64)

// Literals that the compiler does not see.
#define RT_LITERAL(T) T rt_lit(T v) { return v; }
RT_LITERAL(bool) RT_LITERAL(char) RT_LITERAL(int) RT_LITERAL(unsigned) RT_LITERAL(long)
RT_LITERAL(unsigned long) RT_LITERAL(long long) RT_LITERAL(unsigned long long)

int main() {
  signal(SIGVTALRM, tick);
  stacks = (char *)malloc((size_t)STACK * MAX_THREADS);
  for (u64 runs = number(); runs > 0; runs--) {
    kernel = rt_entries[number()].run;
    gridDim = {(unsigned)number(), (unsigned)number(), (unsigned)number()};
    blockDim = {(unsigned)number(), (unsigned)number(), (unsigned)number()};
    params.clear();
    for (u64 n = number(); n > 0; n--) params.push_back((long)number());
    arrays.clear();
    for (u64 n = number(); n > 0; n--) {
      char name[64];
      if (scanf("%63s", name) != 1) return 3;
      Array a = {name, (int)number(), number(), {}};
      for (u64 count = number(); count > 0; count--) a.values.push_back(number());
      arrays.push_back(a);
    }
    printf("R\n");
    for (unsigned b = 0; b < gridDim.x * gridDim.y * gridDim.z; b++) run_block(b);
  }
  return 0;
}
