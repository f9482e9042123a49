"""From where on a number counts: as a bottleneck, as noise, as a busy machine."""

NOISY_SPREAD = 0.15  # above this, the machine was busy: measure again before you conclude
BUSY = 0.1  # the share of the time that other programs have this one's core on a busy machine
NOT_THE_BOTTLENECK = 0.05  # as PyTorch's profiler, which gives advice on the loader above 5%
