"""HLSL and listings given to verbs that want compiled shaders: what they are, and what to do."""

import pytest


@pytest.mark.parametrize(
    "arguments",
    [
        ["info", "FILE"],
        ["dis", "FILE"],
        ["dis", "--exact", "FILE"],
        ["reflect", "FILE"],
        ["dxbc", "list", "FILE"],
        ["dxbc", "extract", "FILE", "SHEX"],
        ["effect", "list", "FILE"],
        ["run", "FILE", "--groups", "1"],
    ],
    ids=" ".join,
)
def test_text_is_named(cli, library, arguments):
    (library / "blur.hlsl").write_text("float4 main() : SV_Target { return 1; }")
    (library / "blur.asm").write_text("ps_2_0\nmov oC0, c0\n")
    result = cli(*("blur.hlsl" if a == "FILE" else a for a in arguments))
    assert result.exit_code == 2
    assert result.output.startswith("softd3d: blur.hlsl: found HLSL source, wanted ")
    assert "compile it first, with `fxc /T ps_5_0 " in result.output
    assert "vkd3d-compiler" in result.output
    result = cli(*("blur.asm" if a == "FILE" else a for a in arguments))
    assert result.exit_code == 2
    assert result.output.startswith("softd3d: blur.asm: found assembler text, wanted ")
    assert "`softd3d as`" in result.output


def test_val_checks_listings_and_names_hlsl(cli, library):
    (library / "blur.hlsl").write_text("float4 main() : SV_Target { return 1; }", "utf-16")
    result = cli("val", "blur.hlsl")
    assert result.exit_code == 2
    assert "it is HLSL source; compile it first" in result.output
