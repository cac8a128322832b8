// Variables of all types with initial values and annotations.
struct S { float a; float3 b; int c; };
struct T { S s; float2x2 m; bool q; };
int i1 = 10000; int i2 = 10001; int i3 = -10001; int i4 = -2147483648; int ia[3] = { 9999, -1, 65536 };
uint u1 = 10000; uint u2 = 4294967295; bool b1 = true; bool3 b2 = { true, false, true };
float f1 = -0.0; float f2 = 1e38; float f3 = 1.0 / 3; float f4 = 1e-45; float f5 = 1.#INF; float f6 = -1.#IND;
float f7 = 123456789; float1 f8 = 3; float1x1 f9 = 4;
float4 same = 1; float4 zero = 0; float2 pairs[2] = { 1, 2, 1, 2 }; float3 ones[2] = { 1, 1, 1, 1, 1, 1 };
float2x3 m1 = { 1, 2, 3, 4, 5, 6 }; row_major float2x3 m2[2] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
float3x2 m3 = { 1, 2, 3, 4, 5, 6 }; bool2x2 m4 = { true, false, false, true }; float4x4 m5 = 1;
S s1 = { 1, { 2, 3, 4 }, 5 }; T t1 = { { 1, { 2, 3, 4 }, 5 }, { 6, 7, 8, 9 }, true }; S s2[2]; int none : SEMANTIC;
float4 noted : TINT <string name = "note"; string two[2] = { "a", "b" }; float4x4 m = 1; S s = { 1, 2, 3, 4, 5 }; int i = 7;> = { 1, 2, 3, 4 };
float a_name_that_fills_col; float a_name_that_fills_columns_234;
cbuffer Packed : register(b2) <string title = "";>
{
    float4 x : packoffset(c2) = { 1, 2, 3, 4 };
    float2 y : packoffset(c1.z) : YSEM <int q = 1;>;
};
tbuffer Texels : register(t5) { float4 t0[2]; };
string text = "tab\tand \"quotes\"\n"; string texts[2] = { "one", "two" };
Texture2D colour <int slot = 1;>; texture old; Texture2D several[4] : SEVERAL; TextureCube cube; Texture1DArray lines;
Texture2DMS<float4, 4> samples; Buffer<float4> elements;
RenderTargetView target; RenderTargetView targets[2]; DepthStencilView depth;
technique10 { pass {} }
technique10 Named <string why = "test";> { pass First <float f = 2;> { OMSetRenderTargets(targets[1], NULL, target, depth); } }
