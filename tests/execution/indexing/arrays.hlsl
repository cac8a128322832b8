// Arrays of every kind of resource, indexed by a number of each thread and by one of all threads.
// fxc /T cs_5_1 /E main /enable_unbounded_descriptor_tables arrays.hlsl
struct Params { uint4 v[3]; };
struct All { uint one; };
StructuredBuffer<uint> which : register(t0);
RWStructuredBuffer<uint4> result : register(u0);
ConstantBuffer<All> all : register(b0);

Texture2D<float4> tex[6] : register(t2);
Texture2D<float4> far[] : register(t2, space7);
ByteAddressBuffer raw[5] : register(t3, space1);
ConstantBuffer<Params> cbs[4] : register(b2, space4);
RWByteAddressBuffer outs[] : register(u3, space3);
RWTexture2D<float4> images[3] : register(u4);

[numthreads(37, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint i = id.x, n = which[i], at = i * 10;
    int3 place = int3(i & 3, i >> 2 & 1, 0);
    uint2 size;
    uint levels;
    result[at + 0] = asuint(tex[n].Load(place));
    result[at + 1] = asuint(tex[all.one].Load(place));
    result[at + 2] = asuint(far[n].Load(place));
    result[at + 3] = asuint(far[all.one + 1].Load(place));
    tex[n].GetDimensions(1, size.x, size.y, levels);
    result[at + 4] = uint4(size, levels, 0);
    result[at + 5] = raw[n].Load4(i * 4);
    result[at + 6] = cbs[n].v[i % 3];
    result[at + 7] = cbs[all.one].v[i % 4];
    uint old, bytes;
    outs[n].InterlockedAdd(4 * (i & 1), i + 1, old);
    outs[n].GetDimensions(bytes);
    result[at + 8] = uint4(old, bytes, images[n].Load(place.xy).x * 255, 0);
    images[n][uint2(i & 7, 2 + (i >> 3))] = float4(i, i + 1, i + 2, i + 3) / 255;
    result[at + 9] = outs[all.one].Load(8);
}
