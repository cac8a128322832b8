float4 k; int sel = 1; bool bb; float4x4 W;
float4 p0(float4 t : TEXCOORD0, uniform float q) : COLOR { return t * q * k * (k.x + 2); }
float4 v0(float4 p : POSITION, uniform bool on) : POSITION { if (on) return mul(p, W); return mul(p, transpose(W)) * sin(k.w); }
PixelShader ps_a = compile ps_2_0 p0(0.5); VertexShader vs_a = compile vs_2_0 v0(true);
PixelShader pa[3] = { compile ps_2_0 p0(1), compile ps_3_0 p0(k.x), compile ps_2_b p0(3) };
VertexShader va[2] = { compile vs_1_1 v0(true), compile vs_2_a v0(false) };
PixelShader empty; VertexShader evs;
technique T { pass A { VertexShader = (vs_a); PixelShader = (ps_a); } pass B { VertexShader = (va[sel]); PixelShader = (pa[sel + 1]); } pass C { VertexShader = NULL; PixelShader = NULL; } pass D { VertexShader = compile vs_3_0 v0(bb); PixelShader = compile ps_2_a p0(sel); } pass E { PixelShader = (pa[0]); VertexShader = <va[1]>; } pass F { PixelShader = (empty); } }
technique U { pass A { VertexShader = compile vs_2_0 v0(true); PixelShader = compile ps_2_0 p0(1); } }
