"""The given part of the package: tensors with gradients, layers, losses, optimizers, a training
loop. Students export their own modules to this folder.
"""
