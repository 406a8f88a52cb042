"""Draws loss.png from the logs of train.py and prints the table of README.md.

    python report.py WORK
"""
import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
VALUES_PER_TOKEN = {"austen-mha": 4 * 512, "austen-gqa": 4 * 128, "austen-mqa": 4 * 64, "austen-mla": 4 * 80}
# Okabe-Ito, distinct without colour vision; and a marker of its own for each.
COLOURS = {"austen-mha": "#0072B2", "austen-gqa": "#E69F00", "austen-mqa": "#D55E00", "austen-mla": "#009E73"}
MARKERS = {"austen-mha": "o", "austen-gqa": "s", "austen-mqa": "^", "austen-mla": "D"}


def draw(logs):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for name, log in logs.items():
        left.plot(log["steps"], log["loss"], color=COLOURS[name], marker=MARKERS[name], markevery=10, markersize=4,
                  linewidth=1.4, label=name)
        steps, bits = zip(*log["held_out"])
        right.plot(steps, bits, color=COLOURS[name], marker=MARKERS[name], markersize=4.5, linewidth=1.4, label=name)
    left.set(title="training loss (mean of 20 steps)", xlabel="step (4,096 tokens each)", ylabel="nats a token")
    right.set(title="held-out chapters, windows of 1,024 tokens", xlabel="step", ylabel="bits a byte")
    left.set_ylim(top=min(7.0, left.get_ylim()[1]))
    for axes in (left, right):
        axes.axvline(1200, color="#888888", linewidth=0.8, linestyle=":")
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    right.annotate("training windows of\n1,024 tokens from here", (1200, right.get_ylim()[0]), (-6, 8),
                   textcoords="offset points", fontsize=9, color="#444444", ha="right", va="bottom")
    left.legend(frameon=False)
    figure.savefig(HERE / "loss.png", dpi=110)


def main():
    work = pathlib.Path(sys.argv[1])
    logs = {name: json.loads((work / f"{name}.json").read_text()) for name in VALUES_PER_TOKEN if (work / f"{name}.json").exists()}
    draw(logs)
    print("| model | parameters | cache bytes a token (bf16) | held-out bits a byte | training loss, mean of the last 20 steps |")
    print("|---|---|---|---|---|")
    for name, log in logs.items():
        print(f"| `{name}` | {log['parameters']:,} | {2 * VALUES_PER_TOKEN[name]:,} | {log['final_bits_per_byte']:.4f} "
              f"| {log['loss'][-1]:.3f} |")


if __name__ == "__main__":
    main()
