"""A language model in a folder, read by the transformers library and held to the form of an answer while it writes."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Final

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

_MOST_TOKENS: Final = 6_000
_LONGEST_STRING: Final = 400
_STRING_TOKENS: Final = 160
_DIGITS: Final = 6


class TooLongError(ValueError):
    """A text and its answer do not fit into the model; in parts they may."""

    too_long = True


class ModelAnswer:
    """An answer's text and the tokens it took."""

    def __init__(self, answer: str, tokens: int) -> None:
        self.answer, self.tokens = answer, tokens


class LocalModel:
    """Answers requests by a model on this machine. Nothing is downloaded, and no code in the folder is run.

    Raises OSError and ValueError where the folder holds no such model.
    """

    leaves = None

    def __init__(self, folder: Path, most_tokens: int = _MOST_TOKENS) -> None:
        self._most, self._lock = most_tokens, Lock()
        self.name = f"transformers:{folder.name}"
        config = (folder / "config.json").read_bytes()
        self.parameters: Mapping[str, Any] = {
            "model": folder.name,
            "config": hashlib.sha256(config).hexdigest()[:16],
            "max_tokens": most_tokens,
        }
        only_here = {"local_files_only": True, "trust_remote_code": False}
        self._tokenizer = AutoTokenizer.from_pretrained(folder, **only_here)
        self._model = AutoModelForCausalLM.from_pretrained(folder, use_safetensors=True, **only_here)
        self._model.train(False)

    def ask(self, instruction: str, text: str, schema: Mapping[str, Any]) -> ModelAnswer:
        """An answer of the schema's form to one request. Raises TooLongError."""
        with self._lock, torch.inference_mode():
            prompt = self._prompt(instruction, text)
            room = getattr(self._model.config, "max_position_embeddings", None)
            if room is not None and len(prompt) + self._most > room:
                raise TooLongError(f"{len(prompt)} tokens and an answer of {self._most} are more than {room}")
            writer = _Writer(self._model, self._tokenizer, prompt, self._most)
            writer.value(schema)
            return ModelAnswer(writer.text, writer.used)

    def _prompt(self, instruction: str, text: str) -> list[int]:
        if self._tokenizer.chat_template:
            messages = [{"role": "system", "content": instruction}, {"role": "user", "content": text}]
            shown = self._tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
            return list(self._tokenizer(shown, add_special_tokens=False)["input_ids"])
        return list(self._tokenizer(f"{instruction}\n\n{text}\n\n")["input_ids"])


class _Writer:
    """Writes a value of a schema: brackets, keys and commas are given, choices are made by what the model finds
    likelier, and strings are written by it token by token up to their end."""

    def __init__(self, model: Any, tokenizer: Any, prompt: list[int], most: int) -> None:
        self._model, self._tokenizer = model, tokenizer
        self._cache: Any = None
        self._scores = torch.zeros(0)
        self.text, self.used = "", len(prompt)
        self._left = most
        self._feed(prompt)

    def value(self, schema: Mapping[str, Any]) -> None:
        """Write a value."""
        if "anyOf" in schema:
            options = schema["anyOf"]
            firsts = ["null" if option.get("type") == "null" else '"' for option in options]
            self.value(options[self._chosen(firsts)])
        elif "enum" in schema:
            options = [json.dumps(choice) for choice in schema["enum"]]
            self._write(options[self._chosen(options)])
        else:
            _WRITERS[schema["type"]](self, schema)

    def _object(self, schema: Mapping[str, Any]) -> None:
        self._write("{")
        separator = ""
        for name, field in schema["properties"].items():
            asked = name in schema["required"] or (self._left > 0 and self._is_wanted(separator, name))
            if asked:
                self._write(f"{separator}{json.dumps(name)}: ")
                self.value(field)
                separator = ", "
        self._write("}")

    def _is_wanted(self, separator: str, name: str) -> bool:
        """Whether the model would rather write a key than end the object."""
        return self._chosen([f"{separator}{json.dumps(name)}", "}"]) == 0

    def _list(self, schema: Mapping[str, Any]) -> None:
        self._write("[")
        first = _first(schema["items"])
        for number in range(schema.get("maxItems", 0)):
            start = f", {first}" if number else first
            if self._left <= 0 or self._chosen([start, "]"]) == 1:
                break
            self._write(", " if number else "")
            self.value(schema["items"])
        self._write("]")

    def _string(self, schema: Mapping[str, Any]) -> None:
        most = min(int(schema.get("maxLength", _LONGEST_STRING)), _LONGEST_STRING)
        written = ""
        self._write('"')
        for _ in range(_STRING_TOKENS):
            if self._left <= 0 or len(written) >= most:
                break
            token = int(self._scores.argmax())
            piece = self._tokenizer.decode([token])
            if token == self._tokenizer.eos_token_id or '"' in piece or "\n" in piece or not piece:
                written += piece.partition('"')[0].partition("\n")[0]
                break
            written += piece
            self._feed([token])
        self.text += json.dumps(written[:most], ensure_ascii=False)[1:-1]
        self._write('"')

    def _number(self, _: Mapping[str, Any]) -> None:
        digits = ""
        while len(digits) < _DIGITS:
            options = [str(digit) for digit in range(10)] + ([","] if digits else [])
            best = options[self._chosen(options)]
            if best == ",":
                break
            digits += best
            self._feed(self._tokens(best))
        self.text += str(int(digits))

    def _truth(self, _: Mapping[str, Any]) -> None:
        self._write(("true", "false")[self._chosen(["true", "false"])])

    def _chosen(self, options: list[str]) -> int:
        """The index of the option whose first token is the likeliest."""
        firsts = [self._tokens(option)[:1] for option in options]
        scores = [float(self._scores[token[0]]) if token else float("-inf") for token in firsts]
        return max(range(len(options)), key=lambda index: (scores[index], -index))

    def _write(self, text: str) -> None:
        self.text += text
        self._feed(self._tokens(text))

    def _tokens(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def _feed(self, tokens: list[int]) -> None:
        if not tokens:
            return
        self.used += len(tokens)
        self._left -= len(tokens) if self._cache is not None else 0
        given = torch.tensor([tokens], device=self._model.device)
        output = self._model(input_ids=given, past_key_values=self._cache, use_cache=True)
        self._cache = output.past_key_values
        self._scores = output.logits[0, -1]


_WRITERS: Final = {
    "object": _Writer._object,
    "array": _Writer._list,
    "string": _Writer._string,
    "integer": _Writer._number,
    "boolean": _Writer._truth,
}


def _first(schema: Mapping[str, Any]) -> str:
    return {"object": "{", "array": "[", "string": '"'}.get(schema.get("type", "string"), "1")
