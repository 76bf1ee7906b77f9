"""A small table in the form of mysqldump."""

from pathlib import Path


def table(path: Path, name: str, columns: str, values: str) -> Path:
    defined = ",\n".join(
        f"  `{one.lstrip('#')}` {'int(10)' if one[0] == '#' else 'varbinary(255)'}"
        for one in columns.split()
    )
    path.write_text(
        f"CREATE TABLE `{name}` (\n{defined}\n);\nINSERT INTO `{name}` VALUES {values};\n"
    )
    return path
