"""A TF1 program: the channels of an image from RGB to BGR, in three ways, and what each costs.

    python examples/rgb_bgr.py                          compares the results
    python -m featherflow explain examples/rgb_bgr.py   and names each node's kernel and time

1. by two transpositions: to channels first, the planes gathered in reverse, and back;
2. by splitting the image into its channels, and concatenating them in reverse;
3. by reversing the last axis.

Under TensorFlow itself it runs with `import tensorflow.compat.v1 as tf` and
`tf.disable_v2_behavior()` in place of the import below.
"""

import numpy as np

import featherflow as tf

HEIGHT, WIDTH = 480, 640


def by_transposing(image):
    """[H, W, C] → [C, H, W], the planes in reverse, and back."""
    planes = tf.transpose(image, [2, 0, 1])
    planes = tf.gather(planes, [2, 1, 0])
    return tf.transpose(planes, [1, 2, 0])


def by_splitting(image):
    """Three images of one channel, put together in reverse."""
    red, green, blue = tf.split(image, 3, axis=2)
    return tf.concat([blue, green, red], axis=2)


def by_reversing(image):
    """The last axis in reverse."""
    return tf.reverse(image, axis=[2])


WAYS = {"transpose": by_transposing, "split": by_splitting, "reverse": by_reversing}


def picture():
    """An image whose three channels differ: [480, 640, 3], uint8."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    channels = [rows * 255 // HEIGHT, columns * 255 // WIDTH, (rows ^ columns) % 256]
    return np.stack(channels, axis=-1).astype(np.uint8)


def swapped_in_all_ways(image):
    """The image with its channels swapped, by way."""
    feed = tf.placeholder(tf.uint8, [None, None, 3], name="image")
    results = {}
    for name, way in WAYS.items():
        with tf.name_scope(name):
            results[name] = way(feed)
    with tf.Session() as sess:
        return {name: sess.run(result, {feed: image}) for name, result in results.items()}


def main():
    image = picture()
    swapped = swapped_in_all_ways(image)
    for name, result in swapped.items():
        assert np.array_equal(result, image[..., ::-1]), name
    print(f"{len(swapped)} ways, equal results, of {HEIGHT} × {WIDTH} pixels")
    print("What each costs: python -m featherflow explain examples/rgb_bgr.py")


if __name__ == "__main__":
    main()
