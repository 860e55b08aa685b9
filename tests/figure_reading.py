"""What a figure shows, read from the drawn artists: the tests look at data, not pixels."""

from matplotlib.patches import Rectangle
from matplotlib.text import Text


def texts(fig):
    """gid → text, of every text that has a gid and something to say."""
    return {text.get_gid(): text.get_text() for text in fig.findobj(Text) if text.get_gid() and text.get_text()}


def cells(fig, name):
    """(row, column) → rectangle, of the table `name`."""
    found = {}
    for patch in fig.findobj(Rectangle):
        gid = patch.get_gid() or ""
        head, _, tail = gid.rpartition(" ")
        head, _, row = head.rpartition(" ")
        if head == name:
            found[int(row), int(tail)] = patch
    return found


def table(fig, name):
    """The texts of the table `name` as rows of strings; an empty cell is ''."""
    written = texts(fig)
    places = cells(fig, name)
    rows = 1 + max(row for row, _ in places)
    columns = 1 + max(column for _, column in places)
    return [[written.get(f"{name} {i} {j}", "") for j in range(columns)] for i in range(rows)]


def hatched(fig, name):
    """The places of the hatched cells of the table `name`."""
    return {place for place, patch in cells(fig, name).items() if patch.get_hatch()}


def strengths(fig, name):
    """(row, column) → opacity of the fill, from 0 to 1."""
    return {place: patch.get_facecolor()[3] for place, patch in cells(fig, name).items()}


def every_text(fig):
    return [text.get_text() for text in fig.findobj(Text) if text.get_text()]


def overlapping_texts(fig):
    """Pairs of texts whose ink boxes meet, and texts that leave the page."""
    renderer = fig.canvas.get_renderer()
    shown = [t for t in fig.findobj(Text) if t.get_text().strip() and t.get_visible() and _drawn(t)]
    boxes = [(t.get_text(), t.get_window_extent(renderer)) for t in shown]
    problems = []
    for i, (text, box) in enumerate(boxes):
        if box.x0 < 0 or box.y0 < 0 or box.x1 > fig.bbox.x1 or box.y1 > fig.bbox.y1:
            problems.append((text, "off the page"))
        for other, other_box in boxes[i + 1 :]:
            width = min(box.x1, other_box.x1) - max(box.x0, other_box.x0)
            height = min(box.y1, other_box.y1) - max(box.y0, other_box.y0)
            # A box holds room for accents and descenders: touching is not overlapping.
            if width > 1 and height > 0.3 * min(box.height, other_box.height):
                problems.append((text, other))
    return problems


def _drawn(text):
    """Texts of axes that are switched off are there, but not drawn."""
    axes = text.axes
    return axes is None or axes.axison or text in axes.texts
