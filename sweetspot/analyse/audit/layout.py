"""Makes rows out of a table, whichever way it lies and however many lines its heading has. Pure."""

from collections.abc import Sequence

from sweetspot.analyse.audit.figures import asides, plain, read_cell
from sweetspot.analyse.audit.fill import add
from sweetspot.analyse.audit.grid import Cell, Table
from sweetspot.analyse.audit.names import Name, understand
from sweetspot.analyse.audit.rows import Row
from sweetspot.analyse.audit.settings import batch_in, configure, configure_all

HEADING_ROWS = 3  # of a table, one of which may hold the names
OF_UNIT = {"x": "speedup", "×": "speedup", "%": "change"}


def rows_of(table: Table, context: str = "", heading: str = "") -> tuple[list[Row], list[str]]:
    """Return the configurations of a table, and what of it was not understood.

    Args:
        table: One configuration a row, or one a column (then metrics go down).
        context: The words just above it, where a batch size may stand.
        heading: The heading it stands under, where one step count for all of it may stand.
    """
    where = f"table {table.number} (line {table.header[0].place.line})"
    table = named(table)
    across = [understand(cell.text) for cell in table.header]
    down = [understand(row[0].text) for row in table.body]
    if not any(across) and not any(down):
        return [], [f"{where}: no column or row is known here"] if _has_figures(table) else []
    transposed = sum(name is not None for name in down) > sum(name is not None for name in across[1:])
    if transposed:
        table = _turned(table)
        across = [understand(cell.text) for cell in table.header]
    unknown = [
        f"'{plain(cell.text)}'"
        for index, (cell, name) in enumerate(zip(table.header, across, strict=True))
        if name is None
        and index > 0
        and cell.text
        and any(read_cell(row[index].text, row[index].place) for row in table.body)
    ]
    default_batch = batch_in(context)
    rows = [_row(table, cells, across, default_batch) for cells in table.body]
    configure_all(rows, heading)
    said = [f"{where}: {'row' if transposed else 'column'} {', '.join(unknown)}"] if unknown else []
    return [row for row in rows if row.measured or row.tails], said


def named(table: Table) -> Table:
    """Return the table with the line of names as its header, groups above it put before each name."""
    if any(understand(cell.text) for cell in table.header[1:]):
        return table
    group = [cell.text for cell in table.header]
    for index, cells in enumerate(table.body[: HEADING_ROWS - 1]):
        if any(read_cell(cell.text, cell.place) for cell in cells):
            return table
        if sum(understand(cell.text) is not None for cell in cells) >= 2:
            header = [
                Cell(f"{above} {cell.text}".strip() if _both(above, cell) else cell.text or above, cell.place)
                for above, cell in zip(_spread(group), cells, strict=True)
            ]
            return Table(table.number, header, table.body[index + 1 :], table.lines, table.columns)
        group = [cell.text or above for above, cell in zip(group, cells, strict=True)]
    return table


def _both(above: str, cell: Cell) -> bool:
    """Return whether a name and the group above it are better together: the metric stays what it was."""
    alone, together = understand(cell.text), understand(f"{above} {cell.text}")
    return bool(above and above != cell.text and alone and together and together.metric == alone.metric)


def _spread(group: Sequence[str]) -> list[str]:
    """Return the groups of a heading, each for all columns up to the next; the first column has none."""
    spread, last = [], ""
    for text in group:
        last = text or last
        spread.append(last)
    return spread


def _has_figures(table: Table) -> bool:
    """Return whether there is anything in the table that could have been checked."""
    return any(read_cell(cell.text, cell.place) for row in table.body for cell in row[1:])


def _turned(table: Table) -> Table:
    """Return the table with rows and columns exchanged."""
    grid = [table.header, *table.body]
    turned = [[row[column] for row in grid] for column in range(len(table.header))]
    return Table(table.number, turned[0], turned[1:], table.lines, table.columns)


def _row(table: Table, cells: Sequence[Cell], names: Sequence[Name | None], batch: int | None) -> Row:
    """Return one configuration."""
    labels, row = [], Row(f"table {table.number}", "", cells[0].place)
    for cell, name in zip(cells, names, strict=True):
        figure = read_cell(cell.text, cell.place) if name is not None else None
        if name is None or figure is None:
            if cell.text and (name is None or cell is cells[0]):
                labels.append(plain(cell.text))
            continue
        add(row, name, figure)
        for aside in asides(cell.text, cell.place):
            if aside.unit in OF_UNIT and not name.metric.startswith(("accept", "speedup", "change")):
                metric = OF_UNIT[aside.unit]
                add(row, Name(metric, "", False, f"{name.text} in brackets", "", name.text), aside)
    row.words = " ".join(labels)
    configure(row, row.words)
    row.label = labels[0] if labels else plain(cells[0].text)
    if row.batch is None:
        row.batch = batch
    return row
