float q; int n; bool b; float4 k; float4 z[3];
float4 ps(float2 u : TEXCOORD0) : COLOR { float4 c = 0; for (int i = 0; i < n * 2; i++) c += u.xyxy * i; if (b) c *= 2; if (q > 2) c += 1; return c * (k.x * k.y + 3) + z[1] * (q*2); }
technique T { pass P { PixelShader = compile ps_3_0 ps(); } }
