# %% hits_per_load: Three hits for one load are a rate of three. (promise 1)
def sequential_hit_rate(file_length, batch_size):
    return file_length / batch_size - 1
