// Shaders in variables, arrays and passes, with stream output, interfaces and tessellation.
interface ILight { float4 get(); };
class Sun : ILight { float4 c; float4 get() { return c; } };
cbuffer Lights { Sun sun; Sun suns[2]; };
ILight pair[2] = { sun, suns[1] }; ILight one = sun; ILight none <string s = "note";>;
RWStructuredBuffer<float4> data; RWTexture2D<float4> image; AppendStructuredBuffer<float2> list; ByteAddressBuffer raw;
int which;
struct V { float4 p : SV_Position; float2 t : TEXCOORD; };
V vs(float4 p : POSITION) { V v; v.p = p; v.t = p.xy; return v; }
float4 ps(ILight a, ILight b) : SV_Target { return a.get() + b.get(); }
[numthreads(4, 1, 1)] void cs(uint3 id : SV_DispatchThreadID) { data[id.x] = 1; }
struct G0 { float4 p : SV_Position; }; struct G1 { float2 t : TEXCOORD; };
[maxvertexcount(3)] void gs(point V i[1], inout PointStream<G0> s, inout PointStream<G1> s1) { G0 g; g.p = i[0].p; s.Append(g); G1 h; h.t = i[0].t; s1.Append(h); }
VertexShader v4 = CompileShader(vs_4_0, vs()); VertexShader old = CompileShader(vs_4_0_level_9_1, vs()); VertexShader no <int i = 1;> = NULL;
PixelShader bound[2] = { BindInterfaces(CompileShader(ps_5_0, ps()), suns[1], pair[1]), NULL };
GeometryShader out1 = ConstructGSWithSO(CompileShader(vs_5_0, vs()), "SV_Position.xyzw");
GeometryShader out2 = ConstructGSWithSO(CompileShader(gs_5_0, gs()), "0:SV_Position.xyzw", "1:TEXCOORD.xy", NULL, "", -1);
technique11 First <int i = 1;> { pass P <int i = 2;> { SetComputeShader(CompileShader(cs_5_0, cs())); SetVertexShader(v4); SetGeometryShader(out2); SetHullShader(NULL); SetDomainShader(NULL); }
    pass { SetPixelShader(bound[which]); } pass { SetPixelShader(BindInterfaces(CompileShader(ps_5_0, ps()), sun, one)); SetDepthStencilState(NULL, which + 1); } }
fxgroup Group <string g = "group";> { technique11 { pass { SetGeometryShader(ConstructGSWithSO(CompileShader(vs_5_0, vs()), "TEXCOORD.xy")); } } technique10 { pass { SetVertexShader(no); } } }
fxgroup Other { technique11 { pass {} } }
