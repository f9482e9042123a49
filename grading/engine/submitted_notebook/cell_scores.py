"""What the outputs of a test cell say: an error, a score, or nothing (full marks).

The student's code and the test cell share one Python process, so that code of the student can forge
what is read here. Points that must not be at risk belong to sealed tests.
"""

import ast
import json
import math
import re
from typing import Any

from grading.engine.nbgrader.import_nbgrader import nbformat, quiet

with quiet():
    from nbgrader.utils import determine_grade

WAS_RUN = "tito_run"  # key of `resources`: whether the notebook was run; set when it was its turn
_NUMBER = re.compile(r"(?:np\.(?:float|u?int)\d+\()?([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\)?")


def partial_score(data: Any, max_points: float) -> float | None:
    """The score given by the last value of a test cell: a plain finite number within 0..max_points,
    else None.
    """
    text = data.get("text/plain") if isinstance(data, dict) else None
    if isinstance(text, list) and all(isinstance(part, str) for part in text):
        text = "".join(text)
    if not isinstance(text, str) or len(text) >= 100:
        return None
    match = _NUMBER.fullmatch(text.strip())
    if match is None or text.strip().endswith(")") != text.strip().startswith("np."):
        return None
    score = float(match.group(1))
    return score if math.isfinite(score) and 0 <= score <= max_points else None


def nbgraders_score(cell: Any, outputs: list[Any]) -> tuple[float | None, str]:
    """The points that nbgrader itself gives a test cell with these outputs, None if it refuses
    them; and, if this grader gives others, why.
    """
    if "skip-execution" in cell.metadata.get("tags", ()):
        return float(cell.metadata["nbgrader"]["points"]), "the cell is run in spite of its tag"
    try:
        points = determine_grade(nbformat.from_dict({**cell, "outputs": outputs}))[0]
    except (ValueError, KeyError):
        points = None
    first = next((out for out in outputs if decides(out)), None)
    if first is not None and first.output_type == "stream":
        return points, "text on stderr costs no points"
    if any(out.output_type == "error" for out in outputs):
        return points, "an error costs all points, whatever value the cell showed before it"
    return points, "a number of NumPy as the cell's value is its points"


def decides(output: Any) -> bool:
    """Whether nbgrader looks at this output, and at no later one."""
    kind = output.output_type
    return kind in ("error", "execute_result") or (kind == "stream" and output.name == "stderr")


def is_bool(data: Any) -> bool:
    """True when a cell's last value is a bool, for which nbgrader gives full marks, True or not."""
    text = data.get("text/plain") if isinstance(data, dict) else None
    return text in ("True", "False", "np.True_", "np.False_")


def harmless_value(source: str) -> bool:
    """True when the last line is text or another constant that is not a number, or draws by `plt`:
    nothing that the instructor meant as a score.
    """
    try:
        last = ast.parse(source).body[-1]
    except (SyntaxError, IndexError, ValueError):
        return False
    match last:
        case ast.Expr(ast.Constant(value)):
            return isinstance(value, (str, bool)) or value in (None, Ellipsis)
        case ast.Expr(value):
            return ast.unparse(value).startswith("plt.")
    return False


def well_formed(output: Any) -> bool:
    """True when an output is valid in nbformat's schema and can be written as UTF-8."""
    try:
        nbformat.validate(output, ref="output", version=4)
        json.dumps(output, ensure_ascii=False).encode()
    except (nbformat.ValidationError, ValueError, TypeError, RecursionError):
        return False
    return True
