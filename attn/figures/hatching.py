"""Hatches on tinted shapes, so that no figure is told apart by colour alone."""

from collections.abc import Iterable

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle


def hatch_over(ax: Axes, rectangles: Iterable[Rectangle], hatch: str, colour) -> None:
    """Lay a hatch over rectangles that are already drawn.

    A second shape, because matplotlib writes the hatch and the fill of one shape with
    one opacity: on a tint of its own colour the hatch would not be seen.
    """
    for rectangle in rectangles:
        ax.add_patch(
            Rectangle(
                rectangle.get_xy(),
                rectangle.get_width(),
                rectangle.get_height(),
                facecolor="none",
                edgecolor=colour,
                linewidth=0,
                hatch=hatch,
                zorder=rectangle.get_zorder(),
            )
        )
