// A child effect: what is shared lies in an effect pool.
shared cbuffer Pool { float4 pf = { 1, 2, 3, 4 }; int pi : SEM = 3; }
shared tbuffer Texels { float4 q; }
shared Texture2D ptex; shared Texture2D parr[3] : TS; shared SamplerState ps; shared BlendState pb; shared RasterizerState pr;
shared DepthStencilState pd; shared RenderTargetView pv; shared DepthStencilView pdv;
float4 own = 1; SamplerState s { MipLODBias = pf.x; Texture = ptex; };
float4 vs(float4 p : POSITION) : SV_Position { return p * pf * own + parr[1].SampleLevel(s, p.xy, 0); }
technique10 { pass { SetVertexShader(CompileShader(vs_4_0, vs())); SetBlendState(pb, pf, pi); SetDepthStencilState(pd, pi + 1); } }
