"""What the lab says of arguments that only some versions take holds for the installed one."""

import inspect
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest
from transformers import AutoModelForCausalLM, BloomConfig, BloomForCausalLM

from grader.lab.definition import ChangedArgument
from grader.lab.files import lab_folder, load_lab

CHANGED = load_lab(lab_folder("nlp-frameworks")).changed
OF_CLASSES = [one for one in CHANGED if "from_pretrained" not in one.calls]
OF_LOADING = [(one, name) for one in CHANGED if "from_pretrained" in one.calls for name in one.arguments]
VALUES = {"use_auth_token": False, "load_in_4bit": False, "load_in_8bit": False, "dtype": "float32"}


@pytest.mark.parametrize("change", OF_CLASSES, ids=[next(iter(one.arguments)) for one in OF_CLASSES])
def test_a_class_takes_what_the_lab_says(change: ChangedArgument) -> None:
    for call in change.calls:
        known = inspect.signature(getattr(import_module(change.library), call)).parameters
        for name, other in change.arguments.items():
            assert (name in known) is change.takes(version(change.library)), (call, name)
            assert not other or other in known or name in known, (call, other)


@pytest.mark.parametrize(("change", "name"), OF_LOADING, ids=[name for _, name in OF_LOADING])
def test_loading_takes_what_the_lab_says(change: ChangedArgument, name: str, tmp_path: Path) -> None:
    BloomForCausalLM(BloomConfig(vocab_size=9, hidden_size=8, n_layer=1, n_head=1)).save_pretrained(tmp_path)
    given = {name: VALUES.get(name, True)}
    if change.takes(version("transformers")):
        AutoModelForCausalLM.from_pretrained(tmp_path, **given)
    else:
        with pytest.raises(TypeError, match=name):
            AutoModelForCausalLM.from_pretrained(tmp_path, **given)
