// For the DirectX Shader Compiler: ps_6_0 (main, -Zi -Zss -Qembed_debug), lib_6_3.
Texture2D colour : register(t0);
SamplerState point_wrap : register(s0);
RWBuffer<float> results : register(u0);

[RootSignature("CBV(b0), DescriptorTable(SRV(t0)), StaticSampler(s0)")]
float4 main(float2 uv : TEXCOORD) : SV_Target
{
    return colour.Sample(point_wrap, uv);
}

[shader("compute")]
[numthreads(1, 1, 1)]
void store()
{
    results[0] = 1;
}

export float twice(float x)
{
    return x * results[1];
}
