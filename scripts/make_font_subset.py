"""Make attn/figures/fonts/NotoSansSC-Regular.otf, the font that figures draw text in.

A copied snippet has to draw Chinese on a machine without any Chinese font, so the
package carries one: the characters below, cut from Noto Sans SC Regular (SIL Open
Font License 1.1). Run it in an environment of its own; the site never needs it:

    pip install fonttools==4.68.0 pylopdf-fonts-zh-cn==0.1.1
    python scripts/make_font_subset.py

With those versions the output is the same, byte for byte. What the font lacks
(subscripts such as U+2081, say) matplotlib takes from DejaVu Sans, its own font.
"""

from importlib import metadata, resources
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

SOURCE_PACKAGE = "pylopdf-fonts-zh-cn"
FONTS = Path(__file__).resolve().parents[1] / "attn" / "figures" / "fonts"

ASCII = "".join(map(chr, range(0x20, 0x7F)))
# Chinese punctuation, full-width ASCII, and the general punctuation prose uses.
PUNCTUATION = (
    "、。，．·：；？！…—–‘’“”《》〈〉「」『』【】〔〕（）［］｛｝｜％＋－＝／～"
    "\u00a0\u2002\u2003\u3000"
)
GREEK = "".join(map(chr, [*range(0x391, 0x3A2), *range(0x3A3, 0x3AA), *range(0x3B1, 0x3CA)]))
SIGNS = "→←↑↓↔⇒±−×÷·•√≤≥≠≈≡∞∑∏∂∈∥‖°′″¹²³½¼¾①②③④⑤⑥⑦⑧⑨⑩■□▲△▼▽▶▷◀◁◆◇●○✓"
# Words of this course that GB 2312 keeps in its second, rarer level.
EXTRA_HANZI = "熵懵"


def gb2312_level_1() -> str:
    """The 3,755 most used simplified characters: rows 16 to 55 of GB 2312."""
    characters = []
    for row in range(16, 56):
        last_cell = 89 if row == 55 else 94
        for cell in range(1, last_cell + 1):
            characters.append(bytes([row + 0xA0, cell + 0xA0]).decode("gb2312"))
    return "".join(characters)


def wanted() -> str:
    return ASCII + PUNCTUATION + GREEK + SIGNS + gb2312_level_1() + EXTRA_HANZI


def main() -> None:
    distribution = metadata.distribution(SOURCE_PACKAGE)
    source = resources.files("pylopdf_fonts_zh_cn") / "NotoSansSC-Regular.otf"
    font = TTFont(str(source), recalcTimestamp=False)

    text = wanted()
    missing = sorted(set(text) - set(map(chr, font.getBestCmap())))
    if missing:
        raise SystemExit(f"{source} has no glyph for {[f'U+{ord(c):04X}' for c in missing]}")

    options = subset.Options()
    # Vertical and language-dependent forms are never drawn; kerning is.
    options.layout_features = ["kern", "mark", "mkmk"]
    options.drop_tables += ["BASE", "DSIG", "VORG", "vhea", "vmtx"]
    options.hinting = False
    options.name_IDs = ["*"]
    cutter = subset.Subsetter(options)
    cutter.populate(text=text)
    cutter.subset(font)

    FONTS.mkdir(exist_ok=True)
    target = FONTS / "NotoSansSC-Regular.otf"
    font.save(target)

    licence = next(file for file in distribution.files if file.name == "LICENSE")
    copyright_line = font["name"].getDebugName(0)
    (FONTS / "OFL.txt").write_text(
        f"{copyright_line}\n{licence.read_text(encoding='utf-8')}", encoding="utf-8"
    )
    print(f"{target.name}: {len(set(text))} characters, {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
