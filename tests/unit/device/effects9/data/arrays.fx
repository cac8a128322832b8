float4 ca[3] = {{1,2,3,4},{5,6,7,8},{9,10,11,12}}; float fa[2] = {1,2};
technique T { pass P { PixelShaderConstantF[2] = <ca>; PixelShaderConstantF[16] = (fa); } }
