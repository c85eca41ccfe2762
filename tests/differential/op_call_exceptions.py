"""Calls that featherflow answers otherwise than TensorFlow on purpose, each with its reason."""

from __future__ import annotations

import fnmatch

_EARLIER = "refused when the graph is built; TensorFlow waits until it runs"
_UNDEFINED = "C++ leaves the result of this conversion open"
_GROUPS = "groups of channels have gradients here, and volumes have groups"
_CONJUGATE = "TensorFlow's derivative of a complex function forgets to conjugate"
_VECTORS = "any order of eigenvalues and any sign of vectors is right; absent vectors have no shape"
_DILATED = "TensorFlow works the sizes of dilated windows out in another way for the gradients"
_SHAPES = "a gradient that has not the shape of the output is refused"
_LIMIT = "the function's limit; TensorFlow has NaN"
_NAN = "NaN and infinities spread; TensorFlow's depend on the order of comparisons"
_UNFIT = "inputs that do not fit the others are refused, where TensorFlow reads beside them"
_NAN_RANGE = "C++ leaves open what NaN is as an integer"
_MEMORY = "so much memory is not asked for"

#: By pattern of the call's key (`op-label/variant`), in the manner of `fnmatch`.
EXCEPTIONS: dict[str, str] = {
    "AccumulateNV2/empty:0.*": _EARLIER,
    "AccumulateNV2/longer:0": _EARLIER,
    "AccumulateNV2/rank?:0": _EARLIER,
    "AccumulateNV2/scalar:0": _EARLIER,
    "Conv2D-groups/*": _GROUPS,
    "Conv3D/*": _GROUPS,
    "Conv3DBackpropFilterV2/*": _GROUPS,
    "Conv3DBackpropInputV2/*": _GROUPS,
    "Conv2DBackpropInput*/special:1": "infinity times nothing is NaN wherever it is padded",
    "DepthwiseConv2dNative-dilated/empty:1.0": "an empty window is refused when it runs",
    "Conv2D-dilated/empty:1.0": "an empty window is refused when it runs",
    "DepthwiseConv2dNativeBackprop*-dilated/*": _DILATED,
    "CholeskyGrad/special:?": "NaN spreads on other ways through other algorithms",
    "Cholesky/negative:0": "TensorFlow leaves memory of earlier calls above the diagonal",
    "Eig/*": _VECTORS,
    "Eig-values/*": _VECTORS,
    "SelfAdjointEigV2*/*": _VECTORS,
    "Svd-*/*": _VECTORS,
    "LogMatrixDeterminant/dtype:T=complex*": _CONJUGATE,
    "MatrixDeterminant/dtype:T=complex*": _CONJUGATE,
    "MatrixSquareRoot-complex/*": _CONJUGATE,
    "MatrixSquareRoot/zeros:0": "the root of nothing is nothing",
    "MatrixSolveLs-*_slow/special:0": "NaN is refused, as it is by the other solvers",
    "Range-*/dtype:Tidx=float16": "there is a kernel for half precision",
    "Range-*int*/largest:1": _MEMORY,
    "SoftmaxCrossEntropyWithLogits-one_row_of_labels/*": "the gradient of a repeated row adds up",
    "InTopKV2/rank+:2": _EARLIER,
    "ResizeNearestNeighborGrad/empty:0.?": "the gradient of no image is refused for all methods",
    "SparseSoftmaxCrossEntropyWithLogits-nothing/empty:0.1": "no rows have no wrong labels",
    "BandedTriangularSolve/special:0": _NAN,
    "BandedTriangularSolve/empty:1.1": "no right sides have no solutions",
    "IsotonicRegression/static:*": "there is a gradient for more shapes",
    "ApproxTopK/attr:aggregate_to_topk=False": "a CPU has nothing to aggregate",
    "ApproxTopK/static:partial": "there is a gradient for more shapes",
    "NearestNeighbors/special:1": _NAN,
    "SparseAdd/dtype:T=int64": "TensorFlow reads the threshold as another type",
    "SparseAdd/dtype:Treal=*": "TensorFlow reads the threshold as another type",
    "SparseSlice/largest:4": "TensorFlow's start + size overflows",
    "Sparse*Count*/largest:2": "a shape of more elements than can be counted is refused",
    "SparseBincount/largest:2": "a shape of more elements than can be counted is refused",
    "*Bincount/rank-:?": "there is a weight for each value",
    "RaggedTensorToTensor/empty:1.0": "partitions of more values than there are are refused",
    "RaggedTensorToTensor/beyond:3": "partitions of more values than there are are refused",
    "RaggedTensorToTensor/static:unknown": "the gradient of a flat list has no static shape",
    "AvgPool*/attr:strides=*, 2?": "a stride over channels is refused",
    "AvgPoolGrad/*:[01]*": _SHAPES,
    "AvgPool3D/attr:ksize=?1, 2, 1, 3, 1?": "the sum cancels: what is left is rounding",
    "AvgPool3DGrad/*": _SHAPES,
    "MaxPool3DGrad/*:[01]*": "outputs that are not those of the input have no maximum there",
    "MaxPool3DGrad*/attr:data_format=NCDHW": "TensorFlow reads another layout in the gradient",
    "MaxPoolWithArgmax/attr:strides=*, 2?": "a stride over channels has a gradient",
    "MaxPoolWithArgmax/empty:0.0": "the maxima of no images are none",
    "LRN/special:0": "infinity to a negative power is 0",
    "ArgMax*/dtype:Tidx=int16": "an axis may be an int16, as the contract says",
    "BatchMatMulV3-floats/dtype:T?=*": "dtypes that the contract lets differ have gradients",
    "BesselY1/zeros:0": _LIMIT,
    "BroadcastTo*/*:[01]*": _EARLIER,
    "Cumprod-*/dtype:T=complex*": _CONJUGATE,
    "CumulativeLogsumexp-*/special:0": "NaN stays NaN",
    "CumulativeLogsumexp-*/dtype:T=float16": "sums in half precision differ in the last digit",
    "EuclideanNorm-integers/largest:0": "an overflow is not wrapped around",
    "LinSpace/largest:2": _MEMORY,
    "MaxPoolGradWithArgmax/attr:strides=*": _SHAPES,
    "Round*/dtype:T=int*": "integers are round already; TensorFlow makes them 0",
    "Sign-complex/special:0": "infinity has a sign",
    "Spence/special:0": _LIMIT,
    "Sum-int64_axes/static:*": "TensorFlow's gradient fails for axes of int64",
    "TridiagonalSolve-*/dtype:T=complex*": _CONJUGATE,
    "TridiagonalSolve-*/zeros:0": "a division by zero is infinite",
    "GatherV2-batch/*:2": _EARLIER,
    "GatherNd-scalar/*": "the gradient of one element is one update",
    "ScatterNd*/dtype:Tindices=int16": "the gradient gathers by any indices",
    "ScatterNd-ignore/empty:2.0": _EARLIER,
    "ScatterNd-ignore/largest:2": _MEMORY,
    "TensorScatter*/scalar:2": _EARLIER,
    "ScatterNdNonAliasingAdd/scalar:2": _EARLIER,
    "TensorScatterM??/special:2": _NAN,
    "SegmentM??/special:0": _NAN,
    "UnsortedSegmentM??/special:0": _NAN,
    "SegmentProd/dtype:T=complex*": _CONJUGATE,
    "UnsortedSegmentProd/dtype:T=complex*": _CONJUGATE,
    "SparseToDense/dtype:T=float16": "sums in half precision differ in the last digit",
    "SparseToDense/rank+:0": _EARLIER,
    "OneHot*/rank+:[23]": _EARLIER,
    "OneHot-middle/scalar:0": _EARLIER,
    "SparseSegment*/largest:2": _MEMORY,
    "SparseSegment*Grad/zeros:3": "a segment that does not exist is refused",
    "*DynamicStitch/largest:0": _MEMORY,
    "TopKV2/attr:sorted=False": "any order is right where none is asked for",
    "TopKV2-ties/*": "any order is right where none is asked for",
    "NthElement-reverse/special:0": _NAN,
    "LowerBound/*:[01]*": _EARLIER,
    "UniqueWithCounts/rank?:0": _EARLIER,
    "UnravelIndex/rank+:0": _EARLIER,
    "UnravelIndex/negative:0": "a negative index is refused",
    "DepthwiseConv2dNative-even/empty:1.1": "an empty window spans one place",
    "DepthwiseConv2dNativeBackpropInput-even/special:1": "nothing is multiplied with padding",
    "Conv3DBackprop*-even/attr:dilations=*": "volumes can be dilated",
    "Conv3DBackpropInputV2-even/empty:1.*": "the gradient of an empty window is 0",
    "Conv3DBackprop*-even/special:?": "infinity times nothing is NaN wherever it is padded",
    "BlockLSTM*/*:[0-9]*": _UNFIT,
    "LSTMBlockCell*/*:[0-9]*": _UNFIT,
    "BlockLSTM-no_steps/*": "steps that are not taken are zeros; TensorFlow leaves memory there",
    "DecodePaddedRaw-*/largest:1": _MEMORY,
    "?FFT*/empty:0.*": "the transform of nothing is zeros; TensorFlow leaves memory there",
    "?RFFT*/empty:0.*": "the transform of nothing is zeros; TensorFlow leaves memory there",
    "*RFFT*-cut_off/*": "the gradient of a cut-off transform is padded",
    "CTC*/dtype:T=float64": "sums are in the dtype of the logits, not in float32",
    "CTCLoss/[bl]*:2": "a null label leaves no place behind",
    "CTCBeamSearchDecoder/zeros:0": "equally good beams have no order",
    "DrawBoundingBoxesV2/*:[01]*": _EARLIER,
    "ExtractVolumePatches/attr:ksizes=?-1*": "a window over channels is refused before its size is",
    "ExtractImagePatches/static:unknown": "there is a gradient without static shapes, too",
    "ExtractVolumePatches/static:unknown": "there is a gradient without static shapes, too",
    "ImageProjectiveTransformV?/dtype:dtype=float64": "images are sampled in their own dtype",
    "ImageProjectiveTransformV?/attr:*=unheard_of": "a mode that does not exist is refused",
    "Quantized*/special:*": _NAN_RANGE,
    "Quantize*/special:*": _NAN_RANGE,
    "Requantiz*/special:*": _NAN_RANGE,
    "FakeQuant*Gradient/special:*": _NAN_RANGE,
    "QuantizedAdd/empty:0.0": "sums of nothing are nothing",
    "QuantizedMul/empty:0.0": "products of nothing are nothing",
    "Quantized???Pool/attr:strides=*": "as AvgPool and MaxPool do",
    "QuantizedConv2D/attr:*": "strides and dilations are checked when it runs",
    "QuantizedBatchNormWithGlobalNormalization/*:[78]": _NAN_RANGE,
    "QuantizedBatchNormWithGlobalNormalization/attr:variance_epsilon=-1.0": _NAN_RANGE,
    "QuantizeAndDequantizeV3/scalar:0": "a scalar has one range",
    "RequantizationRangePerChannel/empty:*": "the range of nothing is empty",
    "SparseToSparseSetOperation-int32-nothing/negative:3": "an index outside is refused",
    "Dilation2D/empty:1.*": "an empty window spans one place",
    "Inplace*/empty:0.0": "there is no row to change",
    "RGBToHSV/special:0": _NAN,
    "ScaleAndTranslate*/special:0": _NAN,
    "Fused*PadConv2D/empty:*": "an empty filter is refused, whatever of it is empty",
    "FusedResizeAndPadConv2D/negative:1": "a negative size is refused when it runs",
    "FusedResizeAndPadConv2D/largest:1": _MEMORY,
    "ConcatOffset/rank?:1": _EARLIER,
    "Cast-truncated/attr:DstT=uint64": _UNDEFINED,
    "HistogramFixedWidth-integers/largest:2": _MEMORY,
    "MatrixBandPart*/rank+:[12]": _EARLIER,
    "MatrixDiagV2/largest:1": _MEMORY,
    "MatrixDiagV3-1_1_LEFT_LEFT/largest:1": _EARLIER,
    "SpaceToBatchND-one/largest:2": "a size that overflows is found when it runs",
    "MatrixSetDiagV[23]*/static:partial": "TensorFlow forgets the band's own dimension",
    "MulNoNan/dtype:T=complex*": _CONJUGATE,
    "SigmoidGrad/dtype:T=complex*": _CONJUGATE,
    "TanhGrad/dtype:T=complex*": _CONJUGATE,
    "Xdivy/dtype:T=complex*": _CONJUGATE,
    "Xlog?py/dtype:T=complex*": _CONJUGATE,
    "Xlogy/dtype:T=complex*": _CONJUGATE,
    "Einsum-ij_jk_kl_to_il/*": "more than two operands are contracted here",
    "Reverse/empty:0.0": "nothing reversed is nothing; TensorFlow refuses it",
    "Roll-one/largest:2": "there is no such axis",
    "StridedSliceGrad/largest:0": _MEMORY,
    "TensorStridedSliceUpdate-broadcast/attr:ellipsis_mask=[01]": _EARLIER,
    "TensorStridedSliceUpdate-broadcast/attr:new_axis_mask=-1": _EARLIER,
    "TensorStridedSliceUpdate-broadcast/attr:new_axis_mask=3": _EARLIER,
    "TensorStridedSliceUpdate-broadcast/empty:0.1": "a value that is not of the slice is refused",
    "TensorStridedSliceUpdate-broadcast/rank+:4": "a value that is not of the slice is refused",
}

#: Outputs that TensorFlow leaves as memory happens to be, or that only its own gradients read.
UNSPECIFIED_OUTPUTS: dict[str, tuple[str, ...]] = {
    "FusedBatchNorm*": ("output3", "output4", "output5"),
    "FusedBatchNorm*/empty:*": ("output1", "output2"),
    # TensorFlow's does not follow the differences of its first derivative.
    "FusedBatchNormGrad*": ("gradient0", "gradient1", "gradient2", "gradient3", "gradient4"),
}


def is_unspecified(key: str, output: str) -> bool:
    """Whether an output of a call has no value to be compared with."""
    return any(
        output in outputs and fnmatch.fnmatchcase(key, pattern)
        for pattern, outputs in UNSPECIFIED_OUTPUTS.items()
    )


def pattern_of(key: str) -> str | None:
    """The pattern of the exception that covers a call; None if there is none."""
    return next((pattern for pattern in EXCEPTIONS if fnmatch.fnmatchcase(key, pattern)), None)
