"""The KV cache calculator (chapter 11): its bytes are those of attn.models."""

from dataclasses import replace

import pytest
from elements import LANGUAGES, PHONE, address, open_element

from attn import models

NAME = "cache-size"
SMALL, LARGE = models.QWEN3_0_6B, models.QWEN2_5_7B
LENGTH = 32_768


def products(element):
    """The numbers of both products: factors and what they make."""
    return [
        line.locator("b").all_inner_texts() for line in element.root.locator(".attn-cache-size-product").all()
    ]


def bars(element):
    rows = element.root.locator(".attn-cache-size-bars tr")
    return rows.evaluate_all("rows => rows.map((row) => [row.cells[0].innerText, row.cells[2].innerText])")


def lengths(element):
    return element.root.locator(".attn-cache-size-bars div").evaluate_all("bars => bars.map((bar) => bar.offsetWidth)")


def field(element, number):
    return element.root.locator("input[type=number]").nth(number)


def expected(shape, number=2, length=LENGTH):
    rate = shape.cache_bytes_per_token(bytes_per_number=number)
    factors = [2, shape.n_layers, shape.n_kv_heads, shape.head_dim, number, rate]
    return [[f"{factor:,}" for factor in factors], [f"{rate:,}", f"{length:,}", f"{rate * length:,}"]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_models_of_the_figure(site, used_tab, language):
    element = open_element(used_tab(viewport=PHONE), address(site, NAME, language), NAME)
    rate, total = expected(SMALL)
    assert products(element) == [rate, [*total, "3.5 GiB"]]
    assert total[0] == "114,688"
    element.pick("model", 1)
    rate, total = expected(LARGE)
    assert products(element) == [rate, [*total, "1.75 GiB"]]
    assert [size for _, size in bars(element)] == ["3.5 GiB", "1.75 GiB", "1.75 GiB"]
    element.announced(total[2])


def test_a_kv_head_for_every_query_head(site, used_tab):
    """As the chapter computes: seven times as much."""
    element = open_element(used_tab(), address(site, NAME, "en"), NAME)
    element.pick("model", 1)
    field(element, 1).fill("28")
    own = replace(LARGE, n_kv_heads=LARGE.n_heads)
    assert products(element)[0] == expected(own)[0]
    assert "7 × as much as Qwen2.5-7B" in element.text()
    assert not element.radio("model", 1).is_checked()
    small, large, numbers = lengths(element)
    assert numbers == pytest.approx(7 * large, abs=4)
    assert small == pytest.approx(2 * large, abs=3)


def test_a_shape_of_ones_own_by_keyboard_alone(site, used_tab):
    page = used_tab(reduced_motion="reduce")
    element = open_element(page, address(site, NAME, "en"), NAME)
    element.radio("bytes", 2).focus()
    page.keyboard.press("ArrowRight")  # 4 bytes a number
    for text in ("12", "2", "64"):
        page.keyboard.press("Tab")
        page.keyboard.type(text)  # what stands there is selected
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    shape = replace(LARGE, n_layers=12, n_kv_heads=2, head_dim=64)
    rate, total = expected(shape, number=4, length=4)
    assert products(element) == [rate, [*total, "48 KiB"]]
    assert element.state() == "layers.12_kvHeads.2_headDim.64_bytes.4_doublings.2"
    element.reset.click()
    assert products(element)[0] == expected(SMALL)[0]


def test_small_and_large_caches_have_their_units(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME, "layers.1_kvHeads.1_headDim.1_bytes.1_doublings.0")
    assert products(element) == [["2", "1", "1", "1", "1", "2"], ["2", "1", "2"]]
    assert bars(element)[2] == ["the numbers above", "2 bytes"]
    element = open_element(element.page, address(site, NAME, "en"), NAME, "layers.200_kvHeads.200_headDim.1024_bytes.4_doublings.20")
    assert products(element)[1][2:] == [f"{2 * 200 * 200 * 1024 * 4 * 2**20:,}", "312.5 TiB"]


@pytest.mark.parametrize("text", ["0", "201", "2.5", ""])
def test_what_does_not_fit_is_not_taken(site, used_tab, text):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME)
    layers = field(element, 0)
    layers.fill(text)
    assert layers.get_attribute("aria-invalid") == "true"
    assert products(element)[0] == expected(SMALL)[0]
    layers.blur()
    assert layers.input_value() == "28"
    assert layers.get_attribute("aria-invalid") == "false"
    assert element.state() is None


def test_what_is_rounded_is_not_called_equal(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME, "layers.27_kvHeads.1")
    rate = replace(SMALL, n_layers=27, n_kv_heads=1).cache_bytes_per_token()
    assert products(element)[1] == [f"{rate:,}", f"{LENGTH:,}", f"{rate * LENGTH:,}", "432 MiB"]
    assert "432 MiB" in element.texts(".attn-cache-size-product")[1].partition("=")[2]
    element = open_element(element.page, address(site, NAME, "en"), NAME, "layers.27_kvHeads.3")
    line = element.texts(".attn-cache-size-product")[1]
    assert (line.count("≈"), line.count("=")) == (1, 2)  # 1.265625 GiB; and what a GiB is
    # 1 of 8 heads and 1 of 28 layers: 1/224.
    element = open_element(element.page, address(site, NAME, "en"), NAME, "layers.1_kvHeads.1")
    assert "take 0.00446 × as much as Qwen3-0.6B" in element.text()


def test_twice_the_layers_with_half_the_heads_take_as_much(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME, "layers.56_kvHeads.4")
    assert "The numbers above take as much as Qwen3-0.6B, 2 × as much as Qwen2.5-7B." in element.text()
