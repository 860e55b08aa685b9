"""A matplotlib backend in which `plt.show()` is silent and hands its figures over.

Selected with `MPLBACKEND=module://capture_backend`. The build and the page `take` the
figures; the tests only need the silence. As after a real window is closed, pyplot
forgets a figure that was shown.
"""

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

shown: list[Figure] = []


def take() -> list[Figure]:
    """What was shown since the last call."""
    figures, shown[:] = list(shown), []
    return figures


class FigureManager(FigureManagerBase):
    @classmethod
    def pyplot_show(cls, *, block=None):
        shown.extend(manager.canvas.figure for manager in Gcf.get_all_fig_managers())
        Gcf.destroy_all()


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager
