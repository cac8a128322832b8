"""Rules about programs: ports, flow, what registers hold, phases, pairs, outputs, slots."""

from __future__ import annotations

from softd3d.isa.sm1.validate.rule import error, warning

__all__ = ["PROGRAM_RULES"]

_PREDICATES = (
    error(
        "PRED-001",
        "Arithmetic and texture instructions are predicated, others not.",
        "Predicate Register",
        "X5357 X5665 X5670 X5675",
    ),
    error(
        "PRED-002",
        "A predicate is p0, negated or not.",
        "Predicate Register",
        "X5662 X5666 X5671 X5676",
    ),
    error(
        "PRED-003",
        "A predicate's swizzle is .xyzw or one component.",
        "Predicate Register",
        "X5663 X5667 X5672 X5677",
    ),
    error("PRED-004", "In vs_2_x p0 is set before it decides.", "Predicate Register", "X5368"),
)

_PORTS = (
    error(
        "PORT-001",
        "No more registers of a file are read than it has ports.",
        "Registers",
        "X5049 X5050 X5134 X5135 X5212 X5213 X5345 X5346 X5392 X5393 X5583 X5584 X5751 X5752",
    ),
    error(
        "PORT-002",
        "ps_2_0, ps_2_x and vs_2_x read constants twice at most.",
        "Registers",
        "X5366 X6038",
    ),
    error(
        "PORT-003",
        "All constants of an instruction have _abs or none.",
        "abs modifier",
        "X6045 X6046",
    ),
    error(
        "PORT-004",
        "A vector and the matrix are not both constants or both inputs.",
        "m4x4",
        "X5347 X5348 X5394 X5395 X5571 X5572 X5753 X5754 X6017 X6018",
    ),
    error(
        "PORT-005",
        "A pair reads three registers of a file at most.",
        "Co-issue",
        "X5051 X5052 X5400",
    ),
)

_FLOW = (
    error(
        "FLOW-001",
        "else, endif, endloop and endrep belong to the innermost block.",
        "Flow control",
        "X5494 X5497 X5506 X5831 X5832 X5836 X5837 X5838 X5839 X5840 X5841 X5842 X5895 X5898 X5901",
    ),
    error("FLOW-002", "An if has one else.", "else", "X5893 X5896 X5899 X5902"),
    error("FLOW-003", "break stands in a loop or rep.", "break", "X5894 X5897 X5900 X5903"),
    error(
        "FLOW-004",
        "Each block is ended.",
        "Flow control",
        "X5507 X5904 X5905 X5906 X5907 X5908 X5909 X5910",
    ),
    error("FLOW-005", "ret stands outside all blocks.", "ret", "X5495 X5833 X5834 X5835"),
    error("FLOW-006", "A call is of a label further on.", "call", "X5492 X5824 X5825 X5826"),
    error("FLOW-007", "A label follows ret.", "label", "X5489 X5496 X5813 X5816"),
    error(
        "FLOW-008",
        "After ret comes a label or the end.",
        "ret",
        "X5497 X5499 X5841 X5842 X5881 X5882 X5883",
    ),
    error(
        "FLOW-009",
        "Blocks of a kind nest as deep as the version allows.",
        "Flow Control Limitations",
        "X5493 X5575 X5827 X5829 X5830 X5846 X5847 X5849 X5854 X5856 X5858 X5865 X5868 "
        "X5871 X5876 X5878 X6048 X6050 X6055",
    ),
    error(
        "FLOW-010",
        "Calls nest as deep as the version allows.",
        "Flow Control Limitations",
        "X5843 X5851 X5861 X5873",
    ),
    error("FLOW-011", "A label is there once.", "label", "X5491 X5821 X5822 X5823"),
    error("FLOW-012", "A label is called.", "label", "X5504 X5887 X5888 X5889"),
    error("FLOW-013", "A subroutine ends with ret.", "ret", "X5505 X5890 X5891 X5892"),
    error(
        "FLOW-014",
        "Gradients of an r# are not taken under dynamic conditions.",
        "Flow control, dsx, texld",
        "X6077 X6078",
    ),
    error("FLOW-015", "A label that is called is there.", "call", "X5503 X5884 X5885 X5886"),
    error(
        "FLOW-016",
        "vs_2_0 and vs_2_x have 16 static blocks and calls at most.",
        "Flow Control Limitations",
        "X5520",
    ),
    error(
        "FLOW-017",
        "Conditions, counts and labels are registers of their kinds.",
        "Flow control",
        "X5514 X5515 X5914 X5916 X5917 X5918 X5919 X5920 X5921 X5922 X5923 X5924 X5925 "
        "X5926 X5927 X5928 X5929 X5930 X5931 X5932 X5933 X5934 X5935 X5936 X5937 X5938 "
        "X5939 X5940",
    ),
)

_DATA = (
    error(
        "DATA-001",
        "ps_1_x, ps_2_0 and vs_1_1 write what they read.",
        "Registers",
        "X5036 X5119 X5120 X5121 X5204 X5205 X5326",
    ),
    error(
        "DATA-002",
        "An input that is read is declared.",
        "dcl",
        "X5326 X5546 X5702 X5703 X5984 X5985 X6063",
    ),
    error("DATA-003", "A sampler is declared.", "dcl", "X5203 X5576 X5577"),
    error("DATA-004", "An output of vs_3_0 is declared.", "dcl", "X5704"),
    error(
        "DATA-005",
        "ps_1_1 does not negate what it has saturated.",
        "Source Register Modifiers",
        "X5028",
    ),
    warning(
        "DATA-006",
        "What _bias, 1- or the weight of lrp reads is saturated.",
        "Source Register Modifiers",
        "X5029 X5030 X5062 X5522 X5524",
    ),
)

_TEXTURES = (
    error(
        "TEX-001", "Texture instructions precede arithmetic.", "Texture instructions", "X5055 X5141"
    ),
    error(
        "TEX-002", "Texture instructions write a t# before ps_1_4.", "Texture instructions", "X5040"
    ),
    error(
        "TEX-003",
        "A stage is used once, in ps_1_4 once a phase.",
        "Texture instructions",
        "X5053 X5140",
    ),
    error("TEX-004", "Stages are used in order.", "Texture instructions", "X5054"),
    error("TEX-005", "The rows of a matrix product follow one another.", "texm3x3tex", "X5057"),
    error(
        "TEX-006",
        "The rows of a matrix product use successive t# and one source.",
        "texm3x3tex",
        "X5058",
    ),
    error("TEX-007", "A matrix product has all rows.", "texm3x3tex", "X5056"),
    error(
        "TEX-008",
        "What texkill and the rows of a product leave in t# is not read.",
        "texkill",
        "X5031 X5039",
    ),
    error(
        "TEX-009",
        "Texture reads depend on one another twice at most.",
        "Texture instructions",
        "X5035",
    ),
    error("TEX-010", "No texture instruction reads what texbem has sampled.", "texbem", "X5032"),
    error("TEX-011", "What texbem has read is read by texbem only.", "texbem", "X5034"),
    error(
        "TEX-012",
        "A texture instruction does not read what its block has written.",
        "texld",
        "X5122",
    ),
    error(
        "TEX-013",
        "After texdepth r5 is not used.",
        "texdepth",
        "X5122 X5153",
    ),
    error(
        "TEX-014",
        "Texture reads of ps_2_0 are dependent of the third order at most.",
        "texld",
        "X5775",
    ),
)

_PHASES = (
    error("PHASE-001", "There is one phase marker.", "phase", "X5142"),
    error(
        "PHASE-002",
        "v#, _dz, texkill and texdepth stand after a phase marker, if there is one.",
        "phase",
        "X5143 X5144 X5145 X5154",
    ),
    error("PHASE-003", "bem does not follow the phase marker.", "bem", "X5147"),
)

_PAIRS = (
    error(
        "PAIR-001",
        "A co-issued instruction follows arithmetic.",
        "Co-issue",
        "X5068 X5069 X5071 X5080 X5081 X5082 X5083 X5084 X5158 X5159 X5163 X5172 X5173 X5174 X5383",
    ),
    error("PAIR-002", "Two instructions are co-issued, not more.", "Co-issue", "X5070 X5161"),
    error(
        "PAIR-003",
        "nop, dp4, bem and phase are not co-issued.",
        "Co-issue",
        "X5071 X5072 X5073 X5074 X5159 X5162 X5164 X5165 X5166",
    ),
    error(
        "PAIR-004",
        "One of a pair writes colour, the other one alpha.",
        "Co-issue",
        "X5078 X5080 X5081 X5082 X5083 X5084 X5172 X5173 X5174 X5175",
    ),
    error(
        "PAIR-005",
        "A co-issued dot product writes colour.",
        "Co-issue",
        "X5075 X5076 X5077 X5078 X5079 X5167 X5168 X5169 X5170 X5171",
    ),
)

_OUTPUTS = (
    error(
        "OUT-001",
        "A register of one component is not written by an instruction of vectors.",
        "Output Registers",
        "X5436 X5441 X5482 X5484 X5758",
    ),
    error(
        "OUT-002",
        "What goes to a register of one component is one component.",
        "Output Registers",
        "X5398 X5414 X5430 X5776 X6062",
    ),
    error(
        "OUT-003",
        "A register of one component is written under one component of p0.",
        "Output Registers",
        "X6068 X6069 X6070",
    ),
    error(
        "OUT-004",
        "oC# and oDepth of ps_2_x are written by mov.",
        "Output Color Register",
        "X5406 X5412",
    ),
    error(
        "OUT-005",
        "oC# and oDepth of ps_2_x get plain registers.",
        "Output Color Register",
        "X5201 X5407 X5408 X5413",
    ),
    error("OUT-006", "vs_1_1 writes all of oPos.", "Position Register", "X5350 X5351"),
    error("OUT-007", "vs_1_1 writes oT# without gaps.", "Texture Coordinate Output", "X5427"),
    error("OUT-008", "ps_2_0 writes oC0.", "Output Color Register", "X5405"),
    error("OUT-009", "ps_2_0 writes oC# without gaps.", "Output Color Register", "X5573"),
    error("OUT-010", "ps_1_x writes r0.", "Temporary Register", "X5090 X5183 X5185"),
    error("OUT-011", "ps_2_0 writes oC# and oDepth once.", "Output Color Register", "X5411 X5416"),
)

_LIMITS = (
    error(
        "LIM-001",
        "A program uses no more slots than the version has.",
        "Instructions",
        "X5088 X5089 X5179 X5181 X5234 X5349 X5607 X5617 X5755",
    ),
)

PROGRAM_RULES = (
    *_PREDICATES,
    *_PORTS,
    *_FLOW,
    *_DATA,
    *_TEXTURES,
    *_PHASES,
    *_PAIRS,
    *_OUTPUTS,
    *_LIMITS,
)
