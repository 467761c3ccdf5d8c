// Operators of vectors, as the samples of the toolkit define them: each component by itself.
#pragma once

BC_OP float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
BC_OP void operator+=(float2 &a, float2 b) { a.x += b.x; a.y += b.y; }
BC_OP float2 operator+(float2 a, float b) { return make_float2(a.x + b, a.y + b); }
BC_OP float2 operator+(float a, float2 b) { return make_float2(a + b.x, a + b.y); }
BC_OP void operator+=(float2 &a, float b) { a.x += b; a.y += b; }
BC_OP float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
BC_OP void operator-=(float2 &a, float2 b) { a.x -= b.x; a.y -= b.y; }
BC_OP float2 operator-(float2 a, float b) { return make_float2(a.x - b, a.y - b); }
BC_OP float2 operator-(float a, float2 b) { return make_float2(a - b.x, a - b.y); }
BC_OP void operator-=(float2 &a, float b) { a.x -= b; a.y -= b; }
BC_OP float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x, a.y * b.y); }
BC_OP void operator*=(float2 &a, float2 b) { a.x *= b.x; a.y *= b.y; }
BC_OP float2 operator*(float2 a, float b) { return make_float2(a.x * b, a.y * b); }
BC_OP float2 operator*(float a, float2 b) { return make_float2(a * b.x, a * b.y); }
BC_OP void operator*=(float2 &a, float b) { a.x *= b; a.y *= b; }
BC_OP float2 operator/(float2 a, float2 b) { return make_float2(a.x / b.x, a.y / b.y); }
BC_OP void operator/=(float2 &a, float2 b) { a.x /= b.x; a.y /= b.y; }
BC_OP float2 operator/(float2 a, float b) { return make_float2(a.x / b, a.y / b); }
BC_OP float2 operator/(float a, float2 b) { return make_float2(a / b.x, a / b.y); }
BC_OP void operator/=(float2 &a, float b) { a.x /= b; a.y /= b; }
BC_OP float2 operator-(float2 a) { return make_float2(-a.x, -a.y); }
BC_OP float2 make_float2(float s) { return make_float2(s, s); }
BC_OP float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
BC_D inline float2 fminf(float2 a, float2 b) { return make_float2(fminf(a.x, b.x), fminf(a.y, b.y)); }
BC_D inline float2 fmaxf(float2 a, float2 b) { return make_float2(fmaxf(a.x, b.x), fmaxf(a.y, b.y)); }
BC_D inline float length(float2 v) { return sqrtf(dot(v, v)); }
BC_D inline float2 normalize(float2 v) { return v * rsqrtf(dot(v, v)); }
BC_OP float2 lerp(float2 a, float2 b, float t) { return a + t * (b - a); }
BC_D inline float2 floorf(float2 v) { return make_float2(floorf(v.x), floorf(v.y)); }
BC_D inline float2 fabs(float2 v) { return make_float2(fabs(v.x), fabs(v.y)); }
BC_OP float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
BC_OP void operator+=(float3 &a, float3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
BC_OP float3 operator+(float3 a, float b) { return make_float3(a.x + b, a.y + b, a.z + b); }
BC_OP float3 operator+(float a, float3 b) { return make_float3(a + b.x, a + b.y, a + b.z); }
BC_OP void operator+=(float3 &a, float b) { a.x += b; a.y += b; a.z += b; }
BC_OP float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
BC_OP void operator-=(float3 &a, float3 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; }
BC_OP float3 operator-(float3 a, float b) { return make_float3(a.x - b, a.y - b, a.z - b); }
BC_OP float3 operator-(float a, float3 b) { return make_float3(a - b.x, a - b.y, a - b.z); }
BC_OP void operator-=(float3 &a, float b) { a.x -= b; a.y -= b; a.z -= b; }
BC_OP float3 operator*(float3 a, float3 b) { return make_float3(a.x * b.x, a.y * b.y, a.z * b.z); }
BC_OP void operator*=(float3 &a, float3 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; }
BC_OP float3 operator*(float3 a, float b) { return make_float3(a.x * b, a.y * b, a.z * b); }
BC_OP float3 operator*(float a, float3 b) { return make_float3(a * b.x, a * b.y, a * b.z); }
BC_OP void operator*=(float3 &a, float b) { a.x *= b; a.y *= b; a.z *= b; }
BC_OP float3 operator/(float3 a, float3 b) { return make_float3(a.x / b.x, a.y / b.y, a.z / b.z); }
BC_OP void operator/=(float3 &a, float3 b) { a.x /= b.x; a.y /= b.y; a.z /= b.z; }
BC_OP float3 operator/(float3 a, float b) { return make_float3(a.x / b, a.y / b, a.z / b); }
BC_OP float3 operator/(float a, float3 b) { return make_float3(a / b.x, a / b.y, a / b.z); }
BC_OP void operator/=(float3 &a, float b) { a.x /= b; a.y /= b; a.z /= b; }
BC_OP float3 operator-(float3 a) { return make_float3(-a.x, -a.y, -a.z); }
BC_OP float3 make_float3(float s) { return make_float3(s, s, s); }
BC_OP float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
BC_D inline float3 fminf(float3 a, float3 b) { return make_float3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)); }
BC_D inline float3 fmaxf(float3 a, float3 b) { return make_float3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)); }
BC_D inline float length(float3 v) { return sqrtf(dot(v, v)); }
BC_D inline float3 normalize(float3 v) { return v * rsqrtf(dot(v, v)); }
BC_OP float3 lerp(float3 a, float3 b, float t) { return a + t * (b - a); }
BC_D inline float3 floorf(float3 v) { return make_float3(floorf(v.x), floorf(v.y), floorf(v.z)); }
BC_D inline float3 fabs(float3 v) { return make_float3(fabs(v.x), fabs(v.y), fabs(v.z)); }
BC_OP float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
BC_OP void operator+=(float4 &a, float4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
BC_OP float4 operator+(float4 a, float b) { return make_float4(a.x + b, a.y + b, a.z + b, a.w + b); }
BC_OP float4 operator+(float a, float4 b) { return make_float4(a + b.x, a + b.y, a + b.z, a + b.w); }
BC_OP void operator+=(float4 &a, float b) { a.x += b; a.y += b; a.z += b; a.w += b; }
BC_OP float4 operator-(float4 a, float4 b) { return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
BC_OP void operator-=(float4 &a, float4 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; a.w -= b.w; }
BC_OP float4 operator-(float4 a, float b) { return make_float4(a.x - b, a.y - b, a.z - b, a.w - b); }
BC_OP float4 operator-(float a, float4 b) { return make_float4(a - b.x, a - b.y, a - b.z, a - b.w); }
BC_OP void operator-=(float4 &a, float b) { a.x -= b; a.y -= b; a.z -= b; a.w -= b; }
BC_OP float4 operator*(float4 a, float4 b) { return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
BC_OP void operator*=(float4 &a, float4 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; a.w *= b.w; }
BC_OP float4 operator*(float4 a, float b) { return make_float4(a.x * b, a.y * b, a.z * b, a.w * b); }
BC_OP float4 operator*(float a, float4 b) { return make_float4(a * b.x, a * b.y, a * b.z, a * b.w); }
BC_OP void operator*=(float4 &a, float b) { a.x *= b; a.y *= b; a.z *= b; a.w *= b; }
BC_OP float4 operator/(float4 a, float4 b) { return make_float4(a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w); }
BC_OP void operator/=(float4 &a, float4 b) { a.x /= b.x; a.y /= b.y; a.z /= b.z; a.w /= b.w; }
BC_OP float4 operator/(float4 a, float b) { return make_float4(a.x / b, a.y / b, a.z / b, a.w / b); }
BC_OP float4 operator/(float a, float4 b) { return make_float4(a / b.x, a / b.y, a / b.z, a / b.w); }
BC_OP void operator/=(float4 &a, float b) { a.x /= b; a.y /= b; a.z /= b; a.w /= b; }
BC_OP float4 operator-(float4 a) { return make_float4(-a.x, -a.y, -a.z, -a.w); }
BC_OP float4 make_float4(float s) { return make_float4(s, s, s, s); }
BC_OP float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
BC_D inline float4 fminf(float4 a, float4 b) { return make_float4(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z), fminf(a.w, b.w)); }
BC_D inline float4 fmaxf(float4 a, float4 b) { return make_float4(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w)); }
BC_D inline float length(float4 v) { return sqrtf(dot(v, v)); }
BC_D inline float4 normalize(float4 v) { return v * rsqrtf(dot(v, v)); }
BC_OP float4 lerp(float4 a, float4 b, float t) { return a + t * (b - a); }
BC_D inline float4 floorf(float4 v) { return make_float4(floorf(v.x), floorf(v.y), floorf(v.z), floorf(v.w)); }
BC_D inline float4 fabs(float4 v) { return make_float4(fabs(v.x), fabs(v.y), fabs(v.z), fabs(v.w)); }
BC_OP int2 operator+(int2 a, int2 b) { return make_int2(a.x + b.x, a.y + b.y); }
BC_OP void operator+=(int2 &a, int2 b) { a.x += b.x; a.y += b.y; }
BC_OP int2 operator+(int2 a, int b) { return make_int2(a.x + b, a.y + b); }
BC_OP int2 operator+(int a, int2 b) { return make_int2(a + b.x, a + b.y); }
BC_OP void operator+=(int2 &a, int b) { a.x += b; a.y += b; }
BC_OP int2 operator-(int2 a, int2 b) { return make_int2(a.x - b.x, a.y - b.y); }
BC_OP void operator-=(int2 &a, int2 b) { a.x -= b.x; a.y -= b.y; }
BC_OP int2 operator-(int2 a, int b) { return make_int2(a.x - b, a.y - b); }
BC_OP int2 operator-(int a, int2 b) { return make_int2(a - b.x, a - b.y); }
BC_OP void operator-=(int2 &a, int b) { a.x -= b; a.y -= b; }
BC_OP int2 operator*(int2 a, int2 b) { return make_int2(a.x * b.x, a.y * b.y); }
BC_OP void operator*=(int2 &a, int2 b) { a.x *= b.x; a.y *= b.y; }
BC_OP int2 operator*(int2 a, int b) { return make_int2(a.x * b, a.y * b); }
BC_OP int2 operator*(int a, int2 b) { return make_int2(a * b.x, a * b.y); }
BC_OP void operator*=(int2 &a, int b) { a.x *= b; a.y *= b; }
BC_OP int2 operator/(int2 a, int2 b) { return make_int2(a.x / b.x, a.y / b.y); }
BC_OP void operator/=(int2 &a, int2 b) { a.x /= b.x; a.y /= b.y; }
BC_OP int2 operator/(int2 a, int b) { return make_int2(a.x / b, a.y / b); }
BC_OP int2 operator/(int a, int2 b) { return make_int2(a / b.x, a / b.y); }
BC_OP void operator/=(int2 &a, int b) { a.x /= b; a.y /= b; }
BC_OP int2 operator-(int2 a) { return make_int2(-a.x, -a.y); }
BC_OP int2 make_int2(int s) { return make_int2(s, s); }
BC_OP int dot(int2 a, int2 b) { return a.x * b.x + a.y * b.y; }
BC_OP int2 min(int2 a, int2 b) { return make_int2(min(a.x, b.x), min(a.y, b.y)); }
BC_OP int2 max(int2 a, int2 b) { return make_int2(max(a.x, b.x), max(a.y, b.y)); }
BC_OP int3 operator+(int3 a, int3 b) { return make_int3(a.x + b.x, a.y + b.y, a.z + b.z); }
BC_OP void operator+=(int3 &a, int3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
BC_OP int3 operator+(int3 a, int b) { return make_int3(a.x + b, a.y + b, a.z + b); }
BC_OP int3 operator+(int a, int3 b) { return make_int3(a + b.x, a + b.y, a + b.z); }
BC_OP void operator+=(int3 &a, int b) { a.x += b; a.y += b; a.z += b; }
BC_OP int3 operator-(int3 a, int3 b) { return make_int3(a.x - b.x, a.y - b.y, a.z - b.z); }
BC_OP void operator-=(int3 &a, int3 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; }
BC_OP int3 operator-(int3 a, int b) { return make_int3(a.x - b, a.y - b, a.z - b); }
BC_OP int3 operator-(int a, int3 b) { return make_int3(a - b.x, a - b.y, a - b.z); }
BC_OP void operator-=(int3 &a, int b) { a.x -= b; a.y -= b; a.z -= b; }
BC_OP int3 operator*(int3 a, int3 b) { return make_int3(a.x * b.x, a.y * b.y, a.z * b.z); }
BC_OP void operator*=(int3 &a, int3 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; }
BC_OP int3 operator*(int3 a, int b) { return make_int3(a.x * b, a.y * b, a.z * b); }
BC_OP int3 operator*(int a, int3 b) { return make_int3(a * b.x, a * b.y, a * b.z); }
BC_OP void operator*=(int3 &a, int b) { a.x *= b; a.y *= b; a.z *= b; }
BC_OP int3 operator/(int3 a, int3 b) { return make_int3(a.x / b.x, a.y / b.y, a.z / b.z); }
BC_OP void operator/=(int3 &a, int3 b) { a.x /= b.x; a.y /= b.y; a.z /= b.z; }
BC_OP int3 operator/(int3 a, int b) { return make_int3(a.x / b, a.y / b, a.z / b); }
BC_OP int3 operator/(int a, int3 b) { return make_int3(a / b.x, a / b.y, a / b.z); }
BC_OP void operator/=(int3 &a, int b) { a.x /= b; a.y /= b; a.z /= b; }
BC_OP int3 operator-(int3 a) { return make_int3(-a.x, -a.y, -a.z); }
BC_OP int3 make_int3(int s) { return make_int3(s, s, s); }
BC_OP int dot(int3 a, int3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
BC_OP int3 min(int3 a, int3 b) { return make_int3(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)); }
BC_OP int3 max(int3 a, int3 b) { return make_int3(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)); }
BC_OP int4 operator+(int4 a, int4 b) { return make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
BC_OP void operator+=(int4 &a, int4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
BC_OP int4 operator+(int4 a, int b) { return make_int4(a.x + b, a.y + b, a.z + b, a.w + b); }
BC_OP int4 operator+(int a, int4 b) { return make_int4(a + b.x, a + b.y, a + b.z, a + b.w); }
BC_OP void operator+=(int4 &a, int b) { a.x += b; a.y += b; a.z += b; a.w += b; }
BC_OP int4 operator-(int4 a, int4 b) { return make_int4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
BC_OP void operator-=(int4 &a, int4 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; a.w -= b.w; }
BC_OP int4 operator-(int4 a, int b) { return make_int4(a.x - b, a.y - b, a.z - b, a.w - b); }
BC_OP int4 operator-(int a, int4 b) { return make_int4(a - b.x, a - b.y, a - b.z, a - b.w); }
BC_OP void operator-=(int4 &a, int b) { a.x -= b; a.y -= b; a.z -= b; a.w -= b; }
BC_OP int4 operator*(int4 a, int4 b) { return make_int4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
BC_OP void operator*=(int4 &a, int4 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; a.w *= b.w; }
BC_OP int4 operator*(int4 a, int b) { return make_int4(a.x * b, a.y * b, a.z * b, a.w * b); }
BC_OP int4 operator*(int a, int4 b) { return make_int4(a * b.x, a * b.y, a * b.z, a * b.w); }
BC_OP void operator*=(int4 &a, int b) { a.x *= b; a.y *= b; a.z *= b; a.w *= b; }
BC_OP int4 operator/(int4 a, int4 b) { return make_int4(a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w); }
BC_OP void operator/=(int4 &a, int4 b) { a.x /= b.x; a.y /= b.y; a.z /= b.z; a.w /= b.w; }
BC_OP int4 operator/(int4 a, int b) { return make_int4(a.x / b, a.y / b, a.z / b, a.w / b); }
BC_OP int4 operator/(int a, int4 b) { return make_int4(a / b.x, a / b.y, a / b.z, a / b.w); }
BC_OP void operator/=(int4 &a, int b) { a.x /= b; a.y /= b; a.z /= b; a.w /= b; }
BC_OP int4 operator-(int4 a) { return make_int4(-a.x, -a.y, -a.z, -a.w); }
BC_OP int4 make_int4(int s) { return make_int4(s, s, s, s); }
BC_OP int dot(int4 a, int4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
BC_OP int4 min(int4 a, int4 b) { return make_int4(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w)); }
BC_OP int4 max(int4 a, int4 b) { return make_int4(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w)); }
BC_OP uint2 operator+(uint2 a, uint2 b) { return make_uint2(a.x + b.x, a.y + b.y); }
BC_OP void operator+=(uint2 &a, uint2 b) { a.x += b.x; a.y += b.y; }
BC_OP uint2 operator+(uint2 a, unsigned b) { return make_uint2(a.x + b, a.y + b); }
BC_OP uint2 operator+(unsigned a, uint2 b) { return make_uint2(a + b.x, a + b.y); }
BC_OP void operator+=(uint2 &a, unsigned b) { a.x += b; a.y += b; }
BC_OP uint2 operator-(uint2 a, uint2 b) { return make_uint2(a.x - b.x, a.y - b.y); }
BC_OP void operator-=(uint2 &a, uint2 b) { a.x -= b.x; a.y -= b.y; }
BC_OP uint2 operator-(uint2 a, unsigned b) { return make_uint2(a.x - b, a.y - b); }
BC_OP uint2 operator-(unsigned a, uint2 b) { return make_uint2(a - b.x, a - b.y); }
BC_OP void operator-=(uint2 &a, unsigned b) { a.x -= b; a.y -= b; }
BC_OP uint2 operator*(uint2 a, uint2 b) { return make_uint2(a.x * b.x, a.y * b.y); }
BC_OP void operator*=(uint2 &a, uint2 b) { a.x *= b.x; a.y *= b.y; }
BC_OP uint2 operator*(uint2 a, unsigned b) { return make_uint2(a.x * b, a.y * b); }
BC_OP uint2 operator*(unsigned a, uint2 b) { return make_uint2(a * b.x, a * b.y); }
BC_OP void operator*=(uint2 &a, unsigned b) { a.x *= b; a.y *= b; }
BC_OP uint2 operator/(uint2 a, uint2 b) { return make_uint2(a.x / b.x, a.y / b.y); }
BC_OP void operator/=(uint2 &a, uint2 b) { a.x /= b.x; a.y /= b.y; }
BC_OP uint2 operator/(uint2 a, unsigned b) { return make_uint2(a.x / b, a.y / b); }
BC_OP uint2 operator/(unsigned a, uint2 b) { return make_uint2(a / b.x, a / b.y); }
BC_OP void operator/=(uint2 &a, unsigned b) { a.x /= b; a.y /= b; }
BC_OP uint2 make_uint2(unsigned s) { return make_uint2(s, s); }
BC_OP unsigned dot(uint2 a, uint2 b) { return a.x * b.x + a.y * b.y; }
BC_OP uint2 min(uint2 a, uint2 b) { return make_uint2(min(a.x, b.x), min(a.y, b.y)); }
BC_OP uint2 max(uint2 a, uint2 b) { return make_uint2(max(a.x, b.x), max(a.y, b.y)); }
BC_OP uint3 operator+(uint3 a, uint3 b) { return make_uint3(a.x + b.x, a.y + b.y, a.z + b.z); }
BC_OP void operator+=(uint3 &a, uint3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
BC_OP uint3 operator+(uint3 a, unsigned b) { return make_uint3(a.x + b, a.y + b, a.z + b); }
BC_OP uint3 operator+(unsigned a, uint3 b) { return make_uint3(a + b.x, a + b.y, a + b.z); }
BC_OP void operator+=(uint3 &a, unsigned b) { a.x += b; a.y += b; a.z += b; }
BC_OP uint3 operator-(uint3 a, uint3 b) { return make_uint3(a.x - b.x, a.y - b.y, a.z - b.z); }
BC_OP void operator-=(uint3 &a, uint3 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; }
BC_OP uint3 operator-(uint3 a, unsigned b) { return make_uint3(a.x - b, a.y - b, a.z - b); }
BC_OP uint3 operator-(unsigned a, uint3 b) { return make_uint3(a - b.x, a - b.y, a - b.z); }
BC_OP void operator-=(uint3 &a, unsigned b) { a.x -= b; a.y -= b; a.z -= b; }
BC_OP uint3 operator*(uint3 a, uint3 b) { return make_uint3(a.x * b.x, a.y * b.y, a.z * b.z); }
BC_OP void operator*=(uint3 &a, uint3 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; }
BC_OP uint3 operator*(uint3 a, unsigned b) { return make_uint3(a.x * b, a.y * b, a.z * b); }
BC_OP uint3 operator*(unsigned a, uint3 b) { return make_uint3(a * b.x, a * b.y, a * b.z); }
BC_OP void operator*=(uint3 &a, unsigned b) { a.x *= b; a.y *= b; a.z *= b; }
BC_OP uint3 operator/(uint3 a, uint3 b) { return make_uint3(a.x / b.x, a.y / b.y, a.z / b.z); }
BC_OP void operator/=(uint3 &a, uint3 b) { a.x /= b.x; a.y /= b.y; a.z /= b.z; }
BC_OP uint3 operator/(uint3 a, unsigned b) { return make_uint3(a.x / b, a.y / b, a.z / b); }
BC_OP uint3 operator/(unsigned a, uint3 b) { return make_uint3(a / b.x, a / b.y, a / b.z); }
BC_OP void operator/=(uint3 &a, unsigned b) { a.x /= b; a.y /= b; a.z /= b; }
BC_OP uint3 make_uint3(unsigned s) { return make_uint3(s, s, s); }
BC_OP unsigned dot(uint3 a, uint3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
BC_OP uint3 min(uint3 a, uint3 b) { return make_uint3(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)); }
BC_OP uint3 max(uint3 a, uint3 b) { return make_uint3(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)); }
BC_OP uint4 operator+(uint4 a, uint4 b) { return make_uint4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
BC_OP void operator+=(uint4 &a, uint4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
BC_OP uint4 operator+(uint4 a, unsigned b) { return make_uint4(a.x + b, a.y + b, a.z + b, a.w + b); }
BC_OP uint4 operator+(unsigned a, uint4 b) { return make_uint4(a + b.x, a + b.y, a + b.z, a + b.w); }
BC_OP void operator+=(uint4 &a, unsigned b) { a.x += b; a.y += b; a.z += b; a.w += b; }
BC_OP uint4 operator-(uint4 a, uint4 b) { return make_uint4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
BC_OP void operator-=(uint4 &a, uint4 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; a.w -= b.w; }
BC_OP uint4 operator-(uint4 a, unsigned b) { return make_uint4(a.x - b, a.y - b, a.z - b, a.w - b); }
BC_OP uint4 operator-(unsigned a, uint4 b) { return make_uint4(a - b.x, a - b.y, a - b.z, a - b.w); }
BC_OP void operator-=(uint4 &a, unsigned b) { a.x -= b; a.y -= b; a.z -= b; a.w -= b; }
BC_OP uint4 operator*(uint4 a, uint4 b) { return make_uint4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
BC_OP void operator*=(uint4 &a, uint4 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; a.w *= b.w; }
BC_OP uint4 operator*(uint4 a, unsigned b) { return make_uint4(a.x * b, a.y * b, a.z * b, a.w * b); }
BC_OP uint4 operator*(unsigned a, uint4 b) { return make_uint4(a * b.x, a * b.y, a * b.z, a * b.w); }
BC_OP void operator*=(uint4 &a, unsigned b) { a.x *= b; a.y *= b; a.z *= b; a.w *= b; }
BC_OP uint4 operator/(uint4 a, uint4 b) { return make_uint4(a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w); }
BC_OP void operator/=(uint4 &a, uint4 b) { a.x /= b.x; a.y /= b.y; a.z /= b.z; a.w /= b.w; }
BC_OP uint4 operator/(uint4 a, unsigned b) { return make_uint4(a.x / b, a.y / b, a.z / b, a.w / b); }
BC_OP uint4 operator/(unsigned a, uint4 b) { return make_uint4(a / b.x, a / b.y, a / b.z, a / b.w); }
BC_OP void operator/=(uint4 &a, unsigned b) { a.x /= b; a.y /= b; a.z /= b; a.w /= b; }
BC_OP uint4 make_uint4(unsigned s) { return make_uint4(s, s, s, s); }
BC_OP unsigned dot(uint4 a, uint4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
BC_OP uint4 min(uint4 a, uint4 b) { return make_uint4(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w)); }
BC_OP uint4 max(uint4 a, uint4 b) { return make_uint4(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w)); }
BC_OP float lerp(float a, float b, float t) { return a + t * (b - a); }
BC_D inline float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
BC_OP int clamp(int f, int a, int b) { return max(a, min(f, b)); }
BC_OP unsigned clamp(unsigned f, unsigned a, unsigned b) { return max(a, min(f, b)); }
BC_OP float2 make_float2(float3 a) { return make_float2(a.x, a.y); }
BC_OP float2 make_float2(int2 a) { return make_float2(float(a.x), float(a.y)); }
BC_OP float3 make_float3(float2 a, float s) { return make_float3(a.x, a.y, s); }
BC_OP float3 make_float3(float4 a) { return make_float3(a.x, a.y, a.z); }
BC_OP float3 make_float3(int3 a) { return make_float3(float(a.x), float(a.y), float(a.z)); }
BC_OP float4 make_float4(float3 a) { return make_float4(a.x, a.y, a.z, 0.0f); }
BC_OP float4 make_float4(float3 a, float w) { return make_float4(a.x, a.y, a.z, w); }
BC_OP float4 make_float4(int4 a) { return make_float4(float(a.x), float(a.y), float(a.z), float(a.w)); }
BC_OP int3 make_int3(float3 a) { return make_int3(int(a.x), int(a.y), int(a.z)); }
BC_OP int2 make_int2(float2 a) { return make_int2(int(a.x), int(a.y)); }
BC_OP float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
