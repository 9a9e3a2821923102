"""Working trees for tests: a small shop, and whatever files a test writes."""

from collections.abc import Mapping
from pathlib import Path

SHOP: Mapping[str, str] = {
    "README.md": "# Shop\n\n[![ci](x.svg)](y)\n\nThe till of a corner shop: carts and payments.\n",
    "shop/cart.py": """'''The cart: what a shopper wants to buy.'''


def add_item(cart):
    return cart
""",
    "shop/payment.py": """'''Payments by card.'''


class CardPayment:
    def refund(self):
        pass
""",
    "shop/login.py": "# 手机号登录与密码登录\n\n\ndef sign_in(phone):\n    return phone\n",
    "tests/test_cart.py": "def test_add_item():\n    assert add_item({})\n",
}
STOCK: Mapping[str, str] = {
    "README.md": "# Stock\n\nKeeps count of pallets in the warehouse.\n",
    "stock/pallets.py": "class Pallet:\n    def move(self, warehouse):\n        pass\n",
    "stock/locale.json": '{"warehouse": "仓库", "pallet": "托盘"}\n',
}


def a_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder and return it."""
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    root.mkdir(exist_ok=True)
    return root
