// The interpreter of BYTECODE.md for WGSL: one workgroup a program, programs are data.
//
// Every barrier is in uniform control flow, whatever the programs do: a thread runs alone to its
// next stop (`run_to_stop`), and only then do all lanes of the workgroup, idle ones too, meet in
// the barriers of `interpret`, whose loop goes on or ends for all of them alike.
//
// Cells are relaxed atomics, so that the races of a program are no undefined behaviour here.
// Needs 64-bit integers and 64-bit atomics, which WGSL proper has not: naga's `u64`, `lu`.

// Lanes of a workgroup; the pipeline sets it.
override block_x: u32;

const PROGRAM_WORDS = 16u;
const ENTRY_LONGS = 3u;
const THREAD_WORDS = 8u;
const REGISTERS = 128u;

@group(0) @binding(0) var<storage, read> programs: array<u32>;
@group(0) @binding(1) var<storage, read> code: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> arrays: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> inputs: array<u64>;
@group(0) @binding(4) var<storage, read_write> memory: array<atomic<u64>>;
@group(0) @binding(5) var<storage, read_write> access_log: array<u64>;
@group(0) @binding(6) var<storage, read_write> threads: array<u32>;

// Operations.
const HALT = 0u;
const CONST = 1u;
const MOVE = 2u;
const NATURAL = 3u;
const MACHINE = 4u;
const CAST = 5u;
const SELECT = 6u;
const COMPARE = 7u;
const CONNECTIVE = 8u;
const NOT = 9u;
const READ = 10u;
const WRITE = 11u;
const ATOMIC = 12u;
const JUMP = 13u;
const UNLESS = 14u;
const SYNC = 15u;

// The operators of `machine`; `natural` has the first seven.
const ADD = 0u;
const SUB = 1u;
const MUL = 2u;
const DIV = 3u;
const REM = 4u;
const MIN = 5u;
const MAX = 6u;
const AND = 7u;
const OR = 8u;
const XOR = 9u;
const SHL = 10u;
const SHR = 11u;

// The operators of `atomic` that are not operators of `machine`.
const ATOMIC_EXCH = 7u;
const ATOMIC_INC = 8u;
const ATOMIC_DEC = 9u;
const ATOMIC_CAS = 10u;

// The type that stands for naturals.
const NATURALS = 8u;

// Where a thread stands.
const HALTED = 0u;
const AT_BARRIER = 1u;
const OUT_OF_FUEL = 2u;
const LOG_FULL = 3u;
const OUT_OF_BOUNDS = 4u;

// Stop codes. A thread that yields goes on in the next turn.
const YIELD_STOP = 0xffffffffu;
const HALT_STOP = 0xfffffffeu;
const FAULT_STOP = 0xf0000000u;
const FIRST_STOP_THAT_IS_NO_BARRIER = 0x80000000u;

// Lanes that a device runs together.
const WARP = 32u;

// The program of this workgroup.
var<private> first_instruction: u32;
var<private> first_array: u32;
var<private> log_capacity: u32;

// The state of this thread.
var<private> registers: array<u64, REGISTERS>;
var<private> counter: u32;
var<private> phase: u32;
var<private> fuel: u32;
// 0, or 1 + the program counter of the first overflow.
var<private> overflow: u32;
var<private> first_entry: u32;
var<private> entries: u32;
var<private> status: u32;
var<private> stop: u32;
var<private> fault_index: u64;

// The parts of the program's jitter.
var<private> turn: u32;
var<private> longest_delay: u32;
// The thread's generator, and its warp's; never 0.
var<private> random: u32;
var<private> warp_random: u32;
// Accesses that this turn still allows.
var<private> left: u32;
// Whether an update that is under way has seen its cell, and what it saw.
var<private> looked: bool;
var<private> seen: u64;

// The largest stop code of the workgroup, and the largest complement of one: with these two, the
// zeros that workgroup memory starts with are neutral.
var<workgroup> largest_stop: atomic<u32>;
var<workgroup> largest_complement: atomic<u32>;
var<workgroup> verdict: u32;
// What workgroup memory starts with: llvmpipe goes into the loop even where every lane returned.
const END = 0u;
const NEXT_TURN = 1u;
const NEXT_PHASE = 2u;

@compute @workgroup_size(block_x)
fn interpret(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    // A dispatch has two dimensions because one alone is often limited to 65,535 workgroups.
    let program = group.y * groups.x + group.x;
    if program >= arrayLength(&programs) / PROGRAM_WORDS {
        return;
    }
    let header = program * PROGRAM_WORDS;
    let seed = programs[header + 14u];
    let jitter = programs[header + 15u];
    var thread = lane;
    if (jitter & 0x10000u) != 0u {
        thread = place(seed, block_x, lane);
    }
    turn = jitter & 0xffu;
    longest_delay = (1u << ((jitter >> 8u) & 0xfu)) - 1u;
    random = mixed(seed, thread);
    warp_random = mixed(~seed, lane / WARP);
    let rounds = (1u << ((jitter >> 12u) & 0xfu)) - 1u;
    let is_thread = thread < programs[header + 2u];
    if is_thread {
        start(header, thread);
    }
    stop = YIELD_STOP;
    loop {
        if is_thread {
            if stop == YIELD_STOP {
                begin();
                run_to_stop();
            }
            atomicMax(&largest_stop, stop);
            atomicMax(&largest_complement, ~stop);
        } else {
            stress(rounds, arrays[programs[header + 3u] + programs[header + 4u]]);
        }
        storageBarrier();
        workgroupBarrier();
        if lane == 0u {
            let stop = atomicLoad(&largest_stop);
            let same = stop == ~atomicLoad(&largest_complement);
            // While a thread yields, those that stopped wait for it.
            if stop == YIELD_STOP {
                verdict = NEXT_TURN;
            } else if same && stop < FIRST_STOP_THAT_IS_NO_BARRIER {
                verdict = NEXT_PHASE;
            } else {
                verdict = END;
            }
            atomicStore(&largest_stop, 0u);
            atomicStore(&largest_complement, 0u);
        }
        let next = workgroupUniformLoad(&verdict);
        if next == END {
            break;
        }
        if next == NEXT_PHASE {
            phase += 1u;
            counter += 1u;
            stop = YIELD_STOP;
        }
    }
    if is_thread {
        report(programs[header + 13u] + thread);
    }
}

// A number that hides what it was made of; never 0.
fn mixed(seed: u32, number: u32) -> u32 {
    var x = seed ^ ((number + 1u) * 0x9e3779b9u);
    x = (x ^ (x >> 16u)) * 0x85ebca6bu;
    x = (x ^ (x >> 13u)) * 0xc2b2ae35u;
    return (x ^ (x >> 16u)) | 1u;
}

// The thread that a lane runs: a seeded permutation of the numbers below `lanes`. Each step is one
// of the numbers below a power of two; what lands outside goes on along its cycle.
fn place(seed: u32, lanes: u32, lane: u32) -> u32 {
    var mask = 1u;
    while mask < lanes {
        mask *= 2u;
    }
    mask -= 1u;
    var x = lane;
    loop {
        x = (x * mixed(seed, 0u) + mixed(seed, 1u) / 2u) & mask;
        x = ((x ^ (x >> 3u)) * mixed(seed, 2u)) & mask;
        if x < lanes {
            break;
        }
    }
    return x;
}

fn draw(before: u32) -> u32 {
    var x = before;
    x ^= x << 13u;
    x ^= x >> 17u;
    x ^= x << 5u;
    return x;
}

// Spins for a seeded while, and returns the generator's next state: every round needs the one
// before.
fn delayed(before: u32) -> u32 {
    var x = draw(before);
    for (var rounds = x & longest_delay; rounds > 0u; rounds--) {
        x = draw(x);
    }
    return x;
}

// Begins a turn: how many accesses it allows, and how late the thread comes, as its whole warp does.
fn begin() {
    random = draw(random);
    left = random % (turn + 1u);
    warp_random = delayed(warp_random);
}

// Must the thread leave the access that comes next to another turn? An update takes two, and others
// may come between its first look at the cell and the rest.
fn yields(is_update: bool, array: vec2<u32>, index: u64) -> bool {
    if turn != 0u {
        if left == 0u {
            return true;
        }
        left -= 1u;
        if is_update && !looked && index < u64(array.y) {
            seen = atomicLoad(&memory[array.x + u32(index)]);
            looked = true;
            return true;
        }
    }
    random = delayed(random);
    return false;
}

// What a lane without a thread does in a turn: accesses of the cells after the program's arrays.
fn stress(rounds: u32, array: vec2<u32>) {
    for (var round = 0u; round < rounds; round++) {
        random = draw(random);
        let cell = array.x + (random >> 1u) % array.y;
        if (random & 1u) != 0u {
            atomicStore(&memory[cell], u64(random));
        } else {
            random ^= u32(atomicLoad(&memory[cell]) >> 32u);
        }
    }
}

// The state of a thread before its first instruction.
fn start(header: u32, thread: u32) {
    first_instruction = programs[header];
    first_array = programs[header + 3u];
    fuel = programs[header + 10u];
    log_capacity = programs[header + 11u];
    first_entry = programs[header + 12u] + thread * log_capacity;
    // Extents of 0 belong to no verified program, but nothing may be divided by them.
    let extent_x = max(programs[header + 7u], 1u);
    let extent_y = max(programs[header + 8u], 1u);
    registers[0] = u64(thread);
    registers[1] = u64(thread % extent_x);
    registers[2] = u64(thread / extent_x % extent_y);
    registers[3] = u64(thread / extent_x / extent_y);
    let first_input = programs[header + 5u];
    for (var i = 0u; i < programs[header + 6u]; i++) {
        registers[4u + i] = inputs[first_input + i];
    }
}

// Writes a thread's result, where the host looks for it.
fn report(thread: u32) {
    let word = thread * THREAD_WORDS;
    threads[word] = status;
    threads[word + 1u] = counter;
    threads[word + 2u] = entries;
    threads[word + 3u] = overflow;
    threads[word + 4u] = phase;
    threads[word + 5u] = fuel;
    threads[word + 6u] = u32(fault_index & 0xfffffffflu);
    threads[word + 7u] = u32(fault_index >> 32u);
}

// Runs this thread up to its next stop: halt, barrier or fault.
fn run_to_stop() {
    loop {
        if fuel == 0u {
            fault(OUT_OF_FUEL);
            return;
        }
        let instruction = code[first_instruction + counter];
        let operation = instruction.x & 0xffu;
        let sub = (instruction.x >> 8u) & 0xffu;
        let type_ = (instruction.x >> 16u) & 0xffu;
        let d = instruction.y & 0xffffu;
        // `const` has a number where others have the registers b and c.
        let a = registers[(instruction.y >> 16u) % REGISTERS];
        let b = registers[(instruction.z & 0xffffu) % REGISTERS];
        let c = registers[(instruction.z >> 16u) % REGISTERS];
        let k = instruction.w;

        if operation >= READ && operation <= ATOMIC && (turn | longest_delay) != 0u {
            if yields(operation == ATOMIC, arrays[first_array + k], a) {
                stop = YIELD_STOP;
                return;
            }
        }
        fuel -= 1u;

        switch operation {
            case CONST: {
                registers[d] = u64(instruction.z) | (u64(k) << 32u);
            }
            case MOVE: {
                registers[d] = a;
            }
            case NATURAL: {
                registers[d] = note_overflow(arithmetic(sub, NATURALS, a, b));
            }
            case MACHINE: {
                registers[d] = arithmetic(sub, type_, a, b).value;
            }
            case CAST: {
                registers[d] = extend(sub, a) & mask(type_);
            }
            case SELECT: {
                registers[d] = select(c, b, a != 0lu);
            }
            case COMPARE: {
                registers[d] = u64(compare(sub, type_, a, b));
            }
            case CONNECTIVE: {
                let left = a != 0lu;
                let right = b != 0lu;
                registers[d] = u64(select(left || right, left && right, sub == 0u));
            }
            case NOT: {
                registers[d] = u64(a == 0lu);
            }
            case READ, WRITE, ATOMIC: {
                let array = arrays[first_array + k];
                if a >= u64(array.y) {
                    fault_index = a;
                    fault(OUT_OF_BOUNDS);
                    return;
                }
                if entries == log_capacity {
                    fault(LOG_FULL);
                    return;
                }
                let cell = array.x + u32(a);
                var value = b;
                if operation == READ {
                    value = atomicLoad(&memory[cell]);
                } else if operation == ATOMIC {
                    value = update(sub, type_, cell, b, c);
                }
                append_entry(a, value);
                if operation == WRITE {
                    atomicStore(&memory[cell], value);
                } else {
                    registers[d] = value;
                }
            }
            case JUMP: {
                counter = k;
                continue;
            }
            case UNLESS: {
                if a == 0lu {
                    counter = k;
                    continue;
                }
            }
            case SYNC: {
                status = AT_BARRIER;
                stop = k;
                return;
            }
            // `halt`
            default: {
                status = HALTED;
                stop = HALT_STOP;
                return;
            }
        }
        counter += 1u;
    }
}

// This thread stops here for the reason given.
fn fault(reason: u32) {
    status = reason;
    stop = FAULT_STOP + reason;
}

// Appends to the thread's log; there is room.
fn append_entry(index: u64, value: u64) {
    let long = (first_entry + entries) * ENTRY_LONGS;
    access_log[long] = u64(counter) | (u64(phase) << 32u);
    access_log[long + 1u] = index;
    access_log[long + 2u] = value;
    entries += 1u;
}

// One atomic update of a cell; returns what it held before.
fn update(sub: u32, type_: u32, cell: u32, operand: u64, expected: u64) -> u64 {
    var old = seen;
    if !looked {
        old = atomicLoad(&memory[cell]);
    }
    looked = false;
    random = delayed(random);
    loop {
        let next = updated(sub, type_, old, operand, expected);
        // A weak exchange may fail although the cell holds `old`: then this is another attempt.
        let attempt = atomicCompareExchangeWeak(&memory[cell], old, next.value);
        if attempt.exchanged {
            note_overflow(next);
            break;
        }
        old = attempt.old_value;
    }
    return old;
}

// What an atomic update makes of `old`.
fn updated(sub: u32, type_: u32, old: u64, operand: u64, expected: u64) -> Number {
    switch sub {
        case ATOMIC_EXCH: {
            return Number(operand, false);
        }
        case ATOMIC_INC: {
            return Number(select(old + 1lu, 0lu, old >= operand), false);
        }
        case ATOMIC_DEC: {
            return Number(select(old - 1lu, operand, old == 0lu || old > operand), false);
        }
        case ATOMIC_CAS: {
            return Number(select(old, operand, old == expected), false);
        }
        case 0u, 1u, 2u, 3u, 4u, 5u, 6u: {
            // add sub | min max and or xor: `machine` has mul div rem between.
            return arithmetic(select(sub + 3u, sub, sub < 2u), type_, old, operand);
        }
        // `opaque`: one of the values it may have.
        default: {
            return Number(old, false);
        }
    }
}

// A result, and whether it is a natural that needs more than 64 bits.
struct Number {
    value: u64,
    too_large: bool,
}

// Marks the thread as overflowed, the first time.
fn note_overflow(number: Number) -> u64 {
    if number.too_large && overflow == 0u {
        overflow = counter + 1u;
    }
    return number.value;
}

// `left sub right`, on machine integers of a type or on naturals.
fn arithmetic(sub: u32, type_: u32, left: u64, right: u64) -> Number {
    let all = mask(type_);
    let l = left & all;
    let r = right & all;
    switch sub {
        case ADD: {
            return Number((l + r) & all, type_ == NATURALS && l + r < l);
        }
        case SUB: {
            return Number(select((l - r) & all, 0lu, type_ == NATURALS && l < r), false);
        }
        case MUL: {
            return Number((l * r) & all, type_ == NATURALS && product_is_too_large(l, r));
        }
        case DIV, REM: {
            return Number(divide(sub, type_, l, r), false);
        }
        case MIN: {
            return Number(select(r, l, is_less(type_, l, r)), false);
        }
        case MAX: {
            return Number(select(l, r, is_less(type_, l, r)), false);
        }
        case AND: {
            return Number(l & r, false);
        }
        case OR: {
            return Number(l | r, false);
        }
        case XOR: {
            return Number(l ^ r, false);
        }
        case SHL: {
            return Number(select((l << u32(r & 63lu)) & all, 0lu, r >= bits(type_)), false);
        }
        // `shr`: of a negative pattern, the complement is shifted, so that ones move in.
        default: {
            let ones = select(0lu, all, is_negative(type_, l));
            let shifted = select((l ^ ones) >> u32(r & 63lu), 0lu, r >= bits(type_));
            return Number(shifted ^ ones, false);
        }
    }
}

// Quotient or remainder of two patterns, rounded towards zero; by zero: 0, and the dividend.
fn divide(sub: u32, type_: u32, l: u64, r: u64) -> u64 {
    let all = mask(type_);
    let l_negative = is_negative(type_, l);
    let r_negative = is_negative(type_, r);
    let dividend = select(l, (0lu - l) & all, l_negative);
    let divisor = select(r, (0lu - r) & all, r_negative);
    let quotient = dividend / max(divisor, 1lu);
    if sub == DIV {
        let negated = (0lu - quotient) & all;
        return select(select(quotient, negated, l_negative != r_negative), 0lu, r == 0lu);
    }
    let remainder = dividend - quotient * divisor;
    return select(remainder, (0lu - remainder) & all, l_negative);
}

// Does the product of two naturals need more than 64 bits?
fn product_is_too_large(l: u64, r: u64) -> bool {
    let low = 0xfffffffflu;
    let l_high = l >> 32u;
    let r_high = r >> 32u;
    // With a high half 0 at least, one of the two middle products is 0, and the sum fits.
    let middle = l_high * (r & low) + (l & low) * r_high + (((l & low) * (r & low)) >> 32u);
    return (l_high != 0lu && r_high != 0lu) || middle > low;
}

// `left relation right`, on machine integers of a type or on naturals.
fn compare(relation: u32, type_: u32, left: u64, right: u64) -> bool {
    let l = left & mask(type_);
    let r = right & mask(type_);
    let less = is_less(type_, l, r);
    switch relation {
        case 0u: {
            return l == r;
        }
        case 1u: {
            return l != r;
        }
        case 2u: {
            return less;
        }
        case 3u: {
            return less || l == r;
        }
        case 4u: {
            return !less && l != r;
        }
        default: {
            return !less;
        }
    }
}

// Is the number of one pattern below that of another?
fn is_less(type_: u32, l: u64, r: u64) -> bool {
    return (l ^ sign(type_)) < (r ^ sign(type_));
}

// Is this the pattern of a negative number?
fn is_negative(type_: u32, pattern: u64) -> bool {
    return (pattern & sign(type_)) != 0lu;
}

// The pattern of a type, read as a number modulo 2^64.
fn extend(type_: u32, bits: u64) -> u64 {
    return ((bits & mask(type_)) ^ sign(type_)) - sign(type_);
}

// The width of a type; that of naturals is 64.
fn bits(type_: u32) -> u64 {
    return select(8lu << (type_ & 3u), 64lu, type_ == NATURALS);
}

// The pattern of a type with every bit set.
fn mask(type_: u32) -> u64 {
    return 0xfffffffffffffffflu >> (64u - u32(bits(type_)));
}

// The sign bit of a signed type, else 0: patterns with it flipped are ordered as their numbers.
fn sign(type_: u32) -> u64 {
    let is_signed = type_ >= 4u && type_ < NATURALS;
    return select(0lu, 1lu << (u32(bits(type_)) - 1u), is_signed);
}
