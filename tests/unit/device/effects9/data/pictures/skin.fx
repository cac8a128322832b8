// A palette of bones, indexed by the vertices; the bones are set by name.
float4x4 WorldViewProjection; float4x3 Bones[4]; float3 LightDirection;
void vs(float4 p : POSITION, float3 n : NORMAL, float4 w : BLENDWEIGHT, int4 i : BLENDINDICES, float4 c : COLOR, out float4 o : POSITION, out float4 d : COLOR) { float3 q = 0, m = 0; for (int k = 0; k < 4; k++) { q += w[k] * mul(p, Bones[i[k]]); m += w[k] * mul(n, (float3x3)Bones[i[k]]); } o = mul(float4(q, 1), WorldViewProjection); d = c * (0.3 + saturate(dot(normalize(m), LightDirection))); }
technique Skin { pass P { VertexShader = compile vs_2_0 vs(); PixelShader = NULL; ColorOp[0] = SELECTARG1; ColorArg1[0] = DIFFUSE; AlphaOp[0] = SELECTARG1; AlphaArg1[0] = DIFFUSE; ColorOp[1] = DISABLE; } }
