# ruff: noqa
"""tf.quantization: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.fake_quant_ops import (
        fake_quant_with_min_max_args as fake_quant_with_min_max_args,
    )
    from featherflow.ops.fake_quant_ops import (
        fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
    )
    from featherflow.ops.fake_quant_ops import (
        fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
    )
    from featherflow.ops.fake_quant_ops import (
        fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
    )
    from featherflow.ops.fake_quant_ops import (
        fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
    )
    from featherflow.ops.fake_quant_ops import (
        fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
    )
    from featherflow.ops.quantize_and_dequantize_ops import (
        quantize_and_dequantize as quantize_and_dequantize,
    )
    from featherflow.ops.quantize_and_dequantize_ops import (
        quantize_and_dequantize_v2 as quantize_and_dequantize_v2,
    )
    from featherflow.ops.quantize_ops import dequantize as dequantize
    from featherflow.ops.quantize_ops import quantize as quantize
    from featherflow.ops.quantized_array_ops import quantized_concat as quantized_concat

__getattr__, __dir__ = lazy_namespace("quantization", globals())
