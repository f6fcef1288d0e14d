"""Nokosu from Python: memory that coding and operations agents share, over the REST API of ``nokosu serve``.

    from nokosu import Nokosu

    shop = Nokosu().as_(project_id="shop")
    shop.add("Caddy must start after WireGuard", category="dependency")
    print(shop.context()["text"])

Standard library only; Python 3.9 or later.
"""

from .client import Memories, Nokosu, NokosuError

__all__ = ["Memories", "Nokosu", "NokosuError"]
