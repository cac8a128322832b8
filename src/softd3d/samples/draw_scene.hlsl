// Spheres on a floor: instanced, textured, lit, with soft shadows and fog. Entry points: vs, ps.
#define SPHERES 7
cbuffer Scene : register(b0)
{
    row_major float4x4 viewProjection; // for row vectors
    float3 eye;
    float3 light; // towards it
    float3 fog;
    float4 spheres[SPHERES]; // centre and radius, also of what casts shadows
};
Texture2D tiles : register(t0);
SamplerState tilesSampler : register(s0);

struct Vertex
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    float2 uv : TEXCOORD;
    float4 place : PLACE; // of the instance: offset and scale
    float4 color : COLOR; // of the instance; alpha: how much it shines
};
struct Fragment
{
    float4 clip : SV_Position;
    float3 world : POSITION;
    float3 normal : NORMAL;
    float2 uv : TEXCOORD;
    nointerpolation float4 color : COLOR;
};

Fragment vs(Vertex v)
{
    Fragment f;
    f.world = v.position * v.place.w + v.place.xyz;
    f.clip = mul(float4(f.world, 1), viewProjection);
    f.normal = v.normal;
    f.uv = v.uv;
    f.color = v.color;
    return f;
}

float3 sky(float3 direction)
{
    float up = saturate(direction.y);
    return lerp(fog, float3(0.09, 0.2, 0.5), sqrt(up));
}

float4 ps(Fragment f) : SV_Target
{
    float3 n = normalize(f.normal);
    float3 toEye = eye - f.world;
    float range = length(toEye);
    float3 v = toEye / range;
    float lit = saturate(dot(n, light)), open = 1;
    [loop] for (uint i = 0; i < SPHERES; i++)
    {
        float3 to = spheres[i].xyz - f.world;
        float radius = spheres[i].w;
        float along = dot(to, light), across = sqrt(max(dot(to, to) - along * along, 0));
        lit *= lerp(1, smoothstep(0.8 * radius, 1.15 * radius, across), saturate(4 * along));
        float distance2 = dot(to, to);
        float facing = saturate(dot(n, to) * rsqrt(distance2));
        open *= 1 - facing * saturate(radius * radius / distance2) * 0.8;
    }
    float3 albedo = f.color.rgb * tiles.Sample(tilesSampler, f.uv).rgb;
    float3 color = albedo * (lit * float3(1.5, 1.35, 1.1) + open * float3(0.22, 0.27, 0.36));
    float grazing = pow(1 - saturate(dot(n, v)), 5);
    float highlight = pow(saturate(dot(n, normalize(v + light))), 160);
    float shine = f.color.a * lerp(0.06, 1, grazing);
    color = lerp(color, sky(reflect(-v, n)) * open, shine) + 4 * f.color.a * lit * highlight;
    color = lerp(fog, color, exp2(-0.0022 * range * range));
    return float4(color, 1);
}
