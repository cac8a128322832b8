// The fixed function: two lights, a material, fog, and two texture stages; expressions for all of it.
float Time = 0.4; float4 Key = {1, 0.8, 0.5, 1}; texture Base; float4x4 View : VIEW; float4x4 Projection : PROJECTION; bool Foggy = true;
technique Fixed { pass P { VertexShader = NULL; PixelShader = NULL; Lighting = TRUE; NormalizeNormals = TRUE; SpecularEnable = TRUE; Ambient = 0xff202030;
 MaterialDiffuse = {0.9, 0.9, 0.9, 1}; MaterialAmbient = {1, 1, 1, 1}; MaterialSpecular = {0.6, 0.6, 0.6, 1}; MaterialPower = (8.0 + Time * 50);
 LightType[0] = DIRECTIONAL; LightDiffuse[0] = (Key); LightSpecular[0] = {1, 1, 1, 1}; LightDirection[0] = {0.3, -0.5, 0.8}; LightEnable[0] = TRUE;
 LightType[1] = POINT; LightDiffuse[1] = {0.2, 0.4, 1, 1}; LightPosition[1] = {-2, -1, -1}; LightRange[1] = 10; LightAttenuation1[1] = 0.4; LightEnable[1] = TRUE;
 Texture[0] = <Base>; ColorOp[0] = MODULATE; ColorArg1[0] = TEXTURE; ColorArg2[0] = DIFFUSE; AlphaOp[0] = SELECTARG1; AlphaArg1[0] = TEXTURE; ColorOp[1] = ADDSIGNED; ColorArg1[1] = CURRENT; ColorArg2[1] = TFACTOR; AlphaOp[1] = DISABLE; TextureFactor = 0xff907f70; ColorOp[2] = DISABLE;
 FogEnable = (Foggy); FogColor = 0xff8090a0; FogVertexMode = LINEAR; FogStart = (2.0 + Time); FogEnd = 6; } }
