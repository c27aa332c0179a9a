"""Train a policy with Stable-Baselines3, record it, and write comgra/comgra.html."""

from stable_baselines3 import PPO

from comgra_export.integrations.stable_baselines3 import ComgraCallback

model = PPO("MlpPolicy", "CartPole-v1", n_steps=64, batch_size=32, n_epochs=2, device="cpu")
model.learn(256, callback=ComgraCallback("comgra"))
