/* The operators of BYTECODE.md on longs, in the common subset of OpenCL C and CUDA C; see
   interpreter.h for what the preludes define.

   Everything is computed on unsigned numbers, so nothing is undefined: no shift by the width or
   more, no division by 0, no signed overflow. */

/* Types: the width is 8 << (type & 3), the signed ones have bit 2. */
enum { TYPE_WIDTH = 3, TYPE_SIGNED = 4 };

FUNCTION u32 bits(u32 type) {
  return type == TYPE_NATURAL ? 64 : 8u << (type & TYPE_WIDTH);
}

FUNCTION u64 reduce(u32 type, u64 number) {
  return number & (~(u64)0 >> (64 - bits(type)));
}

FUNCTION bool negative(u32 type, u64 extended) {
  return (type & TYPE_SIGNED) != 0 && (extended >> 63) != 0;
}

/* The pattern of a type, sign- or zero-extended to 64 bits. */
FUNCTION u64 extend(u32 type, u64 pattern) {
  u64 reduced = reduce(type, pattern);
  u64 sign = (u64)1 << (bits(type) - 1);
  return (type & TYPE_SIGNED) != 0 ? (reduced ^ sign) - sign : reduced;
}

/* left < right, both extended. */
FUNCTION bool less(u32 type, u64 left, u64 right) {
  u64 bias = (type & TYPE_SIGNED) != 0 ? (u64)1 << 63 : 0;
  return (left ^ bias) < (right ^ bias);
}

/* Raises `overflow` where the result needs more than 64 bits. */
FUNCTION u64 natural(u32 sub, u64 left, u64 right, bool *overflow) {
  switch (sub) {
    case NATURAL_ADD: *overflow = left + right < left; return left + right;
    case NATURAL_SUB: return left > right ? left - right : 0;
    case NATURAL_MUL: *overflow = HIGH_PRODUCT(left, right) != 0; return left * right;
    case NATURAL_DIV: return right == 0 ? 0 : left / right;
    case NATURAL_MOD: return right == 0 ? left : left % right;
    case NATURAL_MIN: return left < right ? left : right;
    default:          return left > right ? left : right;
  }
}

/* Quotient and remainder of extended patterns, rounded to 0, through their magnitudes. */
FUNCTION u64 machine_div(u32 type, u64 left, u64 right) {
  bool negate = negative(type, left) != negative(type, right);
  u64 dividend = negative(type, left) ? 0 - left : left;
  u64 divisor = negative(type, right) ? 0 - right : right;
  u64 quotient = divisor == 0 ? 0 : dividend / divisor;
  return negate ? 0 - quotient : quotient;
}

FUNCTION u64 machine_rem(u32 type, u64 left, u64 right) {
  u64 dividend = negative(type, left) ? 0 - left : left;
  u64 divisor = negative(type, right) ? 0 - right : right;
  u64 remainder = divisor == 0 ? dividend : dividend % divisor;
  return negative(type, left) ? 0 - remainder : remainder;
}

/* `count` is a pattern of the type; all bits are shifted out from the width on. */
FUNCTION u64 shift_left(u32 type, u64 left, u64 count) {
  return count >= bits(type) ? 0 : left << count;
}

FUNCTION u64 shift_right(u32 type, u64 left, u64 count) {
  u64 last = count > 63 ? 63 : count;
  if (negative(type, left)) return ~(~left >> last);
  return count > 63 ? 0 : left >> count;
}

FUNCTION u64 machine(u32 sub, u32 type, u64 a, u64 b) {
  u64 left = extend(type, a);
  u64 right = extend(type, b);
  u64 result;
  switch (sub) {
    case MACHINE_ADD: result = left + right; break;
    case MACHINE_SUB: result = left - right; break;
    case MACHINE_MUL: result = left * right; break;
    case MACHINE_DIV: result = machine_div(type, left, right); break;
    case MACHINE_REM: result = machine_rem(type, left, right); break;
    case MACHINE_MIN: result = less(type, left, right) ? left : right; break;
    case MACHINE_MAX: result = less(type, left, right) ? right : left; break;
    case MACHINE_AND: result = left & right; break;
    case MACHINE_OR:  result = left | right; break;
    case MACHINE_XOR: result = left ^ right; break;
    case MACHINE_SHL: result = shift_left(type, left, reduce(type, b)); break;
    default:          result = shift_right(type, left, reduce(type, b)); break;
  }
  return reduce(type, result);
}

FUNCTION u64 compare(u32 sub, u32 type, u64 a, u64 b) {
  u64 left = extend(type, a);
  u64 right = extend(type, b);
  switch (sub) {
    case COMPARE_EQ: return left == right;
    case COMPARE_NE: return left != right;
    case COMPARE_LT: return less(type, left, right);
    case COMPARE_LE: return !less(type, right, left);
    case COMPARE_GT: return less(type, right, left);
    default:         return !less(type, left, right);
  }
}

