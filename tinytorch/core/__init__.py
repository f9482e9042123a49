"""The given part of the course: tensors with gradients, layers, losses, optimizers, a training
loop; and what students export.
"""
