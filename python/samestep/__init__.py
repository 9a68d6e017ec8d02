"""samestep: is the resumed training step the uninterrupted step, bit for bit?

The package records the live state of a PyTorch trainer when the environment variable SAMESTEP_PLAN
names a plan (`samestep audit` sets it); without it, importing samestep changes nothing.
"""

from samestep.watched import watch

__version__ = "0.1.0"
__all__ = ["watch"]
