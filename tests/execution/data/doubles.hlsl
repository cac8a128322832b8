// Doubles in every kind of code: loops, arrays with computed indices, group-shared memory, choices.
StructuredBuffer<uint4> Src : register(t0);
struct Res { uint4 dot; uint4 root; uint4 picked; uint4 table; uint4 shared_; int4 whole; };
RWStructuredBuffer<Res> Dst : register(u0);
groupshared uint2 Kept[16];
uint2 split(double d) { uint lo, hi; asuint(d, lo, hi); return uint2(lo, hi); }
double join(uint2 v) { return asdouble(v.x, v.y); }
[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint n : SV_GroupIndex)
{
    uint4 s = Src[id.x];
    double a = join(s.xy), b = join(s.zw);
    Kept[n] = split(a);
    double table[4];
    table[0] = a; table[1] = -b; table[2] = abs(a); table[3] = a + b;
    Res r;
    double2 v = double2(a, b), w = v.yx * v;
    r.dot = uint4(split(fma(a, b, w.x)), split(w.x - w.y / v.x));
    double x = 1.0; // Newton's method: x = (x + |b| / x) / 2
    [loop] for (uint k = 0; k < (id.x & 7); k++) x = (x + abs(b) / x) * 0.5;
    r.root = uint4(split(x), split(rcp(x)));
    bool2 less = v < v.yx;
    double2 chosen = less ? v : v.yx + 1.0;
    r.picked = uint4(split(chosen.x), split(chosen.y));
    table[(id.x + 1) & 3] = x;
    r.table = uint4(split(table[id.x & 3]), split(table[(id.x >> 2) & 3]));
    GroupMemoryBarrierWithGroupSync();
    double left = join(Kept[(n + 15) & 15]);
    r.shared_ = uint4(split(max(left, a)), split(min(left, a)));
    r.whole = int4((int)a, (int)(uint)b, asint((float)a), a != left);
    if (a > b) r.whole.w += 10;
    if (!(a <= left)) r.whole.w += 100;
    Dst[id.x] = r;
}
