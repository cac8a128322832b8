cbuffer C { float4 k; };
export float4x4 mixed(row_major float2x3 a, float3x2 b, nointerpolation uint u, bool c : FLAG, out int2 d : SOMETHING3, inout float3 z : COLOR2) { d = c ? int2(u, 1) : 2; z += k.xyz; return a[0][0] + b[1][0]; }
export void nothing() {}
export float half_way(min16float h, float2 to) { return (h + to.y) * 0.5; }
