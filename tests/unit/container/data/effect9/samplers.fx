texture t0 < string file = "a.dds"; >; texture2D t1; textureCUBE t2; texture3D t3; texture1D t4; Texture t5;
float bias = 0.5; int aniso = 4; int filt = 2;
sampler s0 = sampler_state { Texture = (t0); MinFilter = LINEAR; MagFilter = (filt); MipMapLodBias = (bias * 2); MaxAnisotropy = (aniso); BorderColor = 0xff00ff00; AddressU = Wrap; AddressV = Clamp; SRGBTexture = TRUE; MaxMipLevel = 1; };
sampler2D sarr[2] = { sampler_state { Texture = (t1); }, sampler_state { Texture = <t0>; MinFilter = Anisotropic; } };
sampler s9; samplerCUBE sc < string u = "env"; > = sampler_state { Texture = <t2>; };
sampler1D s1d = sampler_state { texture = NULL; };
sampler3D s3d = sampler_state { Texture = <t3>; ElementIndex = 2; DMapOffset = 3; };
float4 ps(float4 u : TEXCOORD0) : COLOR { return tex2D(s0,u.xy)+tex2D(sarr[0],u.xy)+tex2D(sarr[1],u.xy)+tex2D(s9,u.xy)+texCUBE(sc,u.xyz)+tex1D(s1d,u.x)+tex3D(s3d,u.xyz); }
technique T { pass P { PixelShader = compile ps_2_0 ps(); Sampler[0] = (s0);  Texture[2] = (t0); Texture[3] = NULL; MinFilter[0] = POINT; BorderColor[1] = float4(1,0,0,1); } }
