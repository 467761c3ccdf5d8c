#pragma once
struct __half {
  BC_HD __half() = default;
  BC_HD __half(float);
  BC_HD operator float() const;
};
typedef __half half;
struct __half2 { __half x, y; };
typedef __half2 half2;
BC_HD __half __float2half(float);
BC_HD __half __float2half_rn(float);
BC_HD float __half2float(__half);
BC_D __half __hadd(__half, __half);
BC_D __half __hsub(__half, __half);
BC_D __half __hmul(__half, __half);
BC_D __half __hfma(__half, __half, __half);
