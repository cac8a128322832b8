// Variables with the names of registers that they are not in.
StructuredBuffer<uint> t0 : register(t1);
StructuredBuffer<uint> t1 : register(t0);
RWStructuredBuffer<uint> u1 : register(u0);
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { u1[id.x] = t0[id.x] * 10 + t1[id.x]; }
