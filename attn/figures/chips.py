"""Chips: a position named beside its row, whatever row it has moved to."""

from matplotlib.axes import Axes

from .canvas import panel, tint, write
from .style import BLUE, GREEN, ORANGE, PURPLE, SMALL

CHIP = 15.0
# A position is told by the number on its chip; where its cells are drawn too, by a
# hatch as well. The colour only helps.
POSITION_COLOURS = [BLUE, ORANGE, GREEN, PURPLE]
POSITION_HATCHES = ["////", "", "\\\\\\\\", "xxxx"]


def position_chip(ax: Axes, x: float, y: float, position: int, gid: str) -> None:
    """The number of a position (counted from 0, written from 1) on its colour."""
    colour = POSITION_COLOURS[position]
    panel(ax, x - CHIP / 2, y - CHIP / 2, CHIP, CHIP, facecolor=tint(colour, 0.35), edgecolor=colour)
    write(ax, x, y, str(position + 1), fontsize=SMALL, gid=gid)
