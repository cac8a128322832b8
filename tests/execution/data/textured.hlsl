// A class with objects, of which the program has no instance: it declares none of its registers.
interface IColor { float4 at(float x); };
class Plain : IColor { float4 color; float4 at(float x) { return color * x; } };
class Textured : IColor
{
    Texture2D<float4> texels; SamplerState state; float4 scale;
    float4 at(float x) { return texels.SampleLevel(state, float2(x, 0.5), 0) * scale; }
};
cbuffer Data { Plain plain; };
#ifdef DECLARED
cbuffer More { Textured textured; };
#endif
IColor color;
RWStructuredBuffer<float4> Dst;
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { Dst[id.x] = color.at(id.x * 0.25); }
