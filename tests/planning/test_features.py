"""Feature lists of every form that people write them in."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ccweb.planning.features.parsing import MOST_FEATURES, parse
from ccweb.planning.model import Feature


def found(text: str) -> list[tuple[str, str]]:
    """Return module and name of each feature of a text."""
    return [(one.module, one.name) for one in parse(text).items]


@pytest.mark.requirement("R-P8")
def test_features_have_keys_in_the_order_of_the_text() -> None:
    assert parse("# Shop\n- login\n- logout").items == (
        Feature(key="f1", module="Shop", name="login"),
        Feature(key="f2", module="Shop", name="logout"),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "# Shop\n## Users\n- login\n### Roles\n- admin\n## Orders\n- refund",
            [
                ("Shop / Users", "login"),
                ("Shop / Users / Roles", "admin"),
                ("Shop / Orders", "refund"),
            ],
            id="headings are the module",
        ),
        pytest.param(
            "Shop\n====\n\nUsers\n-----\n\n* login",
            [("Shop / Users", "login")],
            id="underlined headings",
        ),
        pytest.param(
            "- 用户\n  - 登录\n    - 短信登录\n    - 扫码登录\n  - 注册\n- 导出",
            [
                ("用户 / 登录", "短信登录"),
                ("用户 / 登录", "扫码登录"),
                ("用户", "注册"),
                ("", "导出"),
            ],
            id="an item with items below is their module",
        ),
        pytest.param(
            "\t- a\n\t\t- b\n- c\n - d", [("a", "b"), ("", "c"), ("", "d")], id="tabs, and a slip"
        ),
        pytest.param(
            "一、用户管理\n1. 登录\n（1）短信\n（2）密码\n2、注册\n"
            "二、订单\n（一）创建\n①草稿\n②提交",
            [
                ("用户管理 / 登录", "短信"),
                ("用户管理 / 登录", "密码"),
                ("用户管理", "注册"),
                ("订单 / 创建", "草稿"),
                ("订单 / 创建", "提交"),
            ],
            id="Chinese numbering nests without indentation",
        ),
        pytest.param(
            "1 用户\n1.1 登录\n1.2登出\n2. 订单\n2.1 退款\n2.1.1 部分退款",
            [("用户", "登录"), ("用户", "登出"), ("订单 / 退款", "部分退款")],
            id="decimal numbering",
        ),
        pytest.param(
            "1) login\n2) logout\na) one\nb) two",
            [("", "login"), ("logout", "one"), ("logout", "two")],
            id="brackets and letters",
        ),
        pytest.param(
            "第一章 用户\n第一节 登录\n第二节 注册\n第二章 订单\n第一节 退款",
            [("用户", "登录"), ("用户", "注册"), ("订单", "退款")],
            id="chapters",
        ),
        pytest.param(
            "用户管理：\n- 登录\n- 注册\n\n**订单**\n• 退款\n●导出",
            [("用户管理", "登录"), ("用户管理", "注册"), ("订单", "退款"), ("订单", "导出")],
            id="a line that leads to a list, a line in bold",
        ),
        pytest.param(
            "- [ ] login\n- [x] logout\n* [X] 注册\n［ ］找回密码\n☐ export",
            [("", "login"), ("", "logout"), ("", "注册"), ("", "找回密码"), ("", "export")],
            id="checkboxes",
        ),
        pytest.param(
            "- **Login** by `sms_code`, see [the page](http://x.y/z)\n- ![i](a.png) ~~old~~ "
            "_new_ <b>x</b>"
            "\n- snake_case stays\\*",
            [
                ("", "Login by sms_code, see the page"),
                ("", "i new x"),
                ("", "snake_case stays*"),
            ],
            id="markup is stripped",
        ),
        pytest.param(
            "intro\n<!-- - hidden\n- too -->\n- seen\n```\n- code\n```\n"
            "~~~md\n- code\n~~~~\n- last\n```\n- x",
            [("", "seen"), ("", "last")],
            id="comments and fenced code are ignored",
        ),
        pytest.param(
            "\ufeff- 登录；\r\n- 注册。\r- \u202b\u200bخروج\u202c\n- \u200b\n- 🎉",
            [("", "登录"), ("", "注册"), ("", "خروج")],
            id="byte order mark, line ends, invisible and right-to-left text",
        ),
        pytest.param(
            "> # Shop\n> - login\n>\n> - logout",
            [("Shop", "login"), ("Shop", "logout")],
            id="quoted",
        ),
        pytest.param("---\ntitle: x\n- a\n---\n- login", [("", "login")], id="front matter"),
        pytest.param(
            "登录\n注册\nGift cards",
            [("", "登录"), ("", "注册"), ("", "Gift cards")],
            id="plain lines",
        ),
        pytest.param(
            "# 用户\n登录\n\n# 订单\n退款\n导出",
            [("用户", "登录"), ("订单", "退款"), ("订单", "导出")],
            id="plain lines under headings",
        ),
        pytest.param(
            "# Shop\nIt sells things.\n## Gift cards\nThey are paid with. They expire.\n## Refunds",
            [("Shop", "Gift cards"), ("Shop", "Refunds")],
            id="headings with prose only",
        ),
        pytest.param(
            "# Shop\nWe sell.\n- login\n\nThat is all.\nReally all of it.",
            [("Shop", "login")],
            id="prose beside a list is no feature",
        ),
        pytest.param(
            "Users\n\tLogin\n\t\tby SMS\n\t\tby mail\nOrders\n  Export",
            [("Users / Login", "by SMS"), ("Users / Login", "by mail"), ("Orders", "Export")],
            id="plain lines stand under those that they are further in than",
        ),
        pytest.param(
            "As a shopper, I want to save my cart, so that I can buy later.\n"
            "As a shopper, I want to pay with gift cards, so that I can use presents.\n"
            "As an owner, I want to export all orders, so that I can do the books.",
            [
                ("", "As a shopper, I want to save my cart, so that I can buy later"),
                ("", "As a shopper, I want to pay with gift cards, so that I can use presents"),
                ("", "As an owner, I want to export all orders, so that I can do the books"),
            ],
            id="user stories, one a line",
        ),
        pytest.param(
            "\uf0b7\tLogin\n  o\tby SMS\n  o   by mail\n-\u00a0Export",
            [("Login", "by SMS"), ("Login", "by mail"), ("", "Export")],
            id="bullets and blanks of a word processor",
        ),
        pytest.param(
            "- Export\n- ~~Widgets~~ (dropped)\n- ~~Old~~ New name",
            [("", "Export"), ("", "New name")],
            id="what is struck out is not wanted",
        ),
        pytest.param(
            "# Till\n## Revision history\n| Version | Author |\n|---|---|\n| 1.0 | Ada |\n"
            "## Cards\n- Sell\n## Non-goals\n- Lend\n## Open questions\n- Who?",
            [("Till / Cards", "Sell")],
            id="parts of a document that ask for nothing",
        ),
        pytest.param(
            "# 收银\n## 修订记录\n| 版本 | 修改人 |\n|---|---|\n| V1.0 | 张三 |\n"
            "## 礼品卡\n- 购买\n## 不在本期范围\n- 转赠\n## 待确认问题\n- 谁负责",
            [("收银 / 礼品卡", "购买")],
            id="parts of a Chinese document that ask for nothing",
        ),
    ],
)
@pytest.mark.requirement("R-P8")
def test_a_list_is_read_in_the_form_that_it_is_written_in(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "| Module | ID | Feature | Notes |\n|---|:-:|---|---|\n| Users | F-1 | Login | x |\n"
            "| | F-2 | Logout \\| all | |\n| Orders | F-3 | Refund | |",
            [("Users", "Login"), ("Users", "Logout | all"), ("Orders", "Refund")],
            id="columns by their English headers, an empty module is the one above",
        ),
        pytest.param(
            "## 一期\n序号 | 一级模块 | 二级模块 | 功能点 | 描述\n--|--|--|--|--\n"
            "1 | 用户 | 账号 | 登录 | 短信\n"
            "2 | 用户 | 账号 | 注册 | 邮箱",
            [("一期 / 用户 / 账号", "登录"), ("一期 / 用户 / 账号", "注册")],
            id="columns by their Chinese headers",
        ),
        pytest.param(
            "一级功能\t二级功能\t三级功能\n用户\t登录\t短信登录\n\t\t扫码登录",
            [("用户 / 登录", "短信登录"), ("用户 / 登录", "扫码登录")],
            id="pasted from a spreadsheet, levels",
        ),
        pytest.param(
            "| 一级功能 | 二级功能 | 三级功能 |\n|--|--|--|\n| 用户 | 登录 | 短信 |\n| | | 微信 |\n"
            "| | 注册 | |\n| 订单 | | 导出 |",
            [("用户 / 登录", "短信"), ("用户 / 登录", "微信"), ("用户", "注册"), ("订单", "导出")],
            id="merged cells, and a row that ends before the last level",
        ),
        pytest.param(
            "| No | What we want |\n|---|---|\n| 1 | Login |\n| 2 | Logout |",
            [("", "Login"), ("", "Logout")],
            id="without a known header the first column of words",
        ),
        pytest.param(
            "- users\n\n| 功能 |\n|---|\n| 登录 |\n\n1. 订单\n\n| 功能 |\n|---|\n| 退款 |",
            [("", "users"), ("", "登录"), ("订单", "退款")],
            id="a table stands under a number, not under a bullet",
        ),
        pytest.param(
            "| 模块 | 需求描述 |\n|---|---|\n| 用户 | 支持登录<br>与登出 |\n| 用户 | |",
            [("用户", "支持登录 与登出")],
            id="a description names it where nothing else does",
        ),
    ],
)
@pytest.mark.requirement("R-P8")
def test_a_table_is_read_by_its_columns(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t\n\u3000",
        "支付",
        "We want a shop where people pay with gift cards.",
        "We want a shop where people can pay with the gift cards that they were given,\n"
        "and where it is shown what is left. It has to be fast.",
        "我们需要一个商城。用户可以登录，也可以支付。",
        "# Only a title",
        "# Shop\n## Out of scope\n- Lending",
        "# A title\n\nAnd one paragraph of what it is about, which ends here.",
        "```\n- login\n```",
        "---\n***\n===\n|---|---|",
    ],
)
@pytest.mark.requirement("R-P8")
def test_a_text_without_structure_gives_no_features(text: str) -> None:
    assert parse(text).items == ()


@pytest.mark.requirement("R-P8")
def test_a_feature_that_stands_twice_in_a_module_is_kept_once() -> None:
    text = "# A\n- login\n- LOGIN\n- ｌｏｇｉｎ\n# B\n- login\n# A\n- login"
    assert found(text) == [("A", "login"), ("B", "login")]


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize(
    ("number", "truncated"), [(MOST_FEATURES, False), (MOST_FEATURES + 1, True)]
)
def test_a_list_that_is_too_long_is_cut_and_says_so(number: int, truncated: bool) -> None:
    read = parse("".join(f"- feature {i}\n" for i in range(number)) + "- feature 0\n")
    assert (len(read.items), read.truncated) == (MOST_FEATURES, truncated)


@pytest.mark.requirement("R-P8")
def test_a_name_has_at_most_200_characters() -> None:
    assert [len(name) for _, name in found(f"- {'长' * 5000}\n- {'x ' * 150}")] == [200, 199]


MARKUP = r"# ## - * 1. 1.1 一、 （1） ① | |---| ``` ~~~ <!-- --> [ ]( ) ** _ ` \ > : ： 。 --- [x]"
PIECES = st.sampled_from(
    [*MARKUP.split(" "), *"\t \n\r\u200b\u202e\ufeff\0\ud800🎉x", "  ", "功能", "模块", "feature"]
)
TEXTS = st.one_of(st.text(), st.lists(st.one_of(PIECES, st.text(max_size=5))).map("".join))


@pytest.mark.requirement("R-P8")
@settings(deadline=None, max_examples=300)
@given(TEXTS)
def test_any_text_is_read_and_every_feature_has_a_name(text: str) -> None:
    read = parse(text)
    assert [one.key for one in read.items] == [f"f{i + 1}" for i in range(len(read.items))]
    assert all(one.name == one.name.strip() and 0 < len(one.name) <= 200 for one in read.items)
    assert all("\n" not in one.name + one.module for one in read.items)
    assert len({(one.module, one.name) for one in read.items}) == len(read.items)
    assert parse(text) == read


@pytest.mark.requirement("R-P8")
@settings(deadline=None, max_examples=100)
@given(st.lists(st.text("abcxyz登录注册 ", min_size=1).filter(str.strip), min_size=1, max_size=30))
def test_every_item_of_a_list_is_found(names: list[str]) -> None:
    wanted = {" ".join(name.split()).casefold()[:200] for name in names}
    read = parse("".join(f"- {name}\n" for name in names))
    assert {one.name.casefold() for one in read.items} == wanted
