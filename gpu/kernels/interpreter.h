/* The interpreter of BYTECODE.md: one workgroup a program.

   This text is in the common subset of OpenCL C and CUDA C. It follows numbers.h, and that the
   numbers of BYTECODE.md as src/numbers.rs defines them, and those one of two preludes,
   interpreter.cl or interpreter.cu, which define

     u32 u64                     words and longs
     KERNEL FUNCTION             what stands before a kernel, and before a function
     GLOBAL SHARED               address spaces: all workgroups, one workgroup
     RESTRICT                    a pointer that is the only way to what it points to
     GROUP LANE LANES            the number of the workgroup, of the lane in it, and how many it has
     BARRIER()                   a barrier of the workgroup, and of its accesses
     SHARED_MIN SHARED_MAX       atomic updates of a shared word
     INCREMENT                   of a global word; results in what was there
     HAS_WARPS                   do the lanes of each WARP in a row have the next two?
     WARP_BARRIER()              a barrier of the warp, and of its accesses
     WARP_ANY(condition)         does it hold in a lane of the warp? All of them ask.
     COMPARE_AND_SWAP            of a global long; results in what was there
     HIGH_PRODUCT                the upper 64 bits of a product of two longs

   The program has been verified: nothing here checks what `babycuda_gpu::check` guarantees. */

/* The parts of a program's jitter. */
#define JITTER_TURN(jitter) ((jitter) & 0xff)
#define JITTER_DELAY(jitter) ((jitter) >> DELAY & 0xf)
#define JITTER_STRESS(jitter) ((jitter) >> STRESS & 0xf)
#define JITTER_PLACED(jitter) (((jitter) >> PLACED & 1) != 0)
#define JITTER_STRIDED(jitter) (((jitter) >> STRIDED & 1) != 0)

/* An instruction, taken apart. */
struct instruction {
  u32 op, sub, type, d, a, b, c, k;
  u64 immediate;
};

/* What a thread is, besides its registers. */
struct thread {
  u32 pc, phase, fuel, logged, overflow, status;
  u64 outside; /* the index that has no cell */
  u32 random;  /* never 0 */
  u32 left;    /* accesses of this turn */
  bool looked; /* has an update that is under way seen its cell? */
  u64 seen;    /* what it saw */
  u32 index;   /* its number in the block */
  u32 first, size; /* the group with which it waits, at a barrier of a tile or warp */
  bool counted;    /* is the first thread of the group there, too? */
};

/* What a thread runs: its program's parts of the buffers. */
struct program {
  GLOBAL const uint4 *code;
  GLOBAL const u32 *arrays;
  GLOBAL volatile u64 *memory;
  GLOBAL u64 *log; /* of the thread */
  u32 capacity;
  u32 jitter;
  u32 threads, warp;
  GLOBAL volatile u32 *results; /* of its threads */
};

/* ---- jitter ---- */

/* A number that hides what it was made of; never 0. */
FUNCTION u32 mixed(u32 seed, u32 number) {
  u32 x = seed ^ (number + 1) * 0x9e3779b9u;
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return (x ^ x >> 16) | 1;
}

/* The thread that a lane runs: a seeded permutation of the numbers below `lanes`, or a stride. Each
   step is one of the numbers below a power of two; what lands outside goes on along its cycle. */
FUNCTION u32 place(u32 seed, u32 jitter, u32 lanes, u32 lane) {
  u32 mask = 1;
  while (mask < lanes) mask *= 2;
  mask -= 1;
  u32 x = lane;
  do {
    x = (x * mixed(seed, 0) + mixed(seed, 1) / 2) & mask;
    if (!JITTER_STRIDED(jitter)) x = (x ^ x >> 3) * mixed(seed, 2) & mask;
  } while (x >= lanes);
  return x;
}

FUNCTION u32 draw(u32 *random) {
  u32 x = *random;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  *random = x;
  return x;
}

/* Spins for a seeded while: every round needs the one before. */
FUNCTION void delay(u32 *random, u32 jitter) {
  u32 rounds = draw(random) & ((1u << JITTER_DELAY(jitter)) - 1);
  for (; rounds > 0; rounds--) draw(random);
}

/* Begins a turn: how many accesses it allows, and how late the thread comes, as its whole warp
   does. */
FUNCTION void begin(struct thread *self, u32 jitter, u32 *warp) {
  self->left = draw(&self->random) % (JITTER_TURN(jitter) + 1);
  delay(warp, jitter);
}

/* What a lane without a thread does in a turn: accesses of the cells after the program's arrays. */
FUNCTION void stress(u32 *random, GLOBAL volatile u64 *memory, GLOBAL const u32 *array, u32 jitter) {
#pragma unroll 1
  for (u32 rounds = 1u << JITTER_STRESS(jitter); rounds > 1; rounds--) {
    u32 x = draw(random);
    GLOBAL volatile u64 *cell = memory + array[0] + (x >> 1) % array[1];
    if ((x & 1) != 0) *cell = x;
    else (void)*cell;
  }
}

/* ---- memory ---- */

/* What an atomic update leaves in a cell that held `old`. */
FUNCTION u64 updated(u32 sub, u32 type, u64 old, u64 operand, u64 expected, bool *overflow) {
  bool on_naturals = type == TYPE_NATURAL;
  switch (sub) {
    case ATOMIC_ADD:
      return on_naturals ? natural(NATURAL_ADD, old, operand, overflow)
                         : machine(MACHINE_ADD, type, old, operand);
    case ATOMIC_SUB:
      return on_naturals ? natural(NATURAL_SUB, old, operand, overflow)
                         : machine(MACHINE_SUB, type, old, operand);
    case ATOMIC_MIN:  return machine(MACHINE_MIN, type, old, operand);
    case ATOMIC_MAX:  return machine(MACHINE_MAX, type, old, operand);
    case ATOMIC_AND:  return machine(MACHINE_AND, type, old, operand);
    case ATOMIC_OR:   return machine(MACHINE_OR, type, old, operand);
    case ATOMIC_XOR:  return machine(MACHINE_XOR, type, old, operand);
    case ATOMIC_EXCH: return operand;
    case ATOMIC_INC:  return old >= operand ? 0 : old + 1;
    case ATOMIC_DEC:  return old == 0 || old > operand ? operand : old - 1;
    case ATOMIC_CAS:  return old == expected ? operand : old;
    default:          return old;
  }
}

/* One update of a cell that held `old` at the last look, which no other access of it comes between;
   results in the value before it. */
FUNCTION u64 update(GLOBAL volatile u64 *cell, struct instruction now, u64 old, u64 operand,
                    u64 expected, bool *overflow) {
  for (;;) {
    bool wrapped = false;
    u64 value = updated(now.sub, now.type, old, operand, expected, &wrapped);
    u64 seen = COMPARE_AND_SWAP(cell, old, value);
    if (seen == old) {
      *overflow = wrapped;
      return old;
    }
    old = seen;
  }
}

/* May the thread access the index? If not, its status says why. */
FUNCTION bool admitted(struct thread *self, const struct program *program, u32 array, u64 index) {
  if (index >= program->arrays[2 * array + 1]) {
    self->status = STATUS_OUTSIDE;
    self->outside = index;
    return false;
  }
  if (self->logged == program->capacity) {
    self->status = STATUS_LOG_FULL;
    return false;
  }
  return true;
}

FUNCTION GLOBAL volatile u64 *cell(const struct program *program, u32 array, u64 index) {
  return program->memory + program->arrays[2 * array] + index;
}

/* The first look at a cell that is updated is an exchange too: updates do not race. */
FUNCTION u64 look(GLOBAL volatile u64 *cell) {
  return COMPARE_AND_SWAP(cell, 0, 0);
}

/* Must the thread leave the access that comes next to another turn? An update takes two, and others
   may come between its first look at the cell and the rest. */
FUNCTION bool yields(struct thread *self, const struct program *program, struct instruction now,
                     u64 index) {
  if (JITTER_TURN(program->jitter) != 0) {
    if (self->left == 0) return true;
    self->left -= 1;
    if (now.op == OP_ATOMIC && !self->looked && index < program->arrays[2 * now.k + 1]) {
      self->seen = look(cell(program, now.k, index));
      self->looked = true;
      return true;
    }
  }
  delay(&self->random, program->jitter);
  return false;
}

FUNCTION void append(struct thread *self, const struct program *program, u64 index, u64 value) {
  GLOBAL u64 *entry = program->log + ENTRY_LONGS * (u64)self->logged;
  entry[0] = self->pc | (u64)self->phase << 32;
  entry[1] = index;
  entry[2] = value;
  self->logged += 1;
}

/* ---- barriers of tiles and warps ----

   A group goes on when all its threads wait at one of its barriers. A round of that has three steps,
   of all threads that may wait for each other, with a barrier of their lanes between: each tells
   where it stopped; is counted, if it waits where the first thread of its group does; and goes on
   if all were counted. The threads' results have room for that until the end. Two counts take
   turns, so that one is cleared while the other may still be read. */

enum { TOLD = 0, COUNTS = 1 };

/* The group of a barrier of this scope; a tile does not reach beyond its warp. */
FUNCTION void join(struct thread *self, const struct program *program, u32 scope, u32 tile) {
  u32 first = self->index / program->warp * program->warp;
  u32 size = program->threads - first < program->warp ? program->threads - first : program->warp;
  if (scope == SCOPE_TILE) {
    u32 before = (self->index - first) >> tile << tile;
    size = size - before < 1u << tile ? size - before : 1u << tile;
    first += before;
  }
  self->first = first;
  self->size = size;
}

FUNCTION GLOBAL volatile u32 *result(const struct program *program, u32 thread, u32 word) {
  return program->results + RESULT_WORDS * thread + word;
}

FUNCTION void tell(const struct thread *self, const struct program *program, u32 stop) {
  *result(program, self->index, TOLD) = stop;
}

/* Is it the last of its group? */
FUNCTION bool count(struct thread *self, const struct program *program, u32 stop, u32 round) {
  *result(program, self->index, COUNTS + (round ^ 1)) = 0;
  self->counted = stop >= STOP_GROUPS && stop < STOP_BARRIERS &&
                  *result(program, self->first, TOLD) == stop;
  return self->counted &&
         INCREMENT(result(program, self->first, COUNTS + round)) + 1 == self->size;
}

/* Does the thread go on? Then it has logged the barrier, for which there was a place. */
FUNCTION bool met(struct thread *self, const struct program *program, u32 round) {
  if (!self->counted || *result(program, self->first, COUNTS + round) != self->size) return false;
  append(self, program, 0, 0);
  self->pc += 1;
  return true;
}

/* ---- threads ---- */

FUNCTION struct instruction fetch(GLOBAL const uint4 *code, u32 pc) {
  uint4 words = code[pc];
  struct instruction now;
  now.op = words.x & 0xff;
  now.sub = words.x >> 8 & 0xff;
  now.type = words.x >> 16;
  now.d = words.y & 0xffff;
  now.a = words.y >> 16;
  now.b = words.z & 0xffff;
  now.c = words.z >> 16;
  now.k = words.w;
  now.immediate = words.z | (u64)words.w << 32;
  return now;
}

/* Keeps the first overflow. */
FUNCTION void mark(struct thread *self, bool overflow) {
  if (overflow && self->overflow == 0) self->overflow = self->pc + 1;
}

/* Runs the thread to its next stop; results in the stop's code. The program counter stays at the
   instruction of the stop. */
FUNCTION u32 run(struct thread *self, u64 *registers, const struct program *program) {
  for (;;) {
    if (self->fuel == 0) {
      self->status = STATUS_OUT_OF_FUEL;
      return STOP_FAULT + STATUS_OUT_OF_FUEL;
    }
    struct instruction now = fetch(program->code, self->pc);
    bool accesses = now.op >= OP_READ && now.op <= OP_ATOMIC;
    if (accesses && program->jitter != 0 && yields(self, program, now, registers[now.a])) {
      return STOP_YIELD;
    }
    self->fuel -= 1;
    u32 next = self->pc + 1;
    bool overflow = false;
    switch (now.op) {
      case OP_HALT:
        self->status = STATUS_HALTED;
        return STOP_HALT;
      case OP_CONST:
        registers[now.d] = now.immediate;
        break;
      case OP_MOVE:
        registers[now.d] = registers[now.a];
        break;
      case OP_NATURAL:
        registers[now.d] = natural(now.sub, registers[now.a], registers[now.b], &overflow);
        break;
      case OP_MACHINE:
        registers[now.d] = machine(now.sub, now.type, registers[now.a], registers[now.b]);
        break;
      case OP_CAST:
        registers[now.d] = reduce(now.type, extend(now.sub, registers[now.a]));
        break;
      case OP_SELECT:
        registers[now.d] = registers[registers[now.a] != 0 ? now.b : now.c];
        break;
      case OP_COMPARE:
        registers[now.d] = compare(now.sub, now.type, registers[now.a], registers[now.b]);
        break;
      case OP_CONNECTIVE: {
        bool left = registers[now.a] != 0;
        bool right = registers[now.b] != 0;
        registers[now.d] = now.sub == CONNECTIVE_AND ? left && right : left || right;
        break;
      }
      case OP_NOT:
        registers[now.d] = registers[now.a] == 0;
        break;
      case OP_READ: {
        u64 index = registers[now.a];
        if (!admitted(self, program, now.k, index)) return STOP_FAULT + self->status;
        u64 value = *cell(program, now.k, index);
        append(self, program, index, value);
        registers[now.d] = value;
        break;
      }
      case OP_WRITE: {
        u64 index = registers[now.a];
        u64 value = registers[now.b];
        if (!admitted(self, program, now.k, index)) return STOP_FAULT + self->status;
        append(self, program, index, value);
        *cell(program, now.k, index) = value;
        break;
      }
      case OP_ATOMIC: {
        u64 index = registers[now.a];
        if (!admitted(self, program, now.k, index)) return STOP_FAULT + self->status;
        u64 seen = self->looked ? self->seen : look(cell(program, now.k, index));
        self->looked = false;
        delay(&self->random, program->jitter);
        u64 old = update(cell(program, now.k, index), now, seen, registers[now.b],
                         registers[now.c], &overflow);
        append(self, program, index, old);
        registers[now.d] = old;
        break;
      }
      case OP_JUMP:
        next = now.k;
        break;
      case OP_UNLESS:
        next = registers[now.a] == 0 ? now.k : next;
        break;
      default: /* OP_SYNC */
        self->status = STATUS_BARRIER;
        if (now.sub != SCOPE_WARP && now.sub != SCOPE_TILE) return now.k;
        if (self->logged == program->capacity) {
          self->status = STATUS_LOG_FULL;
          return STOP_FAULT + STATUS_LOG_FULL;
        }
        join(self, program, now.sub, now.type);
        return STOP_GROUPS + now.k;
    }
    mark(self, overflow);
    self->pc = next;
  }
}

FUNCTION void start(u64 *registers, u32 thread, GLOBAL const u32 *header,
                    GLOBAL const u64 *inputs) {
  u32 x = header[HEADER_X];
  u32 y = header[HEADER_Y];
  registers[0] = thread;
  registers[1] = thread % x;
  registers[2] = thread / x % y;
  registers[3] = thread / x / y;
  u32 count = header[HEADER_INPUTS];
  for (u32 i = 0; i < REGISTERS - 4; i++) {
    registers[4 + i] = i < count ? inputs[header[HEADER_INPUT] + i] : 0;
  }
}

FUNCTION void report(const struct thread *self, GLOBAL u32 *result) {
  result[RESULT_STATUS] = self->status;
  result[RESULT_PC] = self->pc;
  result[RESULT_LOGGED] = self->logged;
  result[RESULT_OVERFLOW] = self->overflow;
  result[RESULT_PHASE] = self->phase;
  result[RESULT_FUEL] = self->fuel;
  result[RESULT_OUTSIDE] = (u32)self->outside;
  result[RESULT_OUTSIDE_HIGH] = (u32)(self->outside >> 32);
}

/* Every lane of the workgroup goes through the same barriers: whatever the program does happens in
   `run`, and all lanes leave the loop together. What the stops of a turn come to is kept twice, so
   that one is cleared while the other may still be read. Where the groups of tiles and warps are of
   one warp of the device each, warps go on alone, and all lanes of a warp leave its loop together;
   else groups meet in turns of the workgroup. */
KERNEL void interpret(GLOBAL const u32 *RESTRICT programs, GLOBAL const uint4 *RESTRICT code,
                      GLOBAL const u32 *RESTRICT arrays, GLOBAL const u64 *RESTRICT inputs,
                      GLOBAL volatile u64 *memory, GLOBAL u64 *log, GLOBAL u32 *threads) {
  SHARED u32 lowest[2];
  SHARED u32 highest[2];
  SHARED u32 meetings[2]; /* has a group met? */
  GLOBAL const u32 *header = programs + HEADER_WORDS * (u64)GROUP;
  u32 seed = header[HEADER_SEED];
  u32 jitter = header[HEADER_JITTER];
  u32 thread = JITTER_PLACED(jitter) ? place(seed, jitter, LANES, LANE) : LANE;
  bool active = thread < header[HEADER_THREADS];
  u32 warp = mixed(~seed, LANE / WARP);
  struct program program;
  program.code = code + header[HEADER_CODE];
  program.arrays = arrays + 2 * (u64)header[HEADER_ARRAY];
  program.memory = memory;
  program.capacity = header[HEADER_CAPACITY];
  program.log = log + ENTRY_LONGS * (header[HEADER_LOG] + (u64)thread * program.capacity);
  program.jitter = jitter;
  program.threads = header[HEADER_THREADS];
  program.warp = header[HEADER_WARP];
  program.results = threads + RESULT_WORDS * (u64)header[HEADER_THREAD];
  bool by_warps = HAS_WARPS && WARP % program.warp == 0 && !JITTER_PLACED(jitter);
  struct thread self = {0, 0, header[HEADER_FUEL], 0, 0, STATUS_HALTED, 0,
                        mixed(seed, thread), 0, false, 0, thread, 0, 0, false};
  u64 registers[REGISTERS];
  u32 round = 0;
  if (active) {
    start(registers, thread, header, inputs);
    *result(&program, thread, COUNTS) = 0;
  }
  if (LANE == 0) {
    lowest[0] = STOP_YIELD;
    highest[0] = 0;
    meetings[0] = 0;
  }
  u32 stop = STOP_YIELD;
  BARRIER();

  for (u32 turn = 0;; turn ^= 1) {
    bool runs = active && stop == STOP_YIELD;
    for (;;) {
      if (runs) {
        begin(&self, jitter, &warp);
        stop = run(&self, registers, &program);
      }
      if (active) tell(&self, &program, stop);
      if (!by_warps) break;
      WARP_BARRIER();
      if (active) count(&self, &program, stop, round);
      WARP_BARRIER();
      runs = active && met(&self, &program, round);
      round ^= 1;
      if (!WARP_ANY(runs)) break;
    }
    if (active) {
      SHARED_MIN(&lowest[turn], stop);
      SHARED_MAX(&highest[turn], stop);
    } else if (JITTER_STRESS(jitter) != 0) {
      stress(&self.random, memory, program.arrays + 2 * header[HEADER_ARRAYS], jitter);
    }
    BARRIER();
    if (LANE == 0) {
      lowest[turn ^ 1] = STOP_YIELD;
      highest[turn ^ 1] = 0;
      meetings[turn ^ 1] = 0;
    }
    if (active && !by_warps && count(&self, &program, stop, turn)) SHARED_MAX(&meetings[turn], 1);
    BARRIER();
    u32 barrier = highest[turn];
    if (barrier == STOP_YIELD || meetings[turn] != 0) {
      /* While a thread yields or its group met, those that stopped wait for it. */
      if (active && !by_warps && met(&self, &program, turn)) stop = STOP_YIELD;
    } else {
      if (barrier != lowest[turn] || barrier >= STOP_GROUPS) break;
      self.phase += 1;
      self.pc += 1;
      stop = STOP_YIELD;
    }
  }
  if (active) report(&self, threads + RESULT_WORDS * (header[HEADER_THREAD] + (u64)thread));
}
