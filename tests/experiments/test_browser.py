"""What the tests of pages rely on: faults of a page are found."""

import pytest

from tests.browser import accessible, quiet

FAULTY = """<!doctype html><html lang="en"><title>x</title><main><h1>x</h1><button></button></main>
<script>console.warn("said"); new Image().src = "http://192.0.2.1/picture"; missing();</script></html>"""


@pytest.mark.jit
def test_a_message_an_error_a_request_that_leaves_the_machine_and_a_button_without_a_name_are_found(page, tmp_path):
    (tmp_path / "page.html").write_text(FAULTY)
    faults = quiet(page)
    page.goto((tmp_path / "page.html").as_uri(), wait_until="commit")
    page.wait_for_selector("button")
    assert faults[:1] == ["console: said"]
    assert {fault.split(":")[0] for fault in faults} == {"console", "error", "request"}
    assert [fault.split(":")[0] for fault in accessible(page)] == ["button-name"]
