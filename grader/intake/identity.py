"""Who handed in, as the systems of a school know them."""

from grader.frozen import Frozen


class Member(Frozen):
    """One person. Everything is text as it was found, and empty where it is not known.

    `number` is what the school counts its students by, `login` a user name. Moodle's participant id holds for one
    assignment only; Canvas's user id for one Canvas.
    """

    name: str = ""
    email: str = ""
    number: str = ""
    login: str = ""
    moodle_participant: str = ""
    canvas_user: str = ""


class Identity(Member):
    """One who handed in, or a team. `entry` is the name under which the hand-in was downloaded.

    Moodle writes a group's id where it writes a participant's, so a number is one only if nothing speaks against it.
    """

    entry: str = ""
    members: tuple[Member, ...] = ()
