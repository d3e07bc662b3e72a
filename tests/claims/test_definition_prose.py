"""Definitions in running text, in code, in tables, under headings, and without a name."""

import pytest

from grader.claims.definitions import DefinitionClaim, definitions, unassigned_text
from grader.claims.passage import Passage
from grader.reading.document import Block, BlockKind, Document
from tests.claims.making import lab, passage


def found(markdown: str) -> dict[str, DefinitionClaim]:
    return {claim.parameter: claim for claim in definitions(passage(f"# Question 2\n\n{markdown}\n"), lab())}


def texts(markdown: str) -> dict[str, str]:
    return {parameter: claim.text for parameter, claim in found(markdown).items()}


def test_two_definitions_in_a_sentence_are_cut() -> None:
    said = texts(
        "The parameter r is the rank of the two low-rank matrices, and lora_alpha is the scaling factor of the update."
    )
    assert set(said) == {"r", "lora_alpha"}
    assert "scaling" not in said["r"]
    assert "rank of the two" not in said["lora_alpha"]


def test_a_sentence_without_a_name_goes_on_with_the_one_before() -> None:
    text = (
        "The rank of the update matrices is r. A higher rank means more trainable parameters. Finally, bias says which "
        "bias vectors are trained."
    )
    said = texts(text)
    assert said["r"] == "The rank of the update matrices is r. A higher rank means more trainable parameters."
    assert said["bias"] == "Finally, bias says which bias vectors are trained."


def test_definitions_without_names_are_told_by_their_words_and_their_order() -> None:
    said = texts(
        "The first one is the rank of the two small matrices that are learned. The second is the factor by which the "
        "update is scaled before it is added. The third lists the layers that get an adapter."
    )
    assert "small matrices" in said["r"]
    assert "scaled" in said["lora_alpha"]
    assert "layers" in said["target_modules"]


def test_settings_in_code_are_no_definitions() -> None:
    said = texts('LoraConfig(r=16, lora_alpha=32,\nlora_dropout=0.05, bias="none")\nThen we train the model.')
    assert not any(said[name] for name in ("r", "lora_alpha", "lora_dropout"))


def test_a_name_in_another_definition_does_not_end_it() -> None:
    line = "- lora_alpha: the scaling factor of the update, which is multiplied by lora_alpha/r with r = 16"
    assert set(found(line)) == {"lora_alpha"}


def test_a_line_that_defines_two_parameters_is_cut_where_both_parts_are_understood() -> None:
    said = texts('bias="none" leaves every bias frozen while task_type="CAUSAL_LM" means next-token prediction.')
    assert set(said) == {"bias", "task_type"}
    assert "task_type" not in said["bias"]


def test_a_sentence_that_only_names_parameters_in_their_order_defines_none() -> None:
    order = "The sentences below follow the order r, alpha, modules, dropout, bias, type of the task. "
    assert texts(f"{order}It is the rank of the matrices A and B.") == {"r": "It is the rank of the matrices A and B."}


UNPUNCTUATED = {
    "verbs": "r is the rank of the two matrices A and B lora_alpha is the factor that scales the update "
    "bias is none as no bias is trained",
    "values": "r the rank of the two matrices A and B (16) lora_alpha the factor that scales the update (32) "
    "bias whether any bias is trained (none)",
    "verbs of French notes": "r c le rang des matrices A et B lora_alpha c ce qui multiplie la mise à jour "
    "bias none veut dire qu'on n'entraîne aucun biais",
}


@pytest.mark.parametrize("form", UNPUNCTUATED)
def test_a_name_at_which_a_definition_begins_ends_the_one_before_without_any_sign(form: str) -> None:
    said = texts(UNPUNCTUATED[form])
    assert set(said) == {"r", "lora_alpha", "bias"}
    assert "lora_alpha" not in said["r"]
    assert "bias" not in said["lora_alpha"]


@pytest.mark.parametrize("phrase", ["by which lora_alpha is divided", "for which the lora_alpha is said to be 32"])
def test_a_name_that_another_word_governs_begins_no_definition(phrase: str) -> None:
    assert set(texts(f"r is the rank of the low-rank update {phrase}.")) == {"r"}


def test_a_name_in_brackets_behind_its_value_names_what_is_defined() -> None:
    items = "- query_key_value: (target_modules) the layers with LoRA matrices\n- 16: (r) the rank of the matrices"
    said = found(items)
    assert set(said) == {"target_modules", "r"}
    assert "layers" in said["target_modules"].text


@pytest.mark.parametrize(
    "sentence",
    [
        "r and lora_alpha are respectively the rank of the two matrices A and B and the scaling factor of the update.",
        "r et lora_alpha sont respectivement le rang de la mise à jour et le facteur d'échelle de la mise à jour.",
        "r and lora_alpha: the first is the rank of the update, and the second is the scaling factor of the update.",
        "We take r = 8 and lora_alpha = 16. The first is the rank of the update, the second its scaling factor.",
        "r et lora_alpha : le premier est le rang des deux matrices, le second un facteur d'échelle de leur produit.",
        "| names | meaning |\n|---|---|\n| `r` & `lora_alpha` | rank of the update, resp. the scale of it |",
        "| names | meaning |\n|---|---|\n| r, lora_alpha | the rank of the matrices; the scaling of their product |",
    ],
)
def test_parameters_that_are_named_together_get_a_definition_each(sentence: str) -> None:
    said = texts(sentence)
    assert set(said) == {"r", "lora_alpha"}
    assert "ra" in said["r"]
    assert "scal" in said["lora_alpha"] or "échelle" in said["lora_alpha"]


def test_a_definition_in_brackets_ends_before_the_next_name() -> None:
    said = found("We use r (the rank of the update), bias (which biases are trained) and lora_alpha (32).")
    assert said["r"].text == "We use r (the rank of the update)"
    assert said["bias"].text.startswith("bias (which biases are trained)")
    assert said["lora_alpha"].value == "32"


def test_comments_in_code_define() -> None:
    code = (
        "```python\nLoraConfig(\n    r=16,  # rank of the update\n    lora_alpha=32,\n    bias='none'  # frozen\n)\n```"
    )
    said = found(code)
    assert {parameter: (claim.text, claim.value) for parameter, claim in said.items()} == {
        "r": ("rank of the update", "16"),
        "bias": ("frozen", "none"),
    }


COMMENTS = {
    "r": "width of the bottleneck (A is r x d)",
    "lora_alpha": "numerator of the factor in front of BA",
    "bias": "existing biases: train none of them (all would)",
}


def test_comments_above_the_arguments_define_them() -> None:
    code = "".join(f"    # {text}\n    {name}=1,\n" for name, text in COMMENTS.items())
    claims = definitions(passage(f"# Question 2\n\n```\nLoraConfig(\n{code})\n```\n"), lab())
    assert {claim.parameter: claim.text for claim in claims if claim.text} == COMMENTS


def test_one_comment_above_an_argument_may_be_about_anything() -> None:
    code = "```\nLoraConfig(\n    # my configuration\n    r=16,\n    lora_alpha=32,\n)\n```\n"
    assert not any(claim.text for claim in definitions(passage(f"# Question 2\n\n{code}"), lab()))


def test_a_sentence_that_a_name_leads_is_about_it() -> None:
    dropout = "lora_dropout is the probability of zeroing an entry of the input of the LoRA branch, 5 % in our case."
    bias = "About bias, the value says that the layers are made without a vector."
    claims = found(f"{dropout} {bias}")
    assert claims["bias"].text == bias
    assert "About" not in claims["lora_dropout"].text


def test_table_columns_in_any_order() -> None:
    table = "| what it is | name | value |\n|---|---|---|\n| the rank | r | 16 |\n| the scale | lora_alpha | 32 |"
    said = found(table)
    assert (said["r"].text, said["r"].value) == ("the rank", "16")
    assert (said["lora_alpha"].text, said["lora_alpha"].value) == ("the scale", "32")


def test_the_head_of_a_table_defines_nothing() -> None:
    assert found("| r | lora_alpha |\n|---|---|\n| 16 | 32 |") == {}


def test_text_below_a_heading_or_a_name_defines() -> None:
    assert texts("### r\n\nThe rank.\n\n### bias\n\n- What is trained.")["r"] == "The rank."
    assert texts("- r\n  - the rank of the update\n- bias\n  - what is trained") == {
        "r": "the rank of the update",
        "bias": "what is trained",
    }


def test_a_name_at_the_beginning_of_a_wrapped_line_goes_on() -> None:
    assert texts("- r (16): the rank of the update, the larger\n  r is, the more parameters there are.") == {
        "r": "the rank of the update, the larger r is, the more parameters there are."
    }


def test_a_definition_without_a_name_is_known_by_its_meaning() -> None:
    claim = found("- the rank of the low-rank matrices A and B\n- something else entirely")["r"]
    assert not claim.named
    assert claim.text == "the rank of the low-rank matrices A and B"


@pytest.mark.parametrize(
    ("line", "value", "in_text"),
    [
        ("- r (16): the rank", "16", False),
        ("- r: the rank, set to 8", "8", True),
        ("- r : le rang des deux facteurs ; chez nous 4 au lieu de 16.", "4", True),
        ("- r: the rank, 2 matrices instead of one", None, False),
        ("- lora_dropout: units that are randomly set to 0", None, False),
        ("- r (rank): how large A is", None, False),
    ],
)
def test_only_the_parameters_own_value_is_a_value(line: str, value: str | None, in_text: bool) -> None:
    (claim,) = found(line).values()
    assert (claim.value, claim.in_text) == (value, in_text)


def test_what_belongs_to_no_definition_is_known() -> None:
    read = passage("# Question 2\n\nHere they are:\n\n- r: the rank\n\nI do not know the others at all.\n")
    assert [one.text for one in unassigned_text(read, lab())] == ["I do not know the others at all."]


def test_a_cell_of_one_word_defines_where_another_one_is_the_value() -> None:
    claim = found('| target_modules | ["query_key_value"] | L\'attention. |')["target_modules"]
    assert (claim.value, claim.text) == ('["query_key_value"]', "L'attention.")


def test_the_prompts_of_a_terminal_are_no_part_of_code() -> None:
    code = "```\n>>> LoraConfig(\n...   r=16,  # rank of the update\n...   lora_alpha=32,  # its scale\n... )\n```"
    assert texts(code) == {"r": "rank of the update", "lora_alpha": "its scale"}


def test_the_items_of_a_latex_description_name_parameters() -> None:
    items = "\\item[\\texttt{r = 16}] The rank of the update.\n\\item[\\texttt{lora_alpha = 32}] Its scale."
    assert texts(items) == {"r": "The rank of the update.", "lora_alpha": "Its scale."}


def test_what_stands_behind_a_name_in_a_paragraph_of_its_own_is_its_definition() -> None:
    said = texts("`r` the rank of the update.\n\n`lora_alpha` its scale.\n\n`bias` which bias vectors are trained.")
    assert {name: text.removeprefix(f"{name} ") for name, text in said.items()} == {
        "r": "the rank of the update.",
        "lora_alpha": "its scale.",
        "bias": "which bias vectors are trained.",
    }


def test_what_equals_a_number_is_not_the_parameter() -> None:
    claim = found("- lora_alpha is divided by the rank, which gives a factor that equals 2")["lora_alpha"]
    assert claim.value is None


def test_what_follows_a_row_of_settings_is_not_the_definition_of_the_last() -> None:
    text = (
        'We set r=16, lora_alpha=32, target_modules=["query_key_value"], lora_dropout=0.05, and\n'
        'bias="none". In words, LoRA learns an update BA whose rank is r.\n'
        "The option bias says which bias vectors are trained."
    )
    assert "LoRA learns" not in texts(text)["bias"]


def test_the_former_and_the_latter_are_told_apart() -> None:
    both = texts(
        "r = 16 and lora_alpha = 32 belong together: the former is the rank of the update, "
        "and the latter, divided by the former, multiplies what the adapter adds."
    )
    assert both["r"] == "is the rank of the update"
    assert both["lora_alpha"].startswith("divided by the former")


def test_an_equation_in_a_sentence_does_not_cut_it() -> None:
    said = texts("With lora_alpha the output of the adapter is multiplied by alpha/r = 32/16 = 2 before it is added.")
    assert said["lora_alpha"].startswith("With lora_alpha")


def lines(*found: tuple[float, str]) -> Passage:
    """Lines of a page, each with the height at which it stands."""
    blocks = tuple(
        Block(kind=BlockKind.LINE, text=text, page=1, box=(90.0, top, 500.0, top + 11.0)) for top, text in found
    )
    return Passage.from_document(Document(file="report.pdf", exact=False, blocks=blocks))


def test_a_gap_after_a_sentence_ends_a_definition() -> None:
    page = lines(
        (100, "lora_alpha: the factor by which the update of the adapter is multiplied"),
        (114, "before it is added to the output of the frozen layer."),
        (136, "Our best run was scaled to the whole machine, and the update took an hour."),
        (150, "We are glad that it is over."),
    )
    (claim,) = (one for one in definitions(page, lab()) if one.parameter == "lora_alpha")
    assert claim.text.endswith("of the frozen layer.")


def test_a_setting_that_begins_a_line_by_chance_opens_no_definition() -> None:
    page = lines(
        (100, "The difference is multiplied by lora_alpha over r before it is added, so"),
        (114, "lora_alpha=32 makes that the update of the adapter counts two times."),
    )
    assert all(one.text != "makes that the update of the adapter counts two times." for one in definitions(page, lab()))


def test_the_lines_below_a_row_belong_to_it_where_the_next_row_follows() -> None:
    def page(*lines: str) -> Passage:
        blocks = (
            Block(kind=BlockKind.ROW if "\t" in text else BlockKind.LINE, text=text, cells=tuple(text.split("\t")))
            for text in lines
        )
        return Passage.from_document(Document(file="report.pdf", exact=False, blocks=tuple(blocks)))

    rows = page("r\trank of", "the update", "lora_alpha\tscale of it", "We trained for an hour.")
    assert {one.parameter: one.text for one in definitions(rows, lab())} == {
        "r": "rank of the update",
        "lora_alpha": "scale of it",
    }


def test_a_letter_in_a_list_and_the_symbol_of_a_parameter_open_definitions() -> None:
    listed = found("a. r = 16. The rank of the update.\n\nb. lora_alpha = 32. Its scale.")
    assert {one.parameter: one.text for one in listed.values()}["r"] == "The rank of the update."
    assert texts("α = 32 (lora_alpha): the scale of the update")["lora_alpha"] == "the scale of the update"


@pytest.mark.parametrize(
    "sentence",
    [
        "lora_dropout is the share of zeroed inputs, in matrices of rank r as before.",
        "lora_dropout is the share of the zeroed inputs, in matrices of rank r as before.",
        "The matrices of rank r lose a share of their input in training (lora_dropout).",
    ],
)
def test_a_letter_in_a_definition_of_another_parameter_begins_none(sentence: str) -> None:
    assert set(texts(sentence)) == {"lora_dropout"}
