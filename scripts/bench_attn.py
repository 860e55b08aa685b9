"""How fast `streaming_attention` is and how much memory it needs, next to others.

All contenders run in this process, in turns, on the same inputs: float32, 8 heads of
64, as many threads as asked for. What counts are the ratios of the medians; they mean
something only while nothing else runs. PyTorch takes part where it is installed.
"""

import argparse
import statistics
import subprocess
import sys
import time

import numpy as np
import threadpoolctl

import attn

try:
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError:
    torch = None

HEADS, WIDTH = 8, 64
TARGETS = {
    ("PyTorch flash", False): 0.9,
    ("PyTorch flash", True): 0.9,
    ("PyTorch math", False): 2.5,
    ("PyTorch math", True): 4.0,
    ("attn.attention", False): 2.5,
    ("attn.attention", True): 2.5,
}
MEMORY_N, MEMORY_TARGET_MB = 8192, 64
# Idle threads of BLAS and OpenMP keep a core busy for a while after each call.
PAUSE = 0.1


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, nargs="+", default=[2048, 4096], help="sequence lengths (default: 2048 4096)")
    parser.add_argument("--rounds", type=int, default=7, help="turns that each contender gets (default: 7)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peak", type=int, metavar="N", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.peak:
        print(peak_of_one_call(options.peak, options.threads))
        return 0

    print(f"float32, {HEADS} heads of {WIDTH}, {options.threads} threads, medians of {options.rounds} turns")
    if torch is None:
        print("PyTorch is not installed: it is left out")
    print(f"\n{'n':>5} {'causal':>6}  {'contender':<20} {'ms':>8} {'÷ ours':>7} {'target':>7}")
    missed = 0
    for n in options.n:
        for causal in (False, True):
            times = run_in_turns(contenders(n, causal, options.threads), options.rounds, options.threads)
            ours = times["streaming_attention"]
            for name, seconds in times.items():
                target = TARGETS.get((name, causal))
                ratio = seconds / ours
                missed += target is not None and ratio < target
                wanted = f"≥ {target}" if target else ""
                print(f"{n:>5} {causal!s:>6}  {name:<20} {seconds * 1000:>8.0f} {ratio:>7.2f} {wanted:>7}")

    if sys.platform == "linux":
        peak = peak_in_new_process(MEMORY_N, options.threads)
        missed += peak > MEMORY_TARGET_MB
        table = HEADS * MEMORY_N**2 * 4 / 1e6
        print(f"\nmemory at n = {MEMORY_N}, beyond inputs and output: {peak:.1f} MB", end=" ")
        print(f"(target ≤ {MEMORY_TARGET_MB} MB);")
        print(f"one n × n table for each head would take {table:.0f} MB")
    else:
        print("\nmemory is measured on Linux only")
    return 1 if missed else 0


def inputs(n):
    rng = np.random.default_rng(0)
    return [rng.standard_normal((HEADS, n, WIDTH), dtype=np.float32) for _ in range(3)]


def contenders(n, causal, threads):
    """Name → call, each checked once against the first."""
    q, k, v = inputs(n)
    calls = {
        "streaming_attention": lambda: attn.streaming_attention(q, k, v, causal=causal, threads=threads),
        "attn.attention": lambda: attn.attention(q, k, v, causal=causal),
    }
    if torch is not None:
        tensors = [torch.from_numpy(array)[None] for array in (q, k, v)]

        def call(backend):
            with sdpa_kernel(backend), torch.inference_mode():
                return torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=causal)[0].numpy()

        calls["PyTorch flash"] = lambda: call(SDPBackend.FLASH_ATTENTION)
        calls["PyTorch math"] = lambda: call(SDPBackend.MATH)
    expected = calls["streaming_attention"]()
    for name, call_ in calls.items():
        np.testing.assert_allclose(call_(), expected, rtol=0, atol=2e-5, err_msg=name)
    return calls


def run_in_turns(calls, rounds, threads):
    """Median seconds for each call. Taking turns, all of them meet the same noise."""
    seconds = {name: [] for name in calls}
    if torch is not None:
        torch.set_num_threads(threads)
    with threadpoolctl.threadpool_limits(threads):
        for _ in range(rounds):
            for name, call in calls.items():
                time.sleep(PAUSE)
                start = time.perf_counter()
                call()
                seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def peak_in_new_process(n, threads):
    """Megabytes, measured where nothing has been allocated before."""
    command = [sys.executable, __file__, "--peak", str(n), "--threads", str(threads)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def peak_of_one_call(n, threads):
    """Megabytes that one call of streaming_attention adds to this process, output not counted."""
    q, k, v = inputs(n)
    attn.streaming_attention(q[:, :16], k[:, :16], v[:, :16], threads=threads)  # loads BLAS, takes no tile
    with open("/proc/self/clear_refs", "w") as command:
        command.write("5")  # the peak so far is forgotten
    before = peak_of_this_process()
    output = attn.streaming_attention(q, k, v, threads=threads)
    return (peak_of_this_process() - before - output.nbytes) / 1e6


def peak_of_this_process():
    """Bytes. getrusage would tell the peak of the parent, if that was larger."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    sys.exit(main())
