"""A page that tests use one after the other hides nothing that it says."""


def test_the_same_options_give_the_same_page(used_tab):
    phone = {"width": 375, "height": 812}
    assert used_tab(viewport=phone) is used_tab(viewport=phone)
    assert used_tab() is not used_tab(viewport=phone)


def test_what_a_page_said_is_told_to_the_test_that_made_it_say_so(site, open_tab):
    tab = open_tab()
    tab.page.goto(site.url("en/"))
    assert tab.heard() == []
    tab.page.evaluate("console.warn('careful')")
    tab.page.evaluate("fetch('http://elsewhere.invalid/').catch(() => console.log('in vain'))")
    heard = tab.heard()
    assert {"careful", "in vain", "http://elsewhere.invalid/"} <= set(heard)
    assert tab.heard() == []
    tab.page.context.close()
