"""The addresses of the service. A mistake gets one sentence: 422 for a wrong value, 404 for an unknown agent.

`Door` answers where it is the service that fails.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError, WrapValidator
from pydantic_core import PydanticCustomError
from starlette.exceptions import HTTPException

from numerics.checks import escape_controls, show
from treebandit.agents.door import Door, page_headers
from treebandit.agents.open_agents import OpenAgents, UnknownAgent, WrongRequest, of_request
from treebandit.page.safety import Names

PAGE = Path(__file__).parent / "page"
_TYPES = {".js": "text/javascript", ".css": "text/css"}
_MOST_ARMS, _MOST_FEATURES, _MOST_FORGOTTEN, _LONGEST = 1_000, 1_000, 10_000, 200

_LARGEST = 2**53  # whole number that every program reads exactly


def told_as(sentence: str) -> WrapValidator:
    """Return what tells of a wrong value by one sentence, where it may have one of several types."""

    def check(value: Any, handler: Any) -> Any:
        try:
            return handler(value)
        except ValidationError:
            raise PydanticCustomError("several", sentence) from None

    return WrapValidator(check)


Name = Annotated[StrictStr, Field(max_length=_LONGEST, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_. -]*$")]
Text = Annotated[StrictStr, Field(min_length=1, max_length=_LONGEST, pattern=r"^[^\x00]+$")]
Arm = Annotated[
    Text | Annotated[StrictInt, Field(ge=-_LARGEST, le=_LARGEST)],
    told_as(f"must be a string of 1 to {_LONGEST} characters, or an integer of at most 2^53"),
]
Arms = Annotated[
    Annotated[list[Arm], Field(max_length=_MOST_ARMS)] | Annotated[StrictInt, Field(le=_MOST_ARMS)],
    told_as(f"must be the number of arms, or a list of at most {_MOST_ARMS:,} names (strings or integers)"),
]
Id = Annotated[StrictInt, Field(ge=0, lt=2**63)]
Number = Annotated[float, Field(allow_inf_nan=False, strict=True)]


class Asked(BaseModel):
    """A body; what it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


class NewAgent(Asked):
    """An agent to make; the rest is as for `bandits.Agent`."""

    name: Name
    policy: Text
    arms: Arms
    seed: Annotated[StrictInt, Field(ge=0, lt=2**63)] = 0
    horizon: Annotated[StrictInt, Field(ge=1, lt=10**7)] | None = None
    features: Annotated[StrictInt, Field(ge=1, le=_MOST_FEATURES)] | None = None
    floor: Number = 0.0
    rewards: tuple[Number, Number] | None = (0.0, 1.0)


class NewChoice(Asked):
    """A choice to make."""

    features: Annotated[list[Number], Field(max_length=_MOST_FEATURES)] | None = None
    key: Text | None = None


class NewReward(Asked):
    """A reward of a choice."""

    choice: Id
    reward: Number


class Forgotten(Asked):
    """Choices whose reward will never come."""

    choices: Annotated[list[Id], Field(max_length=_MOST_FORGOTTEN)]


class NewArm(Asked):
    """An arm to add, or to retire."""

    arm: Arm


def make_app(agents: OpenAgents, names: Names, token: str | None = None) -> FastAPI:
    """Return the application.

    Parameters
    ----------
    agents : OpenAgents
    names : Names
        Under which the service is asked.
    token : str, optional
        What every request must carry, as ``Authorization: Bearer TOKEN``; the page asks for it.
    """
    app = FastAPI(title="treebandit agents", description=__doc__, docs_url=None, redoc_url=None)
    app.add_middleware(Door, names=names, token=token)

    @app.get("/", include_in_schema=False)
    def page() -> Response:
        return HTMLResponse((PAGE / "index.html").read_text(encoding="utf-8"), headers=page_headers())

    @app.get("/static/{name}", include_in_schema=False)
    def static(name: str) -> Response:
        path = {path.name: path for path in PAGE.iterdir() if path.suffix in _TYPES}.get(name)
        if path is None:  # nothing that was sent becomes a path
            raise HTTPException(404)
        return Response(path.read_text(encoding="utf-8"), media_type=_TYPES[path.suffix])

    @app.get("/agents")
    def get_agents() -> list[str]:
        """Return the names of all agents."""
        return agents.names()

    @app.post("/agents", status_code=201)
    def create_agent(given: NewAgent) -> JSONResponse:
        """Make an agent; one of that name that is the same is opened."""
        options = given.model_dump(exclude={"name", "policy", "arms"}, exclude_unset=True)
        return JSONResponse(agents.create(given.name, given.policy, given.arms, options), 201)

    @app.get("/agents/{name}")
    def get_agent(name: str) -> JSONResponse:
        """Return what an agent is, and what is known of each arm."""
        return JSONResponse(agents.shown(name, course=False))

    @app.get("/agents/{name}/course")
    def get_course(name: str) -> JSONResponse:
        """Return the same, and shares of the arms and cumulative reward over the choices, for a page."""
        return JSONResponse(agents.shown(name, course=True))

    @app.post("/agents/{name}/choices", status_code=201)
    def choose(name: str, given: NewChoice) -> JSONResponse:
        """Choose an arm; the same key gets the same choice."""
        with agents.using(name) as agent, of_request():
            choice = agent.choose(given.features, key=given.key)
        answer: dict[str, Any] = {"id": choice.id, "arm": choice.arm, "index": choice.index}
        answer |= {"propensity": choice.propensity, "propensity_error": choice.propensity_error}
        return JSONResponse(answer, 201)

    @app.post("/agents/{name}/rewards")
    def reward(name: str, given: NewReward) -> JSONResponse:
        """Tell the reward of a choice; `counts` is false for the same one again."""
        with agents.using(name) as agent, of_request():
            return JSONResponse({"counts": agent.reward(given.choice, given.reward)})

    @app.post("/agents/{name}/forgotten")
    def forget(name: str, given: Forgotten) -> JSONResponse:
        """Let go of pending choices whose reward will never come."""
        with agents.using(name) as agent, of_request():
            agent.forget(given.choices)
        return JSONResponse({"forgotten": len(given.choices)})

    @app.post("/agents/{name}/arms", status_code=201)
    def add_arm(name: str, given: NewArm) -> JSONResponse:
        """Add an arm, or bring one back that was retired."""
        with agents.using(name) as agent, of_request():
            if len(agent.arms) >= _MOST_ARMS and given.arm not in agent.arms:
                raise ValueError(f"arms must be at most {_MOST_ARMS:,}; the agent has as many")
            agent.add_arm(given.arm)
            return JSONResponse({"arms": agent.arms, "retired": agent.retired}, 201)

    @app.post("/agents/{name}/arms/retire")
    def retire_arm(name: str, given: NewArm) -> JSONResponse:
        """Choose an arm no more."""
        with agents.using(name) as agent, of_request():
            agent.retire_arm(given.arm)
            return JSONResponse({"arms": agent.arms, "retired": agent.retired})

    @app.exception_handler(WrongRequest)
    def wrong(_: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 404 if isinstance(error, UnknownAgent) else 422)

    @app.exception_handler(RequestValidationError)
    def malformed(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return JSONResponse({"detail": sentence_of(error.errors()[0])}, 422)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        if error.status_code == 400:  # FastAPI's for JSON that is too deep, or has too long numbers
            return JSONResponse({"detail": "body must be JSON"}, 422)
        elsewhere = "no such address; /openapi.json lists all"
        if request.url.path.startswith("/agents/"):
            elsewhere += ", and the service cannot reach names with '/'"
        said = {404: elsewhere, 405: f"{request.method} is not for this address; see /openapi.json"}
        return JSONResponse({"detail": said.get(error.status_code, error.detail)}, error.status_code, error.headers)

    return app


def sentence_of(error: dict[str, Any]) -> str:
    """Return one sentence of the first thing that is wrong with a request.

    Examples
    --------
    >>> sentence_of({"type": "float_type", "loc": ("body", "x", 2), "msg": "Input should be a number", "input": "a"})
    "x[2] must be a number; got 'a'"
    """
    place = ""
    for part in error["loc"][1:]:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else str(part)
    place = escape_controls(place) or "body"
    if error["type"] == "missing":
        return f"{place} must be given"
    if error["type"] == "extra_forbidden":
        return f"{place} must be left out; it is not a known field of this request"
    if error["type"] == "json_invalid":
        return "body must be JSON"
    _, should, rest = str(error["msg"]).partition(" should ")
    wanted = f"must {rest}" if should else str(error["msg"])
    return f"{place} {wanted}; got {show(error['input'])}"
