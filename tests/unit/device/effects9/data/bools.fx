int n; bool b; bool b2; int n2;float4 k;
float4 vs(float4 p:POSITION) : POSITION { float4 c = p; if (b && b2) c *= 2;  if (!b) c+=k.y; if (n > 2) c.x += 1; return c; }
float4 vs2(float4 p:POSITION) : POSITION { float4 c = p;  for (int i = 0; i < n; i++) c += k; if (!b) c+=k.y; return c; }
float4 vs3(float4 p:POSITION) : POSITION { float4 c = p; if (b) c *= dot(p,k);  if (b2) c= sin(c);  return c; }
technique T { pass P { VertexShader = compile vs_2_0 vs(); }  pass P2 { VertexShader = compile vs_3_0 vs2(); } pass P3 { VertexShader = compile vs_2_0 vs3(); } }
