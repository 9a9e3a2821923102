"""The form that all tables share: the metadata, ordered keys, and the CHECK of a state column."""

from enum import StrEnum

from sqlalchemy import BigInteger, CheckConstraint, Column, Integer, MetaData

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

_Position = BigInteger().with_variant(Integer, "sqlite")


def one_of(column: str, closed_set: type[StrEnum]) -> CheckConstraint:
    """Return the CHECK that a column holds a member of a closed set."""
    allowed = ", ".join(f"'{member.value}'" for member in closed_set)
    return CheckConstraint(f"{column} IN ({allowed})", name=column)


def position() -> Column[int]:
    """Return a key that grows with every row, so that it orders them."""
    return Column("position", _Position, primary_key=True, autoincrement=True)
