// Minimum precision in all positions: operands, results, constants, indices, arrays, conditions.
cbuffer K : register(b0) { min16float4 scale; min16uint2 shift; min16int bias; };
StructuredBuffer<float4> Src : register(t0);
RWStructuredBuffer<float4> Dst : register(u0);
[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    min16float4 v = (min16float4)Src[id.x];
    min16uint n = (min16uint)id.x;
    min16float table[4];
    [unroll] for (int i = 0; i < 4; i++) table[i] = v[i] * scale.x;
    table[n & 3] += scale.y;
    min16int whole = (min16int)(v.x * 100) + bias;
    min10float small = (min10float)v.y;
    if (small > (min10float)0.25) whole = -whole;
    min16float sum = table[(n + 1) & 3];
    [loop] for (min16uint k = 0; k < n; k++) sum = sum * (min16float)0.5 + v.z;
    Dst[id.x] = float4(sum, whole, (n << shift.x) >> shift.y, small * scale.w + table[n & 3]);
}
