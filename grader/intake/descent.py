"""The way from a path that was given down to the folder that matters, past single wrapping folders."""

from pathlib import Path

from grader.intake.errors import IntakeError, NotLetInError
from grader.intake.generic_names import is_part, names_nobody
from grader.intake.places import DiskFolder, Place, ZipFolder
from grader.intake.recognition import kinds, stem
from grader.intake.taking import is_zip
from grader.intake.zip_folder import zip_folder

Way = tuple[Place, ...]
