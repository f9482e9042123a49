"""The parts of pages: flowcharts, links, dropdowns, pictures for two themes, wheels."""

from pathlib import PurePosixPath

import flowchart
import pytest
from site_tools import both_themes, module_page, wheels
from site_tools.dead_links import dead_links
from site_tools.repository_links import rewritten
from site_tools.staging import Stage

from tito.errors import EnvironmentBroken

# Flowcharts


def test_a_flowchart_is_a_row_for_each_way_in():
    chart = 'flowchart LR\n  A[files] --> B["Dataset<br/>len, [i]"] --> C\n  D --> E --> C[step]\n'
    assert flowchart.rows(chart) == [["files", "Dataset<br/>len, [i]", "step"], ["D", "E", "step"]]
    assert "<span><b>Dataset</b><br>len, [i]</span>" in flowchart.drawn(chart)
    assert flowchart.rows("flowchart LR\nA --> B --> A") == [["A", "B", "A"]]


@pytest.mark.parametrize(
    "text", ["graph LR\nA --> B", "flowchart LR\nA ==> B", "flowchart LR\nA -->", ""]
)
def test_what_is_not_drawn_is_refused_with_the_line(text):
    with pytest.raises(ValueError, match="flowchart"):
        flowchart.rows(text)


# Links

PAGES = {"modules/08_x/ABOUT.md": "modules/08_x.md", "grading/README.md": "teach/grading.md"}


def link(text, source="CONTRIBUTING.md", page="author.md", url=""):
    return rewritten(text, PurePosixPath(source), PurePosixPath(page), PAGES, url).rstrip("\n")


def test_a_link_leads_to_the_page_of_its_file_or_to_the_public_repository():
    assert link("[x](grading/README.md#walls)") == "[x](teach/grading.md#walls)"
    deeper = link("[x](../modules/08_x/ABOUT.md)", "grading/README.md", "teach/grading.md")
    assert deeper == "[x](../modules/08_x.md)"
    assert link("[x](constraints.txt)") == "x"
    public = link("[x](constraints.txt)", url="https://example.org/us/course/")
    assert public == "[x](https://example.org/us/course/blob/main/constraints.txt)"


def test_dead_links_and_anchors_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">x</a><a href="#up">y</a><h1 id="up">z</h1><img src="pic.png"><a'
        ' href="https://example.org/gone">w</a><a href="b.html#old">u</a>',
        encoding="utf-8",
    )
    (tmp_path / "b.html").write_text(
        '<p id="there"></p><a name="old" href="a.html#nowhere">v</a>', encoding="utf-8"
    )
    assert dead_links(tmp_path) == [
        "a.html: the link 'pic.png' leads to no file",
        "b.html: the link 'a.html#nowhere' leads to no place on its page",
    ]


def test_questions_unfold_and_the_rest_stays():
    text = (
        "Before.\n\n## Check your understanding\n\n1. *Why?* Because.\n2. *How many?*\n\n  "
        " ```python\n   >>> 1 + 1\n   2\n   ```\n\n## Further reading\n\n1. *A book* of 2009.\n"
    )
    folded = module_page.answers_hidden(text)
    assert ":::{dropdown} Why?\nBecause.\n:::" in folded
    assert ":::{dropdown} How many?\n```python\n>>> 1 + 1\n2\n```\n:::" in folded
    assert folded.startswith("Before.") and folded.endswith("1. *A book* of 2009.\n")
    assert module_page.answers_hidden("No such heading.") == "No such heading."


def test_a_stage_writes_what_changed_and_prunes_what_nobody_claims(tmp_path):
    same, gone = tmp_path / "a" / "x.md", tmp_path / "a" / "y.md"
    for path in (same, gone):
        Stage(tmp_path).write(f"a/{path.name}", "one")
    before, again = same.stat().st_mtime_ns, Stage(tmp_path)
    again.write("a/x.md", "one")
    again.prune()
    assert same.stat().st_mtime_ns == before and not gone.exists()


def test_a_figure_becomes_two_pictures_that_say_what_they_show():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    ax.plot([1, 2], [3, 4])
    ax.set(xlabel="batch size", ylabel="samples/s", title='Large "batches" are faster')
    html = both_themes.as_html(figure)
    plt.close(figure)
    assert html.count("<img ") == 2 and 'class="only-light"' in html and 'class="only-dark"' in html
    assert 'alt="Large &quot;batches&quot; are faster: samples/s against batch size"' in html
    # the space is kept before a picture is there, and the one that is not shown is not loaded
    assert html.count('width="819" height="614" loading="lazy"') == 2


def test_an_installed_package_becomes_the_same_wheel_each_time(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one, two = (wheels.packed("pytest", tmp_path / name) for name in ("one", "two"))
    assert one.path.read_bytes() == two.path.read_bytes()
    assert one.name == "pytest" and "pytest" in one.imports and "pluggy" in one.depends
    # needed on Windows alone, or for an extra
    assert not {"colorama", "hypothesis"} & set(one.depends)


@pytest.mark.parametrize(
    ("name", "reason"), [("numpy", "code for this machine"), ("no-such", "not installed")]
)
def test_what_cannot_be_packed_is_refused_with_the_next_step(tmp_path, name, reason):
    with pytest.raises(EnvironmentBroken, match=reason):
        wheels.packed(name, tmp_path)
