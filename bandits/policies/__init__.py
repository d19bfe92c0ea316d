"""The policies, a file each: a member of `base.Policy` has the name of its file."""

from bandits.policies.base import Policy
from numerics.importing import modules_of

Policy.members.modules.update(modules_of(__name__, __path__))
