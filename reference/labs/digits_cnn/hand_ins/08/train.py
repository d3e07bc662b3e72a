import torch.optim as optim

optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4, nesterov=True, dampening=0)
scheduler = optim.lr_scheduler.StepLR(optimizer, 10)
