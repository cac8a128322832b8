interface IOp { uint apply(uint a); };
class Add: IOp { uint k; uint apply(uint a){ return a+k; } };
class Mul: IOp { uint k; uint apply(uint a){ return a*k; } };
class Nop: IOp { uint apply(uint a){ return a; } };
cbuffer C { Add add; Mul mul; Add addb; }; Nop nop; IOp ops[4]; RWStructuredBuffer<uint> o; cbuffer N{uint n,base;}
[numthreads(32,1,1)] void main(uint3 t:SV_DispatchThreadID){ uint v=t.x; for(uint i=0;i<n;i++) v=ops[(i+base)&3].apply(v); o[t.x]=v; }