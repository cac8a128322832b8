// A child effect (flags2 3: child, slow operations): what its pool shares, and expressions.
shared cbuffer Pool { float4 a; float b = 2; };
shared Texture2D pooled;
float bias : BIAS;
int choice;
SamplerState s { MipLODBias = bias * 2; MaxLOD = bias; };
VertexShader none[2] = { NULL, NULL };

technique10 t
{
    pass p
    {
        SetVertexShader(none[choice]);
    }
    pass q
    {
        SetVertexShader(none[1]);
    }
}
