// Buffers, objects, states, annotations, and shaders inline, named, repeated and null.
cbuffer Frame : register(b0)
{
    float4 tint < string note = "annotated"; > = float4(1, 0.5, 0.25, 1);
    float weights[2] = { 1, 2 };
};
Texture2D colour;
SamplerState linear_clamp { Filter = MIN_MAG_MIP_LINEAR; AddressU = CLAMP; };
DepthStencilState depth_off { DepthEnable = FALSE; };
BlendState blend { BlendEnable[0] = TRUE; SrcBlend = SRC_ALPHA; };
RasterizerState raster { CullMode = NONE; };
string title = "an effect";

float4 vs_main(float4 p : POSITION) : SV_Position
{
    return p * weights[1];
}

float4 ps_main(float4 p : SV_Position) : SV_Target
{
    return colour.Sample(linear_clamp, p.xy) * tint;
}

PixelShader shared_ps = CompileShader(ps_4_0, ps_main());

technique10 first
{
    pass draw < int order = 1; >
    {
        SetVertexShader(CompileShader(vs_4_0, vs_main()));
        SetGeometryShader(NULL);
        SetPixelShader(shared_ps);
        SetBlendState(blend, float4(0, 0, 0, 0), 0xffffffff);
        SetDepthStencilState(depth_off, 0);
        SetRasterizerState(raster);
    }
}
