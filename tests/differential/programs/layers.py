"""Programs of layers written by hand: dense, convolution, pooling, embedding, whole networks."""

from __future__ import annotations


def _dense(tf, inputs, units, name, activation=None):
    """A fully connected layer as TF1 users wrote it before tf.layers."""
    with tf.variable_scope(name):
        weights = tf.get_variable("weights", [inputs.get_shape()[1].value, units])
        biases = tf.get_variable("biases", [units], initializer=tf.constant_initializer(0.0))
        outputs = tf.nn.xw_plus_b(inputs, weights, biases, name="outputs")
        return outputs if activation is None else activation(outputs)


def _conv(tf, inputs, channels, name, size=3, stride=1, padding="SAME"):
    """A convolution with bias and ReLU."""
    with tf.variable_scope(name):
        kernel = tf.get_variable(
            "kernel",
            [size, size, int(inputs.shape[-1]), channels],
            initializer=tf.truncated_normal_initializer(stddev=0.1),
        )
        bias = tf.get_variable("bias", [channels], initializer=tf.zeros_initializer())
        convolved = tf.nn.conv2d(inputs, kernel, [1, stride, stride, 1], padding)
        return tf.nn.relu(tf.nn.bias_add(convolved, bias), name="activation")


def dense_network(tf):
    """A multi-layer perceptron over get_variable."""
    inputs = tf.placeholder(tf.float32, [None, 784], name="inputs")
    hidden = _dense(tf, inputs, 32, "hidden1", tf.nn.relu)
    hidden = _dense(tf, hidden, 16, "hidden2", tf.nn.tanh)
    logits = _dense(tf, hidden, 10, "logits")
    return {"logits": logits, "shape": logits.shape, "probabilities": tf.nn.softmax(logits)}


def dense_network_of_variables(tf):
    """The same with tf.Variable in name scopes, as in the oldest tutorials."""
    inputs = tf.placeholder("float", [None, 6])
    hidden = inputs
    for index, (rows, columns) in enumerate([(6, 4), (4, 3)]):
        with tf.name_scope(f"layer{index}"):
            weights = tf.Variable(tf.random_normal([rows, columns], stddev=0.35), name="weights")
            biases = tf.Variable(tf.zeros([columns]), name="biases")
            hidden = tf.sigmoid(tf.matmul(hidden, weights) + biases)
    return {"inputs": inputs, "outputs": hidden}


def convolutional_network(tf):
    """Convolutions, pooling, flattening by the static shape, and a dense head."""
    images = tf.placeholder(tf.float32, shape=(None, 28, 28, 1), name="images")
    hidden = _conv(tf, images, 8, "conv1", size=5)
    hidden = tf.nn.max_pool(
        hidden, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME", name="pool1"
    )
    hidden = _conv(tf, hidden, 16, "conv2", stride=2, padding="VALID")
    hidden = tf.nn.avg_pool(hidden, [1, 3, 3, 1], [1, 1, 1, 1], "VALID", name="pool2")
    features = hidden.get_shape().as_list()
    flat = tf.reshape(hidden, [-1, features[1] * features[2] * features[3]])
    logits = _dense(tf, flat, 10, "logits")
    return {"logits": logits, "shapes": [hidden.shape, flat.shape, logits.shape]}


def mnist_by_variables(tf):
    """The deep MNIST tutorial: helper functions, reshape, dropout with keep_prob."""

    def weight(shape):
        return tf.Variable(tf.truncated_normal(shape, stddev=0.1))

    def bias(shape):
        return tf.Variable(tf.constant(0.1, shape=shape))

    inputs = tf.placeholder(tf.float32, shape=[None, 64])
    image = tf.reshape(inputs, [-1, 8, 8, 1])
    convolved = tf.nn.conv2d(image, weight([3, 3, 1, 4]), strides=[1, 1, 1, 1], padding="SAME")
    hidden = tf.nn.relu(convolved + bias([4]))
    pooled = tf.nn.max_pool(hidden, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    flat = tf.reshape(pooled, [-1, 4 * 4 * 4])
    dense = tf.nn.relu(tf.matmul(flat, weight([64, 16])) + bias([16]))
    keep_prob = tf.placeholder(tf.float32)
    dropped = tf.nn.dropout(dense, keep_prob)
    outputs = tf.matmul(dropped, weight([16, 10])) + bias([10])
    return {"inputs": inputs, "keep_prob": keep_prob, "outputs": outputs}


def convolution_forms(tf):
    """Other convolutions: dilated, depthwise, separable, transposed, one-dimensional, NCHW."""
    images = tf.ones([2, 8, 8, 3])
    kernel = tf.ones([3, 3, 3, 4], name="kernel")
    depthwise = tf.ones([3, 3, 3, 2])
    pointwise = tf.ones([1, 1, 6, 5])
    points = {
        "dilated": tf.nn.conv2d(images, kernel, [1, 1, 1, 1], "SAME", dilations=[1, 2, 2, 1]),
        "atrous": tf.nn.atrous_conv2d(images, kernel, rate=2, padding="VALID"),
        "explicit": tf.nn.conv2d(images, kernel, [1, 2, 2, 1], [[0, 0], [1, 0], [0, 1], [0, 0]]),
        "depthwise": tf.nn.depthwise_conv2d(images, depthwise, [1, 1, 1, 1], "SAME"),
        "separable": tf.nn.separable_conv2d(images, depthwise, pointwise, [1, 1, 1, 1], "VALID"),
        "transposed": tf.nn.conv2d_transpose(
            images, tf.ones([2, 2, 5, 3]), [2, 16, 16, 5], [1, 2, 2, 1]
        ),
        "conv1d": tf.nn.conv1d(tf.ones([2, 9, 3]), tf.ones([3, 3, 4]), stride=2, padding="SAME"),
        "conv3d": tf.nn.conv3d(
            tf.ones([1, 4, 4, 4, 2]), tf.ones([2, 2, 2, 2, 3]), [1, 1, 1, 1, 1], "VALID"
        ),
        "channels_first": tf.nn.conv2d(
            tf.ones([2, 3, 8, 8]), kernel, [1, 1, 2, 2], "SAME", data_format="NCHW"
        ),
    }
    return {**points, "shapes": [point.shape for point in points.values()]}


def pooling_forms(tf):
    """Pooling with each padding and layout, with indices, and over whole maps."""
    images = tf.placeholder(tf.float32, [None, None, 9, 2], name="images")
    window, steps = [1, 3, 3, 1], [1, 2, 2, 1]
    pooled, indices = tf.nn.max_pool_with_argmax(tf.ones([1, 4, 4, 1]), window, steps, "SAME")
    points = {
        "max_same": tf.nn.max_pool(images, window, steps, "SAME"),
        "max_valid": tf.nn.max_pool2d(images, window, steps, "VALID"),
        "average": tf.nn.avg_pool(images, window, steps, "SAME", name="smooth"),
        "general": tf.nn.pool(images, [2, 2], "AVG", "VALID", strides=[2, 2]),
        "global_average": tf.reduce_mean(images, [1, 2], keepdims=True),
        "pooled": pooled,
        "indices": indices,
        "volume": tf.nn.max_pool3d(tf.ones([1, 4, 4, 4, 1]), [1, 2, 2, 2, 1], [1] * 5, "VALID"),
    }
    return {**points, "shapes": [point.shape for point in points.values()]}


def residual_block(tf):
    """Two convolutions and a shortcut that projects where the shape changes."""

    def block(inputs, channels, stride, name):
        with tf.variable_scope(name):
            shortcut = inputs
            if stride != 1 or inputs.shape[-1].value != channels:
                shortcut = _conv(tf, inputs, channels, "shortcut", size=1, stride=stride)
            hidden = _conv(tf, inputs, channels, "conv1", stride=stride)
            hidden = _conv(tf, hidden, channels, "conv2")
            return tf.nn.relu(hidden + shortcut)

    images = tf.placeholder(tf.float32, [4, 16, 16, 3])
    with tf.variable_scope("resnet"):
        hidden = block(images, 3, 1, "block1")
        hidden = block(hidden, 6, 2, "block2")
    pooled = tf.reduce_mean(hidden, axis=[1, 2], name="global_pool")
    return {"pooled": pooled, "shape": pooled.shape}


def embedding_classifier(tf):
    """Word indices, an embedding table, a mean over time, and a linear classifier."""
    words = tf.placeholder(tf.int32, [None, 7], name="words")
    lengths = tf.placeholder(tf.int32, [None], name="lengths")
    table = tf.get_variable("embeddings", [50, 4], initializer=tf.random_uniform_initializer(-1, 1))
    embedded = tf.nn.embedding_lookup(table, words)
    mask = tf.sequence_mask(lengths, maxlen=7, dtype=tf.float32)
    total = tf.reduce_sum(embedded * tf.expand_dims(mask, -1), axis=1)
    mean = total / tf.cast(tf.maximum(lengths, 1), tf.float32)[:, tf.newaxis]
    logits = _dense(tf, mean, 2, "classifier")
    return {"logits": logits, "predictions": tf.argmax(logits, axis=1, output_type=tf.int32)}


def recurrent_cell_unrolled(tf):
    """An LSTM cell by hand, unrolled over four steps with shared weights."""
    sequence = tf.placeholder(tf.float32, [None, 4, 3], name="sequence")
    batch = tf.shape(sequence)[0]
    hidden = tf.zeros([batch, 5], name="hidden")
    cell = tf.zeros(tf.stack([batch, 5]), name="cell")
    outputs = []
    for step, inputs in enumerate(tf.unstack(sequence, axis=1)):
        with tf.variable_scope("lstm", reuse=step > 0):
            kernel = tf.get_variable("kernel", [8, 20])
            bias = tf.get_variable("bias", [20], initializer=tf.zeros_initializer())
            gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, hidden], 1), kernel), bias)
            new_input, candidate, forget, output = tf.split(gates, 4, axis=1)
            cell = cell * tf.sigmoid(forget + 1.0) + tf.sigmoid(new_input) * tf.tanh(candidate)
            hidden = tf.tanh(cell) * tf.sigmoid(output)
            outputs.append(hidden)
    stacked = tf.stack(outputs, axis=1)
    return {"stacked": stacked, "last": outputs[-1], "shape": stacked.shape}
