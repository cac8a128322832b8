// An array of structures and a loop whose count is a constant register (ps_3_0).
struct Light { float3 position; float range; float4 color; bool on; }; Light Lights[4]; int Count = 3; float4x4 World; float4x4 ViewProjection;
void vs(float4 p : POSITION, float3 n : NORMAL, out float4 o : POSITION, out float3 m : TEXCOORD0, out float3 w : TEXCOORD1) { float4 q = mul(p, World); o = mul(q, ViewProjection); m = mul(n, (float3x3)World); w = q.xyz; }
float4 ps(float3 n : TEXCOORD0, float3 w : TEXCOORD1) : COLOR { float4 c = 0.05; n = normalize(n); for (int i = 0; i < Count; i++) { float3 d = Lights[i].position - w; float f = saturate(1 - length(d) / Lights[i].range); if (Lights[i].on) c += Lights[i].color * saturate(dot(n, normalize(d))) * f; } return c; }
technique Lit { pass P { VertexShader = compile vs_3_0 vs(); PixelShader = compile ps_3_0 ps(); } }
