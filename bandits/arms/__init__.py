"""Reward laws and arms. Arms whose means change stand in `changing`, arms with features in `contextual`."""

from bandits.arms.base import Arms

_MODULES = {
    "abrupt_best": "changing.abrupt_best",
    "bernoulli": "bernoulli",
    "beta": "beta",
    "binomial": "binomial",
    "custom": "custom",
    "drift": "changing.drift",
    "exponential": "exponential",
    "finite": "finite",
    "from_log": "click_log",
    "gaussian": "gaussian",
    "linear": "contextual.linear",
    "logistic": "contextual.logistic",
    "mixture": "mixture",
    "piecewise": "changing.piecewise",
    "poisson": "poisson",
    "random_bernoulli": "bernoulli",
    "random_gaussian": "gaussian",
    "sine": "changing.sine",
    "uniform": "uniform",
}
Arms.members.modules.update({name: f"{__name__}.{module}" for name, module in _MODULES.items()})
