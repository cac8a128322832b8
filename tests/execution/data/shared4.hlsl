// Group-shared memory as shader model 4 has it: each thread writes its own element, reads any; one UAV.
ByteAddressBuffer Src : register(t0);
RWByteAddressBuffer Dst : register(u0);
struct E { uint a; uint2 b; };
groupshared E Kept[40];
[numthreads(40, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint n : SV_GroupIndex)
{
    uint v = Src.Load(id.x * 4);
    Kept[n].a = v;
    Kept[n].b = uint2(v * 3, v ^ n);
    GroupMemoryBarrierWithGroupSync();
    uint sum = 0;
    [loop] for (uint k = 0; k <= n; k += 3) sum += Kept[k].a + Kept[n - k].b.y;
    sum += Kept[v % 40].b.x;
    GroupMemoryBarrierWithGroupSync();
    Kept[n].a = sum;
    GroupMemoryBarrierWithGroupSync();
    Dst.Store2(id.x * 8, uint2(sum, Kept[39 - n].a));
}
