// Compiled by d3dcompiler_33 (9.16, no field for sample frequency), _36 (every variable has 1
// element) and _40 (9.24, a beta of shader model 5) and _47
struct S { float4 a; int3 b; float m[1]; };
cbuffer A { float4 c; S s; float4x3 mat; bool unused; float d; float4 one[1]; float4 two[2]; }
float4 main(float4 v : TEXCOORD) : SV_Target { return c * s.a + v * d + mul(c, mat).xyzz + one[0] + two[1]; }
