// Subroutines, and switches that fall through, as the compiler writes them.
StructuredBuffer<uint> Src : register(t0);
RWStructuredBuffer<uint> Dst : register(u0);
static uint total;
void deep(uint v) { if (v == 3) return; total = total * 3 + v; }
void early(uint v) { for (uint i = 0; i < v; i++) { if (i == 4) return; total += i; } total ^= 0x100; }
[numthreads(32, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint v = Src[id.x];
    total = v;
    [call] switch (v & 7)
    {
    case 0: early(v); break;
    case 1: case 2: deep(v & 3); early(6); break;
    case 5: { [call] switch (v >> 3) { case 0: deep(7); break; case 1: total = 9; break; default: early(v); break; } deep(v); } break;
    default: deep(3); total += 11; break;
    case 7: total = 77; break;
    }
    [loop] for (uint k = 0; k < 4; k++)
    {
        [forcecase] switch ((v + k) & 3)
        {
        case 2: case 0: total += 1000; break;
        case 1: total = total * 5 + k; break;
        default: if (total & 1) { total += 7; } else { total ^= 0x55; } break;
        }
        total += k;
        if (total % 13 == 5) break;
    }
    Dst[id.x] = total;
}
