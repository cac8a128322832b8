interface IOp { uint apply(uint v); uint two(uint v); };
class A : IOp { uint pad; uint apply(uint v) { return v + 3; } uint two(uint v) { return 2; } };
class B : IOp { uint pad; uint apply(uint v) { [loop] for (uint i=0;i<v;i++) v ^= i*7; if (v == 5) return 99; return v * 5; } uint two(uint v) { return v; }};
A a[2]; B b; IOp o1; IOp m[3]; 
RWStructuredBuffer<uint> Dst : register(u0);
[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 g : SV_GroupID)
{
    uint v = o1.apply(id.x) + m[g.x % 3].apply(id.x) * 100;
    if (id.x & 1) v += m[1].two(id.x) * 10000 + o1.two(4);
    Dst[id.x] = v;
}
