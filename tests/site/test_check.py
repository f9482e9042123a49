"""Faults that the check finds in a browser, each on a page of its own."""

import os
from pathlib import Path

import pytest
from site_tools import page_weight, search_words
from site_tools.check import check
from site_tools.search_words import Search

from helpers.chromium import chromium

SIZE = 'width="4" height="4"'
FAULTS = {
    "console": ("<script>console.error('bad')</script>", "the console says 'bad'"),
    "script": ("<script>throw new Error('worse')</script>", "a script fails: worse"),
    "outside": (f'<img alt="x" src="http://example.org/x.png" {SIZE}>', "it asks for http://ex"),
    "missing": ("<script>fetch('gone.json').catch(() => 0)</script>", "gone.json could not be"),
    "file": ('<a href="nowhere.html">x</a>', "the link 'nowhere.html' leads to no file"),
    "alt": (f'<img src="dot.svg" {SIZE}>', "an image has no alternative text"),
    "size": ('<img alt="x" width="4" src="dot.svg">', "an image has no width or no height"),
    "theme": (
        f'<img alt="x" class="only-dark" src="dot.svg" {SIZE}>',
        "a picture for the other theme is loaded",
    ),
    "light": ('<p style="color: #888; background: #fff">pale</p>', "axe color-contrast: "),
    "dark": ('<p class="ink">night</p>', "dark: axe color-contrast: "),
    "wide": ('<div style="width: 900px">wide</div>', "at 390 px the page scrolls sideways"),
    "tablet": ('<div style="width: 1200px">wide</div>', "at 1024 px the page scrolls sideways"),
    "axe": ('<p role="heading">of no level</p>', "axe aria-required-attr: "),
    "heavy": (
        '<script src="heavy.js"></script>',
        "it loads 301 kB without pictures; 300 are the most. The largest: heavy.js",
    ),
}
CLEAN = f"""<p>fine</p><p class="slow">fine</p><pre tabindex="0">{"long " * 100}</pre>
<img alt="x" class="only-dark" loading="lazy" src="dot.svg" {SIZE}>"""
PAGE = """<!doctype html><html lang="en"><head><title>t</title><style>
body {{ background: #fff; color: #000; margin: 8px }}
body[data-theme="dark"] {{ background: #111; color: #eee }}
body:not([data-theme="dark"]) .only-dark {{ display: none }}
pre {{ overflow-x: auto }}
.ink {{ color: #222 }}
.slow {{ color: #222; transition: color 5s }}
body[data-theme="dark"] .slow {{ color: #eee }}
</style></head><body><main><article><h1>t</h1>{fault}</article></main></body></html>"""


@pytest.fixture(scope="module")
def found(tmp_path_factory, browser):
    folder = tmp_path_factory.mktemp("faults")
    for name, (fault, _) in {**FAULTS, "clean": (CLEAN, "")}.items():
        (folder / f"{name}.html").write_text(PAGE.format(fault=fault), encoding="utf-8")
    (folder / "dot.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" {SIZE}/>', encoding="utf-8"
    )
    (folder / "heavy.js").write_text("/" * (page_weight.MOST_BYTES + 1000), encoding="utf-8")
    return check(Path(os.path.relpath(folder)))  # as `tito site check --html ../site` names it


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_a_fault_of_a_page_is_found(found, name):
    assert any(
        fault.startswith(f"{name}.html: ") and FAULTS[name][1] in fault for fault in found.faults
    ), "\n".join(found.faults)


def test_a_clean_page_has_no_fault_and_one_request_would_have_left_the_machine(found):
    assert [fault for fault in found.faults if fault.startswith("clean.html")] == []
    assert found.outside == 1 and found.pages == len(FAULTS) + 1


@pytest.fixture(scope="module")
def page():
    with chromium() as opened:
        yield opened


def test_a_search_that_finds_another_page_or_none_is_a_fault(draft, page):
    wanted = search_words.searches()[0]
    for typed, meant, says in (
        (wanted.typed, wanted.first, ""),
        (wanted.typed, "changelog", f" shows {wanted.first}.html first; changelog.html is meant"),
        ("xyzzyplugh", "start", " finds nothing; start.html is meant"),
    ):
        fault = search_words.fault(page, draft.html, Search(typed, meant))
        assert fault == (says and f"a search for {typed!r}{says}")


def test_on_paper_what_is_folded_is_open_and_what_helps_on_a_screen_is_gone(draft, page):
    handbook = sorted((draft.html / "modules").glob("*.html"))[0]
    page.goto(handbook.as_uri())
    answer, bar = page.locator("article details p").first, page.locator(".sidebar-drawer")
    assert not answer.is_visible() and bar.is_visible()
    page.emulate_media(media="print")
    assert answer.is_visible() and not bar.is_visible()
    page.emulate_media(media="screen")
