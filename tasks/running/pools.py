"""Names of the work pools and of what runs on GPU workers; importing them costs nothing."""

from typing import Literal

CPU_POOL: Literal["flgc-cpu"] = "flgc-cpu"
GPU_POOL: Literal["flgc-gpu"] = "flgc-gpu"
GPU_FLOW = "fit-on-gpu"
GPU_DEPLOYMENT = f"{GPU_FLOW}/fit-on-gpu"
