"""`grade truth count`: how many parameters a model has, part by part and by each convention."""

import json
from pathlib import Path

import click

from reference.cli_next import told_next


class _UnusableInputError(click.ClickException):
    """What was asked for cannot be counted; the exit status is that of a usage error."""

    exit_code = 2


@click.command("count")
@click.argument("config", metavar="CONFIG.json", type=click.Path(path_type=Path))
@click.option(
    "--task", help="base, masked-lm, causal-lm, seq-classification …  [default: what `architectures` names, or base]"
)
@click.option("--without", multiple=True, metavar="PARTS", help="Leave out, such as biases,norms,head,positions.")
@click.option("--lora", metavar="SETTINGS", help="Add an adapter, such as r=16,target=q_proj,target=v_proj.")
@click.option("--json", "as_json_text", is_flag=True, help="Print JSON.")
def count_command(
    config: Path, task: str | None, without: tuple[str, ...], lora: str | None, as_json_text: bool
) -> None:
    """Count the parameters of the model that CONFIG.json describes.

    CONFIG.json is a Hugging Face configuration; keys that are missing take the architecture's defaults. The model is
    built without weights: nothing is downloaded, and any size is counted in seconds. Tied parameters are counted once;
    buffers are no parameters.
    """
    from reference.counting.configs import read_values
    from reference.counting.errors import CountError
    from reference.counting.lora import parse_lora
    from reference.counting.report import as_json, report_on
    from reference.counting.table import show

    chosen = tuple(name.strip() for names in without for name in names.split(",") if name.strip())
    try:
        report = report_on(read_values(config), task, chosen, parse_lora(lora) if lora is not None else None)
    except CountError as error:
        raise _UnusableInputError(str(error)) from error
    if as_json_text:
        click.echo(json.dumps(as_json(report), indent=2, ensure_ascii=False))
    else:
        show(report)
        told_next("name it as `config` in a [[models]] table of your lab.toml, then: grade truth build --lab FOLDER")
