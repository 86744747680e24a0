"""The page as a browser shows it: charts, colours, sizes, keyboard; nothing loaded, nothing complained about."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from sizewell.review.rendering import render_html
from tests.review.rendering.any_review import HOSTILE, crowded
from tests.review.rendering.browser import Browser, find_chromium, start_chromium
from tests.review.rendering.sample_review import sample

WIDTHS = (400, 1400)
SCHEMES = ("light", "dark")
#: Web Content Accessibility Guidelines 2.2, success criterion 1.4.3.
LEAST_CONTRAST = 4.5
COMPLAINTS = (
    "Log.entryAdded",
    "Runtime.consoleAPICalled",
    "Runtime.exceptionThrown",
    "Page.javascriptDialogOpening",
)

#: The worst contrast of text that is visible against the first opaque background below it.
CONTRAST = """
(() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const part = (v) => ((v /= 255), v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    if (element.closest("title, desc")) continue;
    const style = getComputedStyle(element);
    const ink = parse(element instanceof SVGElement ? style.fill : style.color);
    const [low, high] = [luminance(ink), luminance(background(element))].sort((a, b) => a - b);
    found.push([(high + 0.05) / (low + 0.05), walker.currentNode.data.trim().slice(0, 40)]);
  }
  return [found.length, found.sort((a, b) => a[0] - b[0])[0], getComputedStyle(document.body).backgroundColor];
})()
"""
CHARTS = """
[...document.querySelectorAll("svg[role=img]")].map((svg) => {
  const box = svg.getBoundingClientRect();
  const drawn = [...svg.querySelectorAll("circle, path.mark, line.arrow")].filter((one) => {
    const size = one.getBoundingClientRect();
    return size.width > 0 || size.height > 0;
  });
  return [box.width, box.height, drawn.length];
})
"""
FOCUSED = """
(() => {
  const one = document.activeElement;
  const box = one.getBoundingClientRect();
  return {
    index: [...document.querySelectorAll("*")].indexOf(one),
    tag: one.tagName.toLowerCase(),
    inNavigation: !!one.closest("nav"),
    text: one.textContent.trim().slice(0, 40),
    outline: getComputedStyle(one).outlineStyle,
    seen: box.width > 0 && box.height > 0 && box.right > 0,
  };
})()
"""
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = find_chromium()
    if program is None:
        pytest.skip("there is no Chromium on PATH to show the page with; .ci/run installs it where it may")
    directory = tmp_path_factory.mktemp("browser")
    page = directory / "review.html"
    page.write_text(render_html(sample()), "utf-8")
    with start_chromium(program, directory / "profile") as started:
        started.open(page)
        yield started


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_page_is_readable(browser: Browser, width: int, scheme: str) -> None:
    browser.look(width, scheme)
    browser.evaluate(OPEN_ALL)
    assert browser.evaluate("document.documentElement.scrollWidth") == width, "the page scrolls sideways"
    count, (contrast, text), background = browser.evaluate(CONTRAST)
    assert count > 300
    assert contrast >= LEAST_CONTRAST, text
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}[scheme]


@pytest.mark.parametrize("width", WIDTHS)
def test_charts_are_there(browser: Browser, width: int) -> None:
    browser.look(width, "light")
    charts = browser.evaluate(CHARTS)
    assert len(charts) == 2
    for chart_width, chart_height, drawn in charts:
        assert width * 0.2 < chart_width <= width
        assert chart_height > 150
        assert drawn >= 3


def test_keyboard_reaches_everything_in_reading_order_and_shows_where_it_is(browser: Browser) -> None:
    browser.look(1400, "light")
    browser.evaluate(f"{OPEN_ALL}; document.activeElement.blur(); scrollTo(0, 0)")
    focused: list[dict[str, Any]] = []
    for _ in range(200):
        browser.press_tab()
        now = browser.evaluate(FOCUSED)
        if now["tag"] == "body" or now in focused:
            break
        focused.append(now)
    assert focused[0]["text"] == "Skip to the review"
    assert all(one["seen"] and one["outline"] != "none" for one in focused)
    assert [one["index"] for one in focused] == sorted(one["index"] for one in focused)
    assert [one["tag"] for one in focused if one["inNavigation"]] == ["a"] * 7
    summaries = browser.evaluate("document.querySelectorAll('summary').length")
    assert summaries > 20
    assert sum(one["tag"] == "summary" for one in focused) == summaries


def test_landmarks_and_headings_lead_through_the_page(browser: Browser) -> None:
    assert browser.evaluate("document.querySelectorAll('header, nav, main').length") == 3
    levels = browser.evaluate(
        "[...document.querySelectorAll('h1, h2, h3')].map((one) => Number(one.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_nothing_is_loaded_and_nothing_complained_about(browser: Browser) -> None:
    browser.call("Page.getLayoutMetrics")
    loaded = [
        event["params"]["request"]["url"]
        for event in browser.events
        if event.get("method") == "Network.requestWillBeSent"
    ]
    assert [url.rpartition("/")[2] for url in loaded] == ["review.html"]
    assert loaded[0].startswith("file:///")
    assert [event for event in browser.events if event.get("method") in COMPLAINTS] == []


@pytest.mark.parametrize("text", ["x" * 5000, "| " * 2000, HOSTILE[0], HOSTILE[1]], ids=range(4))
def test_hostile_values_neither_widen_the_page_nor_run(browser: Browser, tmp_path: Path, text: str) -> None:
    page = tmp_path / "hostile.html"
    page.write_text(render_html(crowded(sample(), text)), "utf-8")
    before = len(browser.events)
    browser.look(400, "light")
    browser.open(page)
    browser.evaluate(OPEN_ALL)
    assert browser.evaluate("document.documentElement.scrollWidth") == 400
    assert browser.evaluate("document.scripts.length + document.images.length") == 0
    assert [event for event in browser.events[before:] if event.get("method") in COMPLAINTS] == []
