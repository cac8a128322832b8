"""Rules about single instructions: tokens, declarations, parameters."""

from __future__ import annotations

from softd3d.isa.sm1.validate.rule import HEADER, error, warning

__all__ = ["OPERAND_RULES"]

_TOKENS = (
    error(
        "TOK-001",
        "An opcode exists in the program's stage and version.",
        "Instructions",
        "X2023 X5190 X5655",
    ),
    error("TOK-002", "The comparison of if, break and setp is defined.", HEADER),
    error("TOK-003", "texld is plain, projected or biased.", HEADER),
    error("TOK-004", "Only pixel shaders co-issue instructions.", "Co-issue", "X2027"),
    warning("TOK-005", "Bits without a meaning are as tools write them.", HEADER),
    error("TOK-006", "Operands fill the instruction's length.", HEADER),
)

_DECLARATIONS = (
    error(
        "DCL-001",
        "dcl, def, defi and defb precede all other instructions.",
        "dcl, def",
        "X5063 X5155 X5215 X5297 X5337 X5378 X5623 X5729 X5730 X6020",
    ),
    error(
        "DCL-002",
        "Inputs, samplers and, in vs_3_0, outputs are declared.",
        "dcl",
        "X5217 X5299 X5487 X5626 X5627",
    ),
    error(
        "DCL-003",
        "A register or, in 3.0, a component is declared once.",
        "dcl",
        "X5219 X5301 X5487 X5630 X5632 X5633 X5769 X5771",
    ),
    error(
        "DCL-004",
        "A declaration's mask is one that its register can have.",
        "dcl",
        "X5220 X5424 X5487 X5631 X5770 X5800",
    ),
    error(
        "DCL-005",
        "Only pixel shader inputs are declared with _pp or _centroid.",
        "dcl",
        "X5280 X5487 X5968 X5969",
    ),
    error(
        "DCL-006",
        "A usage can be declared for this register.",
        "dcl",
        "X5487 X5537 X5971 X5972 X5973 X5974 X5975 X5976 X5977 X5978 X5979 X5982",
    ),
    error("DCL-007", "A usage and index are declared once.", "dcl", "X5304 X5637 X5638 X5639"),
    error(
        "DCL-008",
        "A sampler is 2d, cube or volume.",
        "dcl",
        "X5221 X5487 X5585 X5586",
    ),
    error(
        "DCL-009", "An output psize0 has no mask, a tessfactor0 the mask x.", "dcl", "X5980 X5981"
    ),
    error(
        "DCL-010", "All usages of an input are at the centroid or none is.", "dcl", "X6067 X6072"
    ),
    warning(
        "DCL-011",
        "A vertex shader has dcl; those of Direct3D 8 have none, and Direct3D 9 refuses them.",
        "dcl",
        "X5326",
    ),
)

_DEFINITIONS = (
    error(
        "DEF-001",
        "def, defi and defb define a whole c#, i# or b#.",
        "def, defi, defb",
        "X5064 X5156 X5223 X5338 X5379 X5563 X5587 X5732 X5733 X5734 X5735 X5736 X6011 X6012",
    ),
    error(
        "DEF-002",
        "A constant is defined once, but for c# of vertex shaders.",
        "def, defi, defb",
        "X5224 X5588 X5590 X5591 X5592 X5594 X5595 X5596 X5599 X5600",
    ),
    error(
        "DEF-003",
        "A count of rounds is 0 to 255, in software versions not negative.",
        "loop, rep",
        "X5555 X5556 X5990 X5991 X5992 X5995 X5998 X6001",
    ),
    error(
        "DEF-004",
        "aL begins at 0 to 255 and takes steps of -128 to 127.",
        "loop",
        "X5558 X5560 X6004 X6005 X6006 X6007",
    ),
    error(
        "DEF-005",
        "Numbers of an i# without a meaning are 0.",
        "loop, rep",
        "X5993 X5996 X5999 X6002",
    ),
)

_REGISTERS = (
    error(
        "REG-001",
        "A register's number is one that the version has.",
        "Registers",
        "X2005 X5361 X5682 X5819",
    ),
    error(
        "REG-002",
        "A source is a register that can be read.",
        "Registers",
        "X5015 X5112 X5199 X5316 X5679 X5680 X5681",
    ),
    error("REG-003", "vFace is compared, or the condition of cmp.", "Face Register", "X5692"),
    error(
        "REG-004",
        "Coordinates, samplers, gradients and operands of bem are of their kinds.",
        "Texture instructions",
        "X5013 X5014 X5098 X5099 X5149 X5150 X5192 X5193 X5523 X5525 X5526 X5527 X5528 X5529",
    ),
    error(
        "REG-005",
        "A destination is a register that can be written.",
        "Registers",
        "X5037 X5123 X5206 X5330 X5578 X5715 X5718",
    ),
    error(
        "REG-006",
        "a0 is written by mova only, in vs_1_1 by mov.",
        "mova",
        "X5329 X5372 X5711 X5712 X5713",
    ),
    error(
        "REG-007", "p0 is written by setp only.", "setp_comp", "X5373 X5714 X5716 X5717 X5719 X5720"
    ),
    error(
        "REG-008",
        "crs, lrp, nrm, pow and sincos write an r#.",
        "crs, lrp, nrm, pow, sincos",
        "X5451 X5464 X5465 X5467 X5469 X5785 X5791 X5792 X5796 X6075 X6076",
    ),
    error("REG-009", "All rows of a matrix are registers that exist.", "m4x4", "X5565 X5684"),
)

_ADDRESSES = (
    error(
        "REL-001",
        "Only some registers are indexed, by a0 or aL.",
        "Registers",
        "X2005 X5475 X5728 X5804 X5962 X5963 X5964",
    ),
    error("REL-002", "An index is one component of a0.", "Address Register", "X5804"),
    error(
        "REL-003",
        "aL is used inside a loop.",
        "Loop Counter Register",
        "X5370 X5705 X5706 X5707 X5708",
    ),
    error(
        "REL-004",
        "An instruction indexes the registers of a file in one way.",
        "Registers",
        "X5341 X5342 X5343 X5388 X5389 X5390 X5739 X5740 X5741 X5743 X5744 X5745 X5747 X5748 X5749",
    ),
)

_MODIFIERS = (
    error(
        "MOD-001",
        "A source modifier exists in the version.",
        "Source Register Modifiers",
        "X2029 X5025 X5097 X5115 X5201 X5322 X5364 X5539 X5697 X5698",
    ),
    error(
        "MOD-002",
        "Constants have no modifiers in ps_1_x.",
        "Source Register Modifiers",
        "X5097 X5539",
    ),
    error(
        "MOD-003",
        "An operand that takes no modifier has none.",
        "Source Register Modifiers",
        "X5017 X5018 X5019 X5020 X5061 X5106 X5197 X5201 X5230 X5321 X5363 X5364 X5462 "
        "X5472 X5559 X5561 X5564 X5566 X5689 X5690 X5693 X5694 X5695 X5696 X5697 X5698 "
        "X5799 X6064 X6079",
    ),
    error(
        "MOD-004",
        "A result is saturated only where version and opcode can.",
        "Instruction Modifiers",
        "X5042 X5043 X5128 X5129 X5270 X5508 X5509 X5510 X5511 X5512 X5722 X5911 X5912 X6061 X6066",
    ),
    error(
        "MOD-005",
        "_pp is for pixel shaders since 2.0, _centroid for declarations.",
        "Instruction Modifiers",
        "X2024",
    ),
    error(
        "MOD-006",
        "A result is shifted in ps_1_x only, by as much as the version can.",
        "Instruction Modifiers",
        "X5045",
    ),
    error(
        "MOD-007",
        "_dz is for r#, _dw for t# read as .xyw.",
        "texld, texcrd",
        "X5101 X5103 X5104 X5105",
    ),
    error("MOD-008", "_dz occurs twice at most.", "texld", "X5117"),
)

_SWIZZLES = (
    error(
        "SWZ-001",
        "A scalar operand selects one component.",
        "Source Register Selectors",
        "X5229 X5422 X5461 X5466 X5485 X5519 X5605 X5793 X5794 X5795 X5941 X5944 X5946 "
        "X5949 X5952 X5955 X5957 X5960 X5961",
    ),
    error(
        "SWZ-002",
        "An operand that takes no swizzle has none.",
        "Source Register Swizzling",
        "X5013 X5021 X5198 X5231 X5327 X5367 X5419 X5453 X5463 X5472 X5567 X5640 X5641 "
        "X5762 X5787 X5799 X5942 X5947 X5953 X5958",
    ),
    error(
        "SWZ-003",
        "A swizzle exists in the version.",
        "Source Register Swizzling",
        "X5026 X5027 X5107 X5108 X5109 X5116 X5202",
    ),
    error(
        "SWZ-004",
        "A t# of ps_1_4 is always read with the same components.",
        "texld, texcrd",
        "X5111",
    ),
)

_MASKS = (
    error("MASK-001", "Something is written.", "Destination Register Write Mask", "X5377"),
    error(
        "MASK-002",
        "A write mask is one that the instruction can have.",
        "Destination Register Write Mask",
        "X5041 X5046 X5066 X5125 X5126 X5127 X5148 X5194 X5208 X5209 X5328 X5340 X5410 "
        "X5420 X5450 X5454 X5477 X5478 X5530 X5545 X5568 X5580 X5763 X5773 X5784 X5788 "
        "X5807 X5983 X6014",
    ),
)

_OPERATIONS = (
    error(
        "OP-001",
        "A destination is none of the sources that must be kept.",
        "crs, lrp, nrm, pow, sincos, m4x4, cmp, dp4",
        "X5024 X5225 X5335 X5336 X5418 X5421 X5423 X5449 X5452 X5455 X5456 X5457 X5479 "
        "X5480 X5569 X5570 X5604 X5761 X5764 X5765 X5766 X5767 X5768 X5783 X5786 X5789 "
        "X5790 X5808 X5809 X6015 X6016",
    ),
    error("OP-002", "The condition of cnd before ps_1_4 is r0.a.", "cnd", "X5059"),
    error("OP-003", "bem and texdepth occur once.", "bem, texdepth", "X5146 X5151"),
    error("OP-004", "texdepth uses r5.", "texdepth", "X5152"),
    error(
        "OP-005",
        "The constants of sincos are two different c#.",
        "sincos",
        "X5226 X5227 X5228 X5458 X5459 X5460",
    ),
    error(
        "OP-006", "The scratch registers of sgn are two other r#.", "sgn", "X5470 X5471 X5797 X5798"
    ),
)

OPERAND_RULES = (
    *_TOKENS,
    *_DECLARATIONS,
    *_DEFINITIONS,
    *_REGISTERS,
    *_ADDRESSES,
    *_MODIFIERS,
    *_SWIZZLES,
    *_MASKS,
    *_OPERATIONS,
)
