class Base { float3 color; bool on; };
class Middle : Base { float4 ground; };
class Leaf : Middle { float2 up; };
Leaf light; Leaf lights[2]; float after;
float4 main(uint i : I) : SV_Target { return lights[i].ground + light.up.xyxy + float4(lights[i].color, after) * light.on; }
