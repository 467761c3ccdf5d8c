// The interpreter of BYTECODE.md for WGSL: one workgroup a program, programs are data.
//
// Every barrier is in uniform control flow, whatever the programs do: a thread runs alone to its
// next stop (`run_to_stop`), and only then do all lanes of the workgroup, idle ones too, meet in
// the barriers of `interpret`, whose loop goes on or ends for all of them alike.
//
// Cells are relaxed atomics, so that the races of a program are no undefined behaviour here.
// Every number of BYTECODE.md has a name, which `src/numbers.rs` defines before this text; so is
// `SPINS`: false where loops must not be there, not even those that nobody goes through.
// Needs 64-bit integers and 64-bit atomics, which WGSL proper has not: naga's `u64`, `lu`.

// Lanes of a workgroup; the pipeline sets it.
override block_x: u32;

@group(0) @binding(0) var<storage, read> programs: array<u32>;
@group(0) @binding(1) var<storage, read> code: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> arrays: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> inputs: array<u64>;
@group(0) @binding(4) var<storage, read_write> memory: array<atomic<u64>>;
@group(0) @binding(5) var<storage, read_write> access_log: array<u64>;
@group(0) @binding(6) var<storage, read_write> threads: array<atomic<u32>>;

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

// Its number in the block, and the group with which it waits, at a barrier of a tile or warp; until
// the end, the threads' results tell where each stopped, and how many of the group that it is the
// first of wait there.
var<private> own: u32;
var<private> group_first: u32;
var<private> group_size: u32;
var<private> counted: bool;
var<private> block_threads: u32;
var<private> warp_size: u32;
var<private> first_result: u32;
const TOLD = 0u;
const COUNT = 1u;

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
// Has a group of a tile or warp met?
var<workgroup> meetings: atomic<u32>;
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
    if program >= arrayLength(&programs) / HEADER_WORDS {
        return;
    }
    let header = program * HEADER_WORDS;
    let seed = programs[header + HEADER_SEED];
    let jitter = programs[header + HEADER_JITTER];
    var thread = lane;
    if ((jitter >> PLACED) & 1u) != 0u {
        thread = place(seed, jitter, block_x, lane);
    }
    turn = jitter & 0xffu;
    longest_delay = (1u << ((jitter >> DELAY) & 0xfu)) - 1u;
    random = mixed(seed, thread);
    warp_random = mixed(~seed, lane / WARP);
    let rounds = (1u << ((jitter >> STRESS) & 0xfu)) - 1u;
    let is_thread = thread < programs[header + HEADER_THREADS];
    if is_thread {
        start(header, thread);
    }
    stop = STOP_YIELD;
    loop {
        if is_thread {
            if stop == STOP_YIELD {
                begin();
                run_to_stop();
            }
            atomicMax(&largest_stop, stop);
            atomicMax(&largest_complement, ~stop);
            atomicStore(&threads[first_result + own * RESULT_WORDS + TOLD], stop);
        } else if SPINS {
            stress(rounds, arrays[programs[header + HEADER_ARRAY] + programs[header + HEADER_ARRAYS]]);
        }
        storageBarrier();
        workgroupBarrier();
        if is_thread {
            count();
        }
        storageBarrier();
        workgroupBarrier();
        let goes_on = is_thread && counted && group_count() == group_size;
        if lane == 0u {
            let stop = atomicLoad(&largest_stop);
            let same = stop == ~atomicLoad(&largest_complement);
            // While a thread yields or its group met, those that stopped wait for it.
            if stop == STOP_YIELD || atomicLoad(&meetings) != 0u {
                verdict = NEXT_TURN;
            } else if same && stop < STOP_GROUPS {
                verdict = NEXT_PHASE;
            } else {
                verdict = END;
            }
            atomicStore(&largest_stop, 0u);
            atomicStore(&largest_complement, 0u);
            atomicStore(&meetings, 0u);
        }
        let next = workgroupUniformLoad(&verdict);
        if next == END {
            break;
        }
        if next == NEXT_PHASE {
            phase += 1u;
            counter += 1u;
            stop = STOP_YIELD;
        }
        if is_thread {
            atomicStore(&threads[first_result + own * RESULT_WORDS + COUNT], 0u);
        }
        if goes_on {
            append_entry(0lu, 0lu);
            counter += 1u;
            stop = STOP_YIELD;
        }
    }
    if is_thread {
        report(programs[header + HEADER_THREAD] + thread);
    }
}

// A number that hides what it was made of; never 0.
fn mixed(seed: u32, number: u32) -> u32 {
    var x = seed ^ ((number + 1u) * 0x9e3779b9u);
    x = (x ^ (x >> 16u)) * 0x85ebca6bu;
    x = (x ^ (x >> 13u)) * 0xc2b2ae35u;
    return (x ^ (x >> 16u)) | 1u;
}

// The thread that a lane runs: a seeded permutation of the numbers below `lanes`, or a stride. Each
// step is one of the numbers below a power of two; what lands outside goes on along its cycle.
fn place(seed: u32, jitter: u32, lanes: u32, lane: u32) -> u32 {
    var mask = 1u;
    while mask < lanes {
        mask *= 2u;
    }
    mask -= 1u;
    var x = lane;
    loop {
        x = (x * mixed(seed, 0u) + mixed(seed, 1u) / 2u) & mask;
        if ((jitter >> STRIDED) & 1u) == 0u {
            x = ((x ^ (x >> 3u)) * mixed(seed, 2u)) & mask;
        }
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
    if SPINS {
        for (var rounds = x & longest_delay; rounds > 0u; rounds--) {
            x = draw(x);
        }
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
    first_instruction = programs[header + HEADER_CODE];
    first_array = programs[header + HEADER_ARRAY];
    fuel = programs[header + HEADER_FUEL];
    log_capacity = programs[header + HEADER_CAPACITY];
    first_entry = programs[header + HEADER_LOG] + thread * log_capacity;
    // Extents of 0 belong to no verified program, but nothing may be divided by them.
    let extent_x = max(programs[header + HEADER_X], 1u);
    let extent_y = max(programs[header + HEADER_Y], 1u);
    registers[0] = u64(thread);
    registers[1] = u64(thread % extent_x);
    registers[2] = u64(thread / extent_x % extent_y);
    registers[3] = u64(thread / extent_x / extent_y);
    own = thread;
    block_threads = programs[header + HEADER_THREADS];
    warp_size = max(programs[header + HEADER_WARP], 1u);
    first_result = programs[header + HEADER_THREAD] * RESULT_WORDS;
    atomicStore(&threads[first_result + own * RESULT_WORDS + COUNT], 0u);
    let first_input = programs[header + HEADER_INPUT];
    for (var i = 0u; i < programs[header + HEADER_INPUTS]; i++) {
        registers[4u + i] = inputs[first_input + i];
    }
}

// Writes a thread's result, where the host looks for it.
fn report(thread: u32) {
    let word = thread * RESULT_WORDS;
    atomicStore(&threads[word + RESULT_STATUS], status);
    atomicStore(&threads[word + RESULT_PC], counter);
    atomicStore(&threads[word + RESULT_LOGGED], entries);
    atomicStore(&threads[word + RESULT_OVERFLOW], overflow);
    atomicStore(&threads[word + RESULT_PHASE], phase);
    atomicStore(&threads[word + RESULT_FUEL], fuel);
    atomicStore(&threads[word + RESULT_OUTSIDE], u32(fault_index & 0xfffffffflu));
    atomicStore(&threads[word + RESULT_OUTSIDE_HIGH], u32(fault_index >> 32u));
}

// Runs this thread up to its next stop: halt, barrier or fault.
fn run_to_stop() {
    loop {
        if fuel == 0u {
            fault(STATUS_OUT_OF_FUEL);
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

        if operation >= OP_READ && operation <= OP_ATOMIC && (turn | longest_delay) != 0u {
            if yields(operation == OP_ATOMIC, arrays[first_array + k], a) {
                stop = STOP_YIELD;
                return;
            }
        }
        fuel -= 1u;

        switch operation {
            case OP_CONST: {
                registers[d] = u64(instruction.z) | (u64(k) << 32u);
            }
            case OP_MOVE: {
                registers[d] = a;
            }
            case OP_NATURAL: {
                registers[d] = note_overflow(arithmetic(sub, TYPE_NATURAL, a, b));
            }
            case OP_MACHINE: {
                registers[d] = arithmetic(sub, type_, a, b).value;
            }
            case OP_CAST: {
                registers[d] = extend(sub, a) & mask(type_);
            }
            case OP_SELECT: {
                registers[d] = select(c, b, a != 0lu);
            }
            case OP_COMPARE: {
                registers[d] = u64(compare(sub, type_, a, b));
            }
            case OP_CONNECTIVE: {
                let left = a != 0lu;
                let right = b != 0lu;
                registers[d] = u64(select(left || right, left && right, sub == CONNECTIVE_AND));
            }
            case OP_NOT: {
                registers[d] = u64(a == 0lu);
            }
            case OP_READ, OP_WRITE, OP_ATOMIC: {
                let array = arrays[first_array + k];
                if a >= u64(array.y) {
                    fault_index = a;
                    fault(STATUS_OUTSIDE);
                    return;
                }
                if entries == log_capacity {
                    fault(STATUS_LOG_FULL);
                    return;
                }
                let cell = array.x + u32(a);
                var value = b;
                if operation == OP_READ {
                    value = atomicLoad(&memory[cell]);
                } else if operation == OP_ATOMIC {
                    value = update(sub, type_, cell, b, c);
                }
                append_entry(a, value);
                if operation == OP_WRITE {
                    atomicStore(&memory[cell], value);
                } else {
                    registers[d] = value;
                }
            }
            case OP_JUMP: {
                counter = k;
                continue;
            }
            case OP_UNLESS: {
                if a == 0lu {
                    counter = k;
                    continue;
                }
            }
            case OP_SYNC: {
                status = STATUS_BARRIER;
                stop = k;
                if sub == SCOPE_WARP || sub == SCOPE_TILE {
                    if entries == log_capacity {
                        fault(STATUS_LOG_FULL);
                        return;
                    }
                    join(sub, type_);
                    stop = STOP_GROUPS + k;
                }
                return;
            }
            // `halt`
            default: {
                status = STATUS_HALTED;
                stop = STOP_HALT;
                return;
            }
        }
        counter += 1u;
    }
}

// The group of a barrier of this scope; a tile does not reach beyond its warp.
fn join(scope: u32, tile: u32) {
    group_first = own / warp_size * warp_size;
    group_size = min(warp_size, block_threads - group_first);
    if scope == SCOPE_TILE {
        let before = ((own - group_first) >> tile) << tile;
        group_first += before;
        group_size = min(1u << tile, group_size - before);
    }
}

// Counts the thread, if it waits where the first one of its group does. When the last was counted,
// the group has met.
fn count() {
    let told = atomicLoad(&threads[first_result + group_first * RESULT_WORDS + TOLD]);
    counted = stop >= STOP_GROUPS && stop < STOP_BARRIERS && told == stop;
    if counted {
        let before = atomicAdd(&threads[first_result + group_first * RESULT_WORDS + COUNT], 1u);
        if before + 1u == group_size {
            atomicStore(&meetings, 1u);
        }
    }
}

// How many of its group were counted.
fn group_count() -> u32 {
    return atomicLoad(&threads[first_result + group_first * RESULT_WORDS + COUNT]);
}

// This thread stops here for the reason given.
fn fault(reason: u32) {
    status = reason;
    stop = STOP_FAULT + reason;
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
        case ATOMIC_ADD, ATOMIC_SUB, ATOMIC_MIN, ATOMIC_MAX, ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR: {
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
        case MACHINE_ADD: {
            return Number((l + r) & all, type_ == TYPE_NATURAL && l + r < l);
        }
        case MACHINE_SUB: {
            // Not `select` of the difference: NVIDIA's compiler (580.159.04) then puts `counter + 1`
            // into its high half, from `note_overflow`.
            if type_ == TYPE_NATURAL && l < r {
                return Number(0lu, false);
            }
            return Number((l - r) & all, false);
        }
        case MACHINE_MUL: {
            return Number((l * r) & all, type_ == TYPE_NATURAL && product_is_too_large(l, r));
        }
        case MACHINE_DIV, MACHINE_REM: {
            return Number(divide(sub, type_, l, r), false);
        }
        case MACHINE_MIN: {
            return Number(select(r, l, is_less(type_, l, r)), false);
        }
        case MACHINE_MAX: {
            return Number(select(l, r, is_less(type_, l, r)), false);
        }
        case MACHINE_AND: {
            return Number(l & r, false);
        }
        case MACHINE_OR: {
            return Number(l | r, false);
        }
        case MACHINE_XOR: {
            return Number(l ^ r, false);
        }
        case MACHINE_SHL: {
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
    if sub == MACHINE_DIV {
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
        case COMPARE_EQ: {
            return l == r;
        }
        case COMPARE_NE: {
            return l != r;
        }
        case COMPARE_LT: {
            return less;
        }
        case COMPARE_LE: {
            return less || l == r;
        }
        case COMPARE_GT: {
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
    return select(8lu << (type_ & 3u), 64lu, type_ == TYPE_NATURAL);
}

// The pattern of a type with every bit set.
fn mask(type_: u32) -> u64 {
    return 0xfffffffffffffffflu >> (64u - u32(bits(type_)));
}

// The sign bit of a signed type, else 0: patterns with it flipped are ordered as their numbers.
fn sign(type_: u32) -> u64 {
    let is_signed = type_ >= 4u && type_ < TYPE_NATURAL;
    return select(0lu, 1lu << (u32(bits(type_)) - 1u), is_signed);
}
