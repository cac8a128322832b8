struct T { float3 p; uint k; };
StructuredBuffer<T> sb; RWStructuredBuffer<T> rw; AppendStructuredBuffer<T> ap; ConsumeStructuredBuffer<T> co; ByteAddressBuffer ba; RWByteAddressBuffer o; Buffer<float4> tb; RWBuffer<uint> tu; RWTexture2D<float> t2; Texture2DMS<float4,4> ms; Texture2D tx; RWStructuredBuffer<uint> ru; Texture2DArray<uint2> ta; 
groupshared T g[64]; groupshared uint gu[32]; SamplerState s;
[numthreads(32,1,1)] void main(uint3 t : SV_DispatchThreadID, uint i : SV_GroupIndex) {
 T x = sb[t.x]; x.p += rw[t.x].p; g[i] = x; gu[i] = ba.Load(t.x*4) + o.Load(8+t.x*4); 
 GroupMemoryBarrierWithGroupSync(); T y = g[i^1]; uint q; InterlockedAdd(gu[t.y], 3, q); o.InterlockedMax(16, q); InterlockedOr(tu[t.x], 5u); InterlockedAdd(ru[3], q); 
 y.p += tb[t.x].xyz + t2[t.xy].xxx + ms.Load(t.xy, 1).xyz + tx.SampleLevel(s, t.xy, 0).xyz + ta.Load(int4(t,0)).x; t2[t.xy]=y.p.x; o.Store(t.x*16, y.k); ap.Append(y); T z = co.Consume(); z.k=gu[t.z]; rw[t.y] = z; tu[t.x] = q;
 uint w,h,l; ta.GetDimensions(w,h,l); rw[w].k = h; uint n, st; sb.GetDimensions(n,st); rw[n].k=st; o.GetDimensions(n); rw[n].k=2; uint dm; tb.GetDimensions(dm); rw[dm].k=3;}
