struct In { float4 pos : SV_Position; min16float4 a : A; min10float b : B; min16int c : C; nointerpolation min16uint2 d : D; };
struct Out { min16float4 color : SV_Target1; min16uint k : SV_Target3; uint depth : SV_Coverage; };
Out main(In i) { Out o; o.color = i.a * i.b + i.c; o.k = (min16uint)i.d.y; o.depth = 3; return o; }
