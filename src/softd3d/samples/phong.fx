// Light per pixel, with a texture; half the light comes from a preshader.
float4x4 World : WORLD; float4x4 ViewProjection : VIEWPROJECTION; float3 Eye : EYEPOSITION; float3 LightDirection;
float4 Tint < string UIName = "tint"; > = {1, 0.9, 0.7, 1}; float Shine = 40; float Gain = 0.5;
texture Diffuse; sampler2D Map = sampler_state { Texture = <Diffuse>; MinFilter = LINEAR; MagFilter = LINEAR; MipFilter = LINEAR; };
struct V { float4 p : POSITION; float2 u : TEXCOORD0; float3 n : TEXCOORD1; float3 w : TEXCOORD2; };
V vs(float4 p : POSITION, float3 n : NORMAL, float2 u : TEXCOORD0) { V o; float4 w = mul(p, World); o.p = mul(w, ViewProjection); o.u = u * float2(2, 1); o.n = mul(n, (float3x3)World); o.w = w.xyz; return o; }
float4 ps(float2 u : TEXCOORD0, float3 n : TEXCOORD1, float3 w : TEXCOORD2) : COLOR { n = normalize(n); float3 l = normalize(LightDirection), h = normalize(l + normalize(Eye - w)); return tex2D(Map, u) * Tint * (0.15 + saturate(dot(n, l)) * Gain * 2) + pow(saturate(dot(n, h)), Shine) * 0.6; }
technique Phong { pass P { VertexShader = compile vs_2_0 vs(); PixelShader = compile ps_2_0 ps(); ZEnable = TRUE; CullMode = CCW; } }
