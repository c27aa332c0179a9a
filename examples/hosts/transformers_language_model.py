"""Train a tiny language model with the Trainer of transformers, record it, and write comgra/comgra.html."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

from comgra_export.integrations.transformers import ComgraCallback

model = GPT2LMHeadModel(GPT2Config(vocab_size=32, n_positions=16, n_embd=16, n_layer=2, n_head=2))
texts = [{"input_ids": row, "labels": row} for row in torch.randint(0, 32, (64, 8))]
arguments = TrainingArguments(output_dir="output", max_steps=20, logging_steps=5, save_strategy="no", report_to=[], use_cpu=True)
trainer = Trainer(model, arguments, train_dataset=texts, callbacks=[ComgraCallback("comgra")])
trainer.train()
