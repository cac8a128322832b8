// Two passes: a dark hull drawn from behind, then steps of light; both culled.
float4x4 WorldViewProjection : WORLDVIEWPROJECTION; float Width = 0.05; float3 LightDirection; float Steps = 4; float4 Ink = {0.1, 0.05, 0.2, 1};
float4 hull(float4 p : POSITION, float3 n : NORMAL) : POSITION { return mul(float4(p.xyz + n * Width, 1), WorldViewProjection); }
float4 ink() : COLOR { return Ink; }
void vs(float4 p : POSITION, float3 n : NORMAL, out float4 o : POSITION, out float3 m : TEXCOORD0) { o = mul(p, WorldViewProjection); m = n; }
float4 ps(float3 n : TEXCOORD0) : COLOR { float l = saturate(dot(normalize(n), normalize(LightDirection))); return float4(lerp(float3(0.2, 0.3, 0.6), float3(0.9, 0.95, 0.6), floor(l * Steps) / (Steps - 1)), 1); }
technique Toon { pass Hull { CullMode = CW; VertexShader = compile vs_2_0 hull(); PixelShader = compile ps_2_0 ink(); } pass Steps { CullMode = CCW; VertexShader = compile vs_2_0 vs(); PixelShader = compile ps_2_a ps(); } }
