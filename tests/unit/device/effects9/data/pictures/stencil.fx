// The first pass marks a disc in the stencil, the second draws where it is, the third where not.
float4x4 WorldViewProjection; float Radius = 0.55;
void vs(float4 p : POSITION, float2 u : TEXCOORD0, out float4 o : POSITION, out float2 v : TEXCOORD0) { o = mul(p, WorldViewProjection); v = u; }
float4 disc(float2 u : TEXCOORD0) : COLOR { clip(Radius * 0.5 - length(u - 0.5)); return 0; }
float4 inner(float2 u : TEXCOORD0) : COLOR { return float4(u, 1, 1); } float4 outer(float2 u : TEXCOORD0) : COLOR { return float4(0.9, 0.8, 0.2, 1) * frac(u.x * 8); }
technique Stencil { pass Mark { VertexShader = compile vs_2_0 vs(); PixelShader = compile ps_2_0 disc(); ColorWriteEnable = 0; ZWriteEnable = FALSE; StencilEnable = TRUE; StencilFunc = ALWAYS; StencilPass = REPLACE; StencilRef = 1; } pass Inner { PixelShader = compile ps_2_0 inner(); ColorWriteEnable = RED | GREEN | BLUE | ALPHA; StencilFunc = EQUAL; StencilPass = KEEP; } pass Outer { PixelShader = compile ps_2_0 outer(); StencilFunc = NOTEQUAL; } }
