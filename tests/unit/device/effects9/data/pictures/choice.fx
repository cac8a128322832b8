// A shader and a sampler are chosen from arrays by a parameter.
int Quality = 1; float Level = 0.4; texture One; texture Two;
sampler2D S = sampler_state { Texture = <One>; MinFilter = LINEAR; MagFilter = POINT; AddressU = MIRROR; AddressV = CLAMP; }; sampler2D N = sampler_state { Texture = <Two>; MinFilter = LINEAR; MagFilter = LINEAR; };
float4x4 WorldViewProjection;
void vs(float4 p : POSITION, float2 u : TEXCOORD0, out float4 o : POSITION, out float2 v : TEXCOORD0) { o = mul(p, WorldViewProjection); v = u; }
float4 low(float2 u : TEXCOORD0) : COLOR { return tex2D(S, u * 2); } float4 middle(float2 u : TEXCOORD0) : COLOR { return tex2D(S, u * 2) * tex2D(N, u * 3 + Level).bgra; } float4 high(float2 u : TEXCOORD0) : COLOR { float4 c = 0; for (int i = 0; i < 8; i++) c += tex2D(S, u + Level * i * 0.05) * (i % 2 ? 0.3 : 0.05); return c; }
PixelShader Levels[3] = { compile ps_2_0 low(), compile ps_2_0 middle(), compile ps_3_0 high() }; VertexShader Vertices[2] = { compile vs_2_0 vs(), compile vs_3_0 vs() };
technique Choice { pass P { VertexShader = (Vertices[Quality > 1]); PixelShader = (Levels[Quality]); AlphaRef = (Level * 255); } }
