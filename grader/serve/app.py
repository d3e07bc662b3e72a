"""The review as a web application: addresses in, pages and decisions out."""

from collections.abc import Callable

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from grader.gradebook.errors import GradebookError
from grader.gradebook.stored import StoredResultError
from grader.message import say
from grader.serve import class_views, queue_views
from grader.serve.review import BadRequestError, Review

Work = Callable[["Review", Request, FormData], Response]


def application(review: Review) -> Starlette:
    """The application; whoever may not look has been turned away before."""

    def route(path: str, work: Work, method: str = "GET") -> Route:
        async def endpoint(request: Request) -> Response:
            form = await request.form(max_files=0, max_fields=5000) if method == "POST" else FormData()
            return await run_in_threadpool(_answered, work, review, request, form)

        return Route(path, endpoint, methods=[method])

    return Starlette(
        routes=[
            route("/", queue_views.queue),
            route("/groups/{group}", queue_views.group),
            route("/groups/{group}/presence", queue_views.presence),
            route("/groups/{group}/more", queue_views.more),
            route("/groups/{group}/decide", queue_views.decide_group, "POST"),
            route("/undo", class_views.undo, "POST"),
            route("/students/{student}", class_views.student_),
            route("/students/{student}/readings", class_views.readings),
            route("/students/{student}/surroundings/{item}/{number:int}", class_views.surroundings),
            route("/students/{student}/items/{item}/decide", class_views.decide_item, "POST"),
            route("/students/{student}/whole", class_views.decide_whole, "POST"),
            route("/students/{student}/requests", class_views.ask_again, "POST"),
            route("/requests/{request:int}/answer", class_views.answer_request, "POST"),
            route("/class", class_views.class_),
            route("/history", class_views.history_),
            route("/finish", class_views.finish),
            route("/finish", class_views.begin_finish, "POST"),
            route("/finish/progress", class_views.finish_progress),
            route("/decisions.toml", class_views.export),
            route("/crops/{student}/{item}/{number:int}.png", class_views.crop),
            route("/static/{name}", class_views.static),
            route("/favicon.ico", class_views.nothing),
        ]
    )


def _answered(work: Work, review: Review, request: Request, form: FormData) -> Response:
    try:
        if not request.url.path.startswith(("/static/", "/crops/")):
            review.standing.refresh()
        return work(review, request, form)
    except BadRequestError as error:
        return PlainTextResponse(str(error), 400)
    except LookupError:
        return PlainTextResponse(review.say(say("There is no such page.")), 404)
    except (GradebookError, StoredResultError, OSError) as error:
        return PlainTextResponse(review.say(say("This cannot be done now: {error}", error=error)), 503)
