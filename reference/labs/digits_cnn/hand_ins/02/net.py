from torch.optim import SGD

net = cnn()
optimizer = SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=0.0005, nesterov=True, dampening=0)
