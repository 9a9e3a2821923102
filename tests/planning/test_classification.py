"""What features ask of the code, told from the words of real files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from ccweb.planning.features.classification import MOST_EVIDENCE, Classified, classify
from ccweb.planning.features.reading import read
from ccweb.planning.model import Feature
from ccweb_contract import prompts
from ccweb_contract.enums import ChangeType, Lang
from tests.planning.trees import SHOP, STOCK, a_tree

PROJECT = Path(__file__).parent.parent.parent


def features(*names: str, module: str = "") -> list[Feature]:
    """Return features of these names."""
    return [Feature(key=f"f{i}", module=module, name=name) for i, name in enumerate(names)]


def in_shop(
    tmp_path: Path, *names: str, module: str = "", lang: Lang = Lang.EN
) -> list[Classified]:
    """Return how features are classified in the shop."""
    tree = read(a_tree(tmp_path / "shop", SHOP))
    return classify(features(*names, module=module), {"shop": tree}, lang)


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize(
    ("name", "location"),
    [
        ("Refund a card payment", "shop/payment.py"),
        ("Add items to the cart", "shop/cart.py"),
        ("支持手机号登录", "shop/login.py"),
    ],
)
def test_what_a_file_is_about_is_a_change_of_it(tmp_path: Path, name: str, location: str) -> None:
    found = in_shop(tmp_path, name)[0]
    assert (found.change_type, found.suggested_location) == (ChangeType.MODIFY, location)
    assert found.evidence_files[0] == location
    assert 0.6 <= found.confidence <= 1


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize("name", ["Installment payments with voucher balances", "密码指纹解锁认证"])
def test_what_is_known_only_in_part_is_new_beside_what_is_known(tmp_path: Path, name: str) -> None:
    found = in_shop(tmp_path, name)[0]
    assert (found.change_type, found.suggested_location) == (ChangeType.NEW, "shop")
    assert found.evidence_files


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize("name", ["Zebra grooming", "斑马护理", "the and of", "…", "🎉"])
def test_what_no_file_knows_is_unclear_and_has_no_evidence(tmp_path: Path, name: str) -> None:
    found = in_shop(tmp_path, name)[0]
    assert found == Classified(
        feature=found.feature,
        change_type=ChangeType.UNCLEAR,
        confidence=found.confidence,
        evidence_files=(),
        suggested_location="",
        reason=prompts.feature_is_unclear(Lang.EN),
    )


@pytest.mark.requirement("R-P8")
def test_the_module_says_where_something_strange_belongs(tmp_path: Path) -> None:
    alone = in_shop(tmp_path, "Zebra grooming")[0]
    beside = in_shop(tmp_path, "Zebra grooming", module="Card payment")[0]
    assert alone.change_type is ChangeType.UNCLEAR
    assert (beside.change_type, beside.evidence_files[0]) == (ChangeType.NEW, "shop/payment.py")


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize("lang", Lang)
def test_reasons_are_in_the_language_of_the_workspace(tmp_path: Path, lang: Lang) -> None:
    there, new = in_shop(tmp_path, "Refund", "Refund by voucher", lang=lang)
    assert there.reason == prompts.feature_changes(lang, file="shop/payment.py", words="Refund")
    assert new.reason == prompts.feature_is_new(
        lang, missing="voucher", file="shop/payment.py", words="Refund"
    )


@pytest.mark.requirement("R-P8")
def test_among_several_repositories_a_file_is_named_with_its_own(tmp_path: Path) -> None:
    trees = {
        "shop": read(a_tree(tmp_path / "shop", SHOP)),
        "stock": read(a_tree(tmp_path / "stock", STOCK)),
    }
    pallet, refund, words = classify(features("Move a pallet", "Refund", "托盘"), trees, Lang.EN)
    assert pallet.evidence_files[0] == "stock/stock/pallets.py"
    assert refund.evidence_files[0] == refund.suggested_location == "shop/shop/payment.py"
    assert words.evidence_files == ("stock/stock/locale.json",)


@pytest.mark.requirement("R-P8")
def test_without_any_file_everything_is_unclear(tmp_path: Path) -> None:
    trees = {"empty": read(a_tree(tmp_path / "empty", {}))}
    assert [one.change_type for one in classify(features("Cart"), trees, Lang.EN)] == ["unclear"]
    assert [one.change_type for one in classify(features("Cart"), {}, Lang.EN)] == ["unclear"]


PROJECT_FEATURES: Mapping[ChangeType, Sequence[str]] = {
    ChangeType.MODIFY: (
        "Sign in with a ticket",
        "Doctor command",
        "Cancel a running turn",
        "Demo agent directives",
        "Browser session cookies",
        "演示智能体",
        "取消请求",
    ),
    ChangeType.UNCLEAR: ("Loyalty coupons", "Warehouse barcode scanner", "优惠券发放"),
}


@pytest.mark.requirement("R-P8")
def test_this_project_is_classified_with_files_that_exist() -> None:
    wanted = [(kind, name) for kind, names in PROJECT_FEATURES.items() for name in names]
    trees = {"product": read(PROJECT / "ccweb"), "readme": read(PROJECT / "docs")}
    found = classify(features(*(name for _, name in wanted)), trees, Lang.EN)
    folders = {"product": PROJECT / "ccweb", "readme": PROJECT / "docs"}
    for one in found:
        assert len(one.evidence_files) <= MOST_EVIDENCE
        for path in one.evidence_files:
            name, _, rest = path.partition("/")
            assert (folders[name] / rest).is_file()
        assert 0 <= one.confidence <= 1
        assert bool(one.evidence_files) is (one.change_type is not ChangeType.UNCLEAR)
    told = [(one.change_type, one.feature.name) for one in found]
    assert told == wanted


def test_what_only_the_module_tells_of_is_explained_by_the_module(tmp_path: Path) -> None:
    found = in_shop(tmp_path, "Gift vouchers", module="Cart")[0]
    expected = prompts.feature_is_new(
        Lang.EN, missing="Gift, vouchers", file="shop/cart.py", words="Cart"
    )
    assert (found.change_type, found.reason) == (ChangeType.NEW, expected)


def classified_in(root: Path, files: Mapping[str, str | bytes], name: str) -> Classified:
    """Return how a feature is classified in a tree of these files."""
    return classify(features(name), {"one": read(a_tree(root, files))}, Lang.ZH)[0]


def test_what_a_file_holds_by_the_way_and_none_is_about_is_unclear(tmp_path: Path) -> None:
    long = "'''All names.'''\n" + "\n".join(f"name{i}" for i in range(60))
    files = {**SHOP, "shop/names.py": f"{long}\npie chart\n"}
    found = classified_in(tmp_path, files, "Pie charts")
    assert (found.change_type, found.evidence_files) == (ChangeType.UNCLEAR, ())


def test_one_rare_word_of_two_is_no_feature_that_is_there(tmp_path: Path) -> None:
    inputs = {f"shop/input{i}.py": "def read_input(): pass\n" for i in range(3)}
    files = {**SHOP, **inputs, "shop/voice.py": "class Voice: pass\n"}
    assert classified_in(tmp_path, files, "Voice input").change_type is ChangeType.NEW


def test_of_chinese_words_only_those_are_named_that_the_file_holds(tmp_path: Path) -> None:
    files = {**SHOP, "shop/a.py": "# 看板任务\n", "shop/b.py": "# 拖拽\n"}
    found = classified_in(tmp_path, files, "看板拖拽任务提醒")
    assert "看板、任务" in found.reason
