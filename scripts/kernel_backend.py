"""The matplotlib backend of a lab's kernel: what is shown becomes an output of its cell.

Selected with `MPLBACKEND=module://kernel_backend`. The output holds what goes into a page,
the same as `worker.py` hands over for a chapter.
"""

from IPython.display import display
from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

from worker import page_figure

MIME = "application/vnd.attention-by-hand.figure+json"


class FigureManager(FigureManagerBase):
    @classmethod
    def pyplot_show(cls, *, block=None):
        for manager in Gcf.get_all_fig_managers():
            display({MIME: page_figure(manager.canvas.figure)}, raw=True)
        Gcf.destroy_all()


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager
