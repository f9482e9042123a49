"""Laws of exercise 11b, order_bytes."""

from tinytorch.law_tools import about, worked
from tinytorch.laws import law


@law(
    1,
    "int64 array",
    look="how many bytes are 64 bits? Is this also what is asked for without in_list?",
)
def test_an_array_has_the_bytes_of_its_indices(tt, draw):
    k = int(draw.integers(2, 900))
    table = [
        (1_000, 8_000),
        (3, 24),
        (60_000, False, 480_000),
        (1_000 * k, 8_000 * k),
        (50 * k, False, 400 * k),
    ]
    yield from worked(tt, "order_bytes", table)


@law(
    2,
    "a pointer of 8",
    look="what does a list hold for each index, and what is kept beside the list?",
)
def test_a_list_has_the_bytes_of_pointers_and_integers(tt, draw):
    k = int(draw.integers(2, 900))
    table = [
        (1_000, True, 40_000),
        (3, True, 120),
        (60_000, True, 2_400_000),
        (1_000 * k, True, 40_000 * k),
        (50 * k, True, 2_000 * k),
    ]
    yield from worked(tt, "order_bytes", table)
    call, got = (
        "order_bytes(200, in_list=True)",
        lambda: tt.order_bytes(200, in_list=True),
    )
    yield call, got, 8_000, about(8_000)
