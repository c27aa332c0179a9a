"""Train with Accelerate, record it, and write comgra/comgra.html."""

import torch
from accelerate import Accelerator
from torch import nn

from comgra_export.integrations.accelerate import ComgraTracker

model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
accelerator = Accelerator(log_with=ComgraTracker(model, "comgra"), gradient_accumulation_steps=2, cpu=True)
net, optimizer = accelerator.prepare(model, torch.optim.Adam(model.parameters(), lr=0.01))
accelerator.init_trackers("multiplication", config={"lr": 0.01})
for batch in range(60):
    with accelerator.accumulate(net):
        x = torch.rand(32, 2)
        loss = nn.functional.mse_loss(net(x), x.prod(dim=1, keepdim=True))
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    accelerator.log({"train_loss": loss.item()}, step=batch)
accelerator.end_training()
