"""Train something tiny, record it, and write report.html."""

import torch

from comgra_export import ComgraRecorder, export

model = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

with ComgraRecorder("recordings", max_num_batch_size_to_record=8, existing_trial="replace") as recorder:
    recorder.track_module("model", model)
    for step in range(1000):
        with recorder.batch(step, 64), recorder.iteration():
            x = torch.rand(64, 2)
            recorder.register_tensor("x", x, is_input=True)
            product = model(x)
            recorder.register_tensor("product", product)
            loss = torch.nn.functional.mse_loss(product, x[:, :1] * x[:, 1:])
            recorder.register_tensor("loss", loss, is_loss=True)
            optimizer.zero_grad()
            loss.backward()
            recorder.record_current_gradients("gradients")
            optimizer.step()
            recorder.record_kpi_in_graph("loss", "training", loss, record_even_if_recording_is_inactive=True)

export("recordings", "report.html", title="Learning to multiply", force=True)
