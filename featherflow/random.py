# ruff: noqa
"""tf.random: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.graph.graph_api import get_seed as get_seed
    from featherflow.graph.graph_api import set_random_seed as set_random_seed
    from featherflow.graph.graph_api import set_seed as set_seed
    from featherflow.ops.candidate_sampling_ops import (
        all_candidate_sampler as all_candidate_sampler,
    )
    from featherflow.ops.candidate_sampling_ops import (
        fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    )
    from featherflow.ops.candidate_sampling_ops import (
        learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    )
    from featherflow.ops.candidate_sampling_ops import (
        log_uniform_candidate_sampler as log_uniform_candidate_sampler,
    )
    from featherflow.ops.candidate_sampling_ops import (
        uniform_candidate_sampler as uniform_candidate_sampler,
    )
    from featherflow.ops.random_generator import Algorithm as Algorithm
    from featherflow.ops.random_generator import Generator as Generator
    from featherflow.ops.random_generator import create_rng_state as create_rng_state
    from featherflow.ops.random_generator import get_global_generator as get_global_generator
    from featherflow.ops.random_generator import set_global_generator as set_global_generator
    from featherflow.ops.random_ops import categorical as categorical
    from featherflow.ops.random_ops import multinomial as multinomial
    from featherflow.ops.random_ops import random_normal as normal
    from featherflow.ops.random_ops import random_shuffle as shuffle
    from featherflow.ops.random_ops import random_uniform as uniform
    from featherflow.ops.random_ops import truncated_normal as truncated_normal
    from featherflow.ops.random_rejection_ops import random_gamma as gamma
    from featherflow.ops.random_rejection_ops import random_poisson as poisson
    from featherflow.ops.stateless_random_ops import stateless_categorical as stateless_categorical
    from featherflow.ops.stateless_random_ops import stateless_multinomial as stateless_multinomial
    from featherflow.ops.stateless_random_ops import stateless_normal as stateless_normal
    from featherflow.ops.stateless_random_ops import (
        stateless_truncated_normal as stateless_truncated_normal,
    )
    from featherflow.ops.stateless_random_ops import stateless_uniform as stateless_uniform
    from featherflow.ops.stateless_rejection_ops import fold_in as fold_in
    from featherflow.ops.stateless_rejection_ops import split as split
    from featherflow.ops.stateless_rejection_ops import stateless_binomial as stateless_binomial
    from featherflow.ops.stateless_rejection_ops import stateless_gamma as stateless_gamma
    from featherflow.ops.stateless_rejection_ops import (
        stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
    )
    from featherflow.ops.stateless_rejection_ops import stateless_poisson as stateless_poisson

__getattr__, __dir__ = lazy_namespace("random", globals())
