"""The network of the hand-out. `grade truth build` counts it; grading never runs this file."""

from torch import nn


def cnn() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(512, 64), nn.ReLU(),
        nn.Linear(64, 10),
    )
