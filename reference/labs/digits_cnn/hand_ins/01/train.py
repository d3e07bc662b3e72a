import torch
from torch import nn

model = cnn()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, dampening=0, weight_decay=0.0005, nesterov=True)
