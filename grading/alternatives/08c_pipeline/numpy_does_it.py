# NumPy's own weighted choice, exponential races instead of keys, and arrays wherever they fit.
def add_step(steps, name, settings):
    if name in set(steps):
        raise ValueError(f"the step .{name}() has already been called, once is enough")
    new = dict(steps)
    new[name] = settings
    return new


def draw_with_replacement(weights, size, seed=None):
    probability = np.asarray(weights, dtype=np.float64)
    return (
        np.random.default_rng(seed)
        .choice(len(probability), size=size, p=probability / probability.sum())
        .astype(np.int64)
    )


def draw_without_replacement(weights, size, seed=None):
    # Who finishes first: an exponential waiting time of rate weight for each row.
    rates = np.asarray(weights, dtype=np.float64)
    runners = (rates > 0).sum()
    if size > runners:
        raise ValueError(f"{size} rows were asked for, and only {runners} have a positive weight")
    finish_times = np.full(len(rates), np.inf)
    finish_times[rates > 0] = (
        np.random.default_rng(seed).exponential(size=runners) / rates[rates > 0]
    )
    return np.argsort(finish_times)[:size].astype(np.int64)


def shuffle_quality(order):
    places = np.array(order).astype(float)
    if len(places) < 2:
        raise ValueError(f"{len(places)} rows cannot be mixed, 2 can")
    full = 3 * len(places) / ((len(places) - 1) * (len(places) + 1))
    return float(sum(abs(places - range(len(places)))) / len(places) * full)


def plot_randomness(records, ax=None):
    ax = new_axes(ax)
    table = np.asarray(records, dtype=float) * [1e-6, 100]
    ax.plot(*table.T, "o-")
    ax.set_xlabel("room for rows (MB)")
    ax.set_ylabel("moved (% of a full shuffle)")
    ax.set_ylim(0, max(105, table[:, 1].max() * 1.05))
    return ax
