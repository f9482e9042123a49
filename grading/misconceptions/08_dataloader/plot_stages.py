# %% stages_axis_unnamed: The names under the bars say what the x axis is. (promise 2)
def plot_stages(records: dict[str, float], ax=None):
    ax = new_axes(ax)
    total = sum(records.values())
    ax.bar(list(records), [100 * seconds / total for seconds in records.values()])
    ax.set_ylabel("share of the time (%)")
    return ax


# %% stages_in_seconds: The seconds show where the time goes as well as the shares do.
# (promise 3)
def plot_stages(records: dict[str, float], ax=None):
    ax = new_axes(ax)
    ax.bar(list(records), list(records.values()))
    ax.set(xlabel="stage", ylabel="share of the time (%)")
    return ax


# %% stages_sorted_without_their_names: Bars look best from large to small. (promise 4)
def plot_stages(records: dict[str, float], ax=None):
    ax = new_axes(ax)
    total = sum(records.values())
    shares = sorted((100 * seconds / total for seconds in records.values()), reverse=True)
    ax.bar(list(records), shares)
    ax.set(xlabel="stage", ylabel="share of the time (%)")
    return ax


# %% limits_of_a_fraction: A share goes from 0 to 1. (promise 5)
def plot_stages(records: dict[str, float], ax=None):
    ax = new_axes(ax)
    total = sum(records.values())
    ax.bar(list(records), [100 * seconds / total for seconds in records.values()])
    ax.set(xlabel="stage", ylabel="share of the time (%)", ylim=(0, 1))
    return ax


# %% shares_written_into_the_records: The seconds are no longer needed once they are
# shares. (promise 6)
def plot_stages(records: dict[str, float], ax=None):
    ax = new_axes(ax)
    total = sum(records.values())
    for stage in records:
        records[stage] = 100 * records[stage] / total
    ax.bar(list(records), list(records.values()))
    ax.set(xlabel="stage", ylabel="share of the time (%)")
    return ax
