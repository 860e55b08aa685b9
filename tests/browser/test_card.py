"""The card of formulas prints on one sheet, as it says."""

import re

import pytest


def sheets(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.fixture
def printed(tab, site):
    def printed(address, paper):
        page = tab()
        page.goto(site.url(address))
        return sheets(page.pdf(format=paper))

    return printed


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_card_is_one_sheet(printed, language, paper):
    assert printed(f"{language}/reference/card/", paper) == 1


def test_a_page_of_several_sheets_is_noticed(printed):
    assert printed("en/reference/glossary/", "A4") > 1
