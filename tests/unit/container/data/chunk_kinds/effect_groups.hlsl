// What only fx_5_0 has: groups, interfaces, classes, unordered access views, compute shaders.
interface ILight { float3 shade(float3 n); };
class Sun : ILight { float3 colour; float3 shade(float3 n) { return colour * n; } };
cbuffer Lights { Sun sun; };
ILight chosen[2];
RWStructuredBuffer<float3> data;

[numthreads(8, 1, 1)] void cs_main(uint3 id : SV_DispatchThreadID)
{
    data[id.x] = chosen[1].shade(data[id.x]);
}

fxgroup g
{
    technique11 t
    {
        pass p
        {
            SetComputeShader(CompileShader(cs_5_0, cs_main()));
        }
    }
}
