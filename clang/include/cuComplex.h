#pragma once
typedef float2 cuFloatComplex, cuComplex;
typedef double2 cuDoubleComplex;
