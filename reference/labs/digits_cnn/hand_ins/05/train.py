optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
