"""Whether answers are found however students number them: `python -m scripts.numbering`.

Invented answer sheets (`sheets.toml`) are written in every numbering form (`forms.py`) and every format of reports
(`formats.py`), read by the grader, and cut at the lab's questions. An answer counts as found where the text under its
question is exactly the answer. `measure.py` prints the share for each form and format.
"""
