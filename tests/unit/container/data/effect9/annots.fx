float4 a : SEM < string n = "x"; float4 c = {1,2,3,4}; int i = 3; bool b = true; float3x3 m = {1,2,3,4,5,6,7,8,9}; > = {1,2,3,4};
string s1 = "hello"; string s2; string sa[2] = {"one","two"};
technique T < string tn = "tech"; float v = 2; > { pass P < string pn = "pass"; int z = 5; > { ZEnable = TRUE; } pass < float q = 1; > { } }
technique { pass { FillMode = WIREFRAME; } }
