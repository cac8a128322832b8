// Classes with textures and samplers, an array of interfaces, ten choices for a slot.
interface Shade { float4 at(float2 uv); };
class Flat : Shade { float4 color; float4 at(float2 uv) { return color; } };
class Picture : Shade { Texture2D image; SamplerState how; float4 at(float2 uv) { return image.Sample(how, uv); } };
class C2 : Flat { float4 at(float2 uv) { return color * 2; } };
class C3 : Flat { float4 at(float2 uv) { return color * 3; } };
class C4 : Flat { float4 at(float2 uv) { return color * 4; } };
class C5 : Flat { float4 at(float2 uv) { return color * 5; } };
class C6 : Flat { float4 at(float2 uv) { return color * 6; } };
class C7 : Flat { float4 at(float2 uv) { return color * 7; } };
class C8 : Flat { float4 at(float2 uv) { return color * 8; } };
class C9 : Flat { float4 at(float2 uv) { return color * 9; } };
Flat flats[2]; Picture picture; C2 c2; C3 c3; C4 c4; C5 c5; C6 c6; C7 c7; C8 c8; C9 c9;
Shade one; Shade many[3];
float4 main(float2 uv : TEXCOORD, nointerpolation uint n : N) : SV_Target { return one.at(uv) + many[n].at(uv.yx); }
