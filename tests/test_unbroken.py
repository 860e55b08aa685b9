"""What a line must not break is kept together, and nothing else is touched."""

import pytest
from unbroken import unbroken


def kept(text: str) -> str:
    return f'<span class="attn-unbroken">{text}</span>'


@pytest.mark.parametrize(
    "text",
    [
        "[1.5, 0.75]",
        "[−0.3, 0.05]",
        "[10/7, 6/7]",
        "(1, 0, 1)",
        "（1, 0, 1）",
        "[0.25, 0.375, 0.375]",
        "[11.8%, 52.4%]",
        "3.5 GiB",
        "64 MiB",
        "chapter 05",
        "Lab 3",
        "第 05 章",
    ],
)
@pytest.mark.parametrize("around", ["<p>gives {}.</p>", "<td>{}</td>", '<a href="../05/">{}</a>'])
def test_stays_on_one_line(text, around):
    assert unbroken(around.format(text)) == around.format(kept(text))


@pytest.mark.parametrize(
    "page",
    [
        "<p>A plain sentence (with a comma, in brackets).</p>",
        "<p>(1, 2 and then words)</p>",
        "<p>[0.52, −0.42, 0.13, −0.17, 0.96]</p>",  # too long for a phone
        "<p><code>[1, 2]</code></p>",
        '<pre class="a"><code><span>x = [1, 2]</span>\n</code></pre>',
        '<p><span class="arithmatex">\\([1, 2]\\)</span></p>',
        '<svg><title>chapter 05</title><path d="M(1, 2)"/></svg>',
        '<head><title>Lab 3: masks</title></head><p title="[1, 2]">x</p>',
        '<img alt="a > b, then [1, 2]" src="a.png">',
        "<script>const a = [1, 2]</script><!-- [1, 2] -->",
    ],
)
def test_is_left_alone(page):
    assert unbroken(page) == page


def test_two_rows_in_one_sentence_are_two():
    page = "<p>from [1.5, 0.75] to [1.2, 1.2]</p>"
    assert unbroken(page) == f"<p>from {kept('[1.5, 0.75]')} to {kept('[1.2, 1.2]')}</p>"
