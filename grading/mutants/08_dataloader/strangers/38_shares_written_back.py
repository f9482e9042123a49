# What the student believed: the dict may hold the shares, since the seconds are no
# longer needed.
# breaks: "records are a dict stage -> seconds" that belongs to the caller: after the
# plot {"read": 1, "stack": 3} holds 25 and 75, in percent.
def plot_stages(records: dict[str, float], ax=None):
    """Draw each stage's share of the time in percent. Return the Axes."""
    ax = new_axes(ax)
    total = sum(records.values())
    for stage in records:
        records[stage] = 100 * records[stage] / total
    ax.bar(list(records), list(records.values()))
    ax.set(xlabel="stage", ylabel="share of the time (%)")
    return ax
