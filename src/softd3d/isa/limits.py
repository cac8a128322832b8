"""What Direct3D 11 has at most, whatever the program: resources, slots, samplers, dispatches.

`isa/sm4/limits.py` and `isa/sm1/limits.py` have what programs of a shader model may use. Bounds of
our own, such as sizes of files and budgets, stand where they are used.
Spec: D3D11.3 section 21 (System Limits on Various Resources) and 26 (constants, named D3D11_...).
"""

from __future__ import annotations

__all__ = [
    "MAX_ANISOTROPY",
    "MAX_CONSTANT_BUFFER_SLOTS",
    "MAX_CONSTANT_VECTORS",
    "MAX_DISPATCH_GROUPS",
    "MAX_MIP_LEVELS",
    "MAX_RENDER_TARGETS",
    "MAX_RESOURCE_SLOTS",
    "MAX_SAMPLER_SLOTS",
    "MAX_STRUCTURE_STRIDE",
    "MAX_TEXTURE_EXTENTS",
    "MAX_TEXTURE_SLICES",
    "MAX_UAV_SLOTS",
    "MAX_UAV_SLOTS_11_0",
    "MIP_LOD_BIAS",
    "SAMPLE_COUNTS",
]

# Resources

MAX_TEXTURE_EXTENTS = {1: 16384, 2: 16384, 3: 2048}
"""Texels along an axis of a texture of so many axes; faces of cubes are as 2D textures.

REQ_TEXTURE1D_U_DIMENSION, REQ_TEXTURE2D_U_OR_V_DIMENSION, REQ_TEXTURE3D_U_V_OR_W_DIMENSION.
"""
MAX_TEXTURE_SLICES = 2048  # faces too; REQ_TEXTURE1D_, REQ_TEXTURE2D_ARRAY_AXIS_DIMENSION
MAX_MIP_LEVELS = max(MAX_TEXTURE_EXTENTS.values()).bit_length()  # REQ_MIP_LEVELS
SAMPLE_COUNTS = (1, 2, 4, 8, 16, 32)  # MAX_MULTISAMPLE_SAMPLE_COUNT
MAX_STRUCTURE_STRIDE = 2048  # bytes; REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES
MAX_CONSTANT_VECTORS = 4096  # of 16 bytes, in a buffer; REQ_CONSTANT_BUFFER_ELEMENT_COUNT

# Slots of a stage

MAX_CONSTANT_BUFFER_SLOTS = 14  # COMMONSHADER_CONSTANT_BUFFER_API_SLOT_COUNT
MAX_RESOURCE_SLOTS = 128  # COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT
MAX_SAMPLER_SLOTS = 16  # COMMONSHADER_SAMPLER_SLOT_COUNT
MAX_UAV_SLOTS = 64  # of feature level 11.1; D3D11_1_UAV_SLOT_COUNT
MAX_UAV_SLOTS_11_0 = 8  # of feature level 11.0; PS_CS_UAV_REGISTER_COUNT
MAX_RENDER_TARGETS = 8  # SIMULTANEOUS_RENDER_TARGET_COUNT

# Sampler states

MAX_ANISOTROPY = 16  # MAX_MAXANISOTROPY
MIP_LOD_BIAS = (-16.0, 15.99)  # MIP_LOD_BIAS_MIN, MIP_LOD_BIAS_MAX

# Dispatches

MAX_DISPATCH_GROUPS = 65535  # along an axis; CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION
