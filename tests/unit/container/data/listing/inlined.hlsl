struct Light { float3 color; float range[2]; };
StructuredBuffer<Light> lights; RWStructuredBuffer<float4> target; uint count;
float bounded(float x, inout float2 sum) { float t = x * 2; sum += t; [branch] if (t > 3) { t = sin(t); sum.x = t; } return t + sum.y; }
#line 40 "shade.hlsli"
float3 shade(Light l, float x) { float2 sum = l.range[1]; float r = bounded(x, sum); r += bounded(l.color.y, sum); return l.color * r; }
[numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID)
{
    float3 all = 0;
    [loop] for (uint i = 0; i < count; i++) { Light l = lights[i + id.x]; if (l.range[0] < 1) all += shade(l, i); else all = all.zxy; }
    target[id.x] = float4(all, 1);
}
