"""The list of nbgrader's steps that the course replaces, used by the engine and by the generated
nbgrader_config.py.
"""

from typing import Any

from grading.engine.submission_size_and_time import CELL_SECONDS, NOTEBOOK_SECONDS


def classes(
    config: Any, *, cell_seconds: float = CELL_SECONDS, notebook_seconds: float = NOTEBOOK_SECONDS
) -> Any:
    """Fill a traitlets Config. The steps are imported here, because that takes seconds."""
    from grading.engine.nbgrader.import_nbgrader import quiet

    with quiet():
        from nbgrader import preprocessors as step

        from grading.engine.nbgrader_steps import autograde_steps, release_stubs
        from grading.engine.pages import feedback_from_notebook, safe_html
        from grading.engine.submitted_notebook import execute, notebook_files

    config.GenerateAssignment.preprocessors = [
        step.LockCells,
        release_stubs.NamedStubs,
        step.ClearOutput,
        step.CheckCellMetadata,
        step.ComputeChecksums,
        step.SaveCells,
        step.ClearHiddenTests,
        step.ClearMarkScheme,
        step.ComputeChecksums,
        step.CheckCellMetadata,
    ]
    config.Autograde.sanitize_preprocessors = [
        step.OverwriteKernelspec,
        autograde_steps.OverwriteLocked,
        autograde_steps.ClearOutputs,
        step.CheckCellMetadata,
    ]
    config.Autograde.autograde_preprocessors = [
        execute.ExecuteGraded,
        step.LimitOutput,
        autograde_steps.SealedResults,
        autograde_steps.ScoreWithoutStderr,
        step.AssignLatePenalties,
    ]
    config.Autograde.exporter_class = notebook_files.SubmissionExporter
    config.ExecuteGraded.timeout = cell_seconds
    config.ExecuteGraded.notebook_seconds = notebook_seconds
    # a graceful shutdown waits 0.1 to 0.3 s for nothing
    config.ExecuteGraded.shutdown_kernel = "immediate"
    config.GenerateFeedback.preprocessors = []
    config.GenerateFeedback.exporter_class = feedback_from_notebook.FeedbackExporter
    # formgrader shows a student's cells in a page that can write grades, so only text and pictures
    # may be shown.
    config.HTMLExporter.filters = {
        "markdown2html": safe_html.safe_markdown,
        "highlight_code": safe_html.safe_highlight,
        "ansi2html": safe_html.safe_ansi,
    }
    config.HTMLExporter.display_data_priority = safe_html.PLAIN_OUTPUTS
    config.HTMLExporter.preprocessors = [safe_html.RawAsText]
    return config


def only_the_engine_grades(config: Any) -> Any:
    """Make formgrader's button and `nbgrader autograde` refuse before they change anything.

    They would run student code with the instructor's rights, and give 0 for every sealed test.
    """
    from grading.engine.nbgrader.import_nbgrader import NbGraderException, quiet

    with quiet():
        from nbconvert.exporters import NotebookExporter

    class Refuses(NotebookExporter):
        def __init__(self, *args: Any, **kwargs: Any):
            raise NbGraderException(
                "this course is graded by: tito grade autograde --course DIR (sandboxed, with the"
                " sealed tests). Nothing was changed"
            )

    config.Autograde.exporter_class = Refuses
    return config
