struct In { float a; int b[3]; float3x4 m; }; struct Out { In x; In y[2]; bool f; float4 v : VSEM; };
Out g; Out ga[2]; In h = { 1, {2,3,4}, {1,2,3,4,5,6,7,8,9,10,11,12} }; row_major float4x3 rm; column_major float2x4 cm[3]; float1x1 f11; float1 f1; int3 i3 = {1,2,3}; bool2 b2 = {true,false}; float arr[5] = {1,2,3,4,5}; float4 va[2] = { {1,2,3,4},{5,6,7,8} };
float4 ps() : COLOR { return g.x.a + ga[1].y[1].m[2] + h.b[1] + rm[0].xyzx + cm[2][1] + f11 + f1 + i3.xyzx + b2.x + arr[4] + va[1]; }
technique T { pass P { PixelShader = compile ps_3_0 ps(); } }
