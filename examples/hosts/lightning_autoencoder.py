"""Train an autoencoder with Lightning, record it, and write comgra/comgra.html."""

import torch
from lightning.pytorch import LightningModule, Trainer
from torch import nn

from comgra_export.integrations.lightning import ComgraCallback


class Autoencoder(LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
        self.decoder = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 8))

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        loss = nn.functional.mse_loss(self.decoder(self.encoder(batch[0])), batch[0])
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch: list[torch.Tensor], _: int) -> None:
        self.log("val_loss", nn.functional.mse_loss(self.decoder(self.encoder(batch[0])), batch[0]))

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=0.01)


data = torch.utils.data.TensorDataset(torch.rand(120, 2) @ torch.rand(2, 8))
loaders = [torch.utils.data.DataLoader(part, batch_size=10) for part in torch.utils.data.random_split(data, [100, 20])]
trainer = Trainer(max_epochs=3, callbacks=[ComgraCallback("comgra")], logger=False, enable_checkpointing=False, accelerator="cpu")
trainer.fit(Autoencoder(), *loaders)
