"""What the real product shows beside MCP is the generated text: page, Codex App, HTTP, README."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import httpx2
import jsonschema_rs
import pytest

from ccweb.tools import dynamic
from ccweb_contract.aliases import ALIASES
from ccweb_contract.enums import Lang
from ccweb_contract.errors import HTTP_STATUS, REMEDIES, ErrorCode
from ccweb_contract.tools import COMPOSER_ITEMS
from tests.contract.surfaces import GENERATED, READMES, SCHEMAS, block, snapshot
from tests.served.wire import MODERN, over_http

OPENAPI = snapshot("openapi.json")
DOCUMENT = "/api/openapi.json"
ROW = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.MULTILINE)

# --- the Codex App --------------------------------------------------------------------------------


@pytest.mark.requirement("AC2", "R-C6")
def test_a_codex_app_thread_is_given_the_very_bytes() -> None:
    sent = json.dumps(dynamic.dynamic_tools(), indent=2, ensure_ascii=False) + "\n"
    assert sent.encode() == (SCHEMAS / "codex.dynamic_tools.json").read_bytes()


# --- the page -------------------------------------------------------------------------------------


@pytest.mark.requirement("R-C5", "R-U1")
def test_the_page_loads_the_very_bytes_of_the_contracts_module(browser: httpx2.Client) -> None:
    served = browser.get("/contract.js")
    assert served.status_code == 200
    assert served.content == (GENERATED / "ccweb_contract" / "contract.js").read_bytes()


@pytest.mark.requirement("AC4", "R-D3")
@pytest.mark.parametrize("path", ["/contract.js", "/words.js", "/"])
def test_the_page_holds_no_old_name(browser: httpx2.Client, path: str) -> None:
    served = browser.get(path)
    assert served.status_code == 200
    assert [name for name in ALIASES if name in served.text] == []


# --- HTTP -----------------------------------------------------------------------------------------


def examples() -> Iterator[Any]:
    """Yield each endpoint with each example of its arguments, as parameters."""
    for path, item in OPENAPI["paths"].items():
        shown = item["post"]["requestBody"]["content"]["application/json"]["examples"]
        for name, example in shown.items():
            yield pytest.param(path, example["value"], id=f"{item['post']['operationId']}-{name}")


def as_described(path: str, answer: httpx2.Response) -> bool:
    """Tell whether the document describes this very answer of an endpoint."""
    described = OPENAPI["paths"][path]["post"]["responses"].get(str(answer.status_code))
    if described is None:
        return False
    schema = described["content"]["application/json"]["schema"]
    validator = jsonschema_rs.validator_for(
        {**schema, "components": OPENAPI["components"]}, validate_formats=True
    )
    return bool(validator.is_valid(answer.json()))


@pytest.mark.requirement("R-C3")
def test_programs_and_browsers_are_served_the_very_bytes_of_the_document(
    program: httpx2.Client, browser: httpx2.Client
) -> None:
    for client in (program, browser):
        served = client.get(DOCUMENT)
        assert (served.status_code, served.headers["content-type"]) == (200, "application/json")
        assert served.content == (SCHEMAS / "openapi.json").read_bytes()


@pytest.mark.requirement("R-C3", "R-D5")
def test_every_path_of_the_served_document_leads_to_an_endpoint_beside_it(
    program: httpx2.Client,
) -> None:
    served = program.get(DOCUMENT)
    for path in served.json()["paths"]:
        answer = program.post(urljoin(str(served.url), path), json={"noSuchField": 1})
        assert (answer.status_code, as_described(path, answer)) == (400, True), answer.text


@pytest.mark.requirement("R-C3", "R-D5")
@pytest.mark.parametrize(("path", "arguments"), list(examples()))
def test_an_endpoint_takes_the_documents_examples_and_answers_as_described(
    conversation: httpx2.Client, path: str, arguments: dict[str, Any]
) -> None:
    answer = conversation.post(path, json=arguments)
    assert as_described(path, answer), answer.text
    assert answer.status_code not in (401, 500, 503)
    assert answer.json().get("error_code") != ErrorCode.INVALID_PARAMS


@pytest.mark.requirement("R-C3", "R-D5")
@pytest.mark.parametrize("path", OPENAPI["paths"])
def test_an_endpoint_refuses_as_described(program: httpx2.Client, path: str) -> None:
    wrong = program.post(path, json={"noSuchField": 1})
    nobody = program.post(path, json={}, headers={"Authorization": "Bearer wrong"})
    assert (wrong.status_code, nobody.status_code) == (400, 401)
    assert as_described(path, wrong)
    assert as_described(path, nobody)
    assert not as_described(path, httpx2.Response(200, json=wrong.json()))
    assert not as_described(path, httpx2.Response(418, json=wrong.json()))


@pytest.mark.requirement("R-C3")
def test_the_document_and_the_mcp_list_name_the_same_tools(program: httpx2.Client) -> None:
    _, listed = over_http(program, MODERN)
    tools = json.loads(listed)["result"]["tools"]
    assert [path.split("/")[-2] for path in OPENAPI["paths"]] == [tool["name"] for tool in tools]
    assert [item["post"]["description"] for item in OPENAPI["paths"].values()] == [
        tool["description"] for tool in tools
    ]


# --- README ---------------------------------------------------------------------------------------


@pytest.mark.requirement("AC6")
@pytest.mark.parametrize("lang", Lang)
def test_the_readme_names_the_listed_tools_and_says_of_each_what_the_composer_says(
    program: httpx2.Client, lang: Lang
) -> None:
    _, listed = over_http(program, MODERN)
    rows = ROW.findall(block(READMES[lang], "tools"))
    assert [name for name, _ in rows] == [
        tool["name"] for tool in json.loads(listed)["result"]["tools"]
    ]
    assert rows == [(item.tool.value, item.summary[lang]) for item in COMPOSER_ITEMS]


@pytest.mark.requirement("AC6", "R-D5")
@pytest.mark.parametrize("lang", Lang)
def test_the_readme_tells_of_each_code_the_status_and_the_help_that_are_served(lang: Lang) -> None:
    rows = {name: rest.split(" | ") for name, rest in ROW.findall(block(READMES[lang], "errors"))}
    assert {name: (int(cells[0]), cells[-1]) for name, cells in rows.items()} == {
        code.value: (HTTP_STATUS[code], REMEDIES[code][lang]) for code in ErrorCode
    }


@pytest.mark.requirement("R-D5")
def test_a_refusal_is_served_with_the_status_and_the_help_of_the_readme(
    program: httpx2.Client,
) -> None:
    answer = program.post("/api/mcp/tools/ccweb_nothing/", json={})
    rows = dict(ROW.findall(block(READMES[Lang.EN], "errors")))
    status, _, remedy = rows[answer.json()["error_code"]].split(" | ")
    assert (answer.status_code, answer.json()["remedy"]) == (int(status), remedy)
