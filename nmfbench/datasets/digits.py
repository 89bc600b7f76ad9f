"""Handwritten digits."""

from functools import partial

from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset
from nmfbench.datasets import convert
from nmfbench.datasets.convert import Home
from nmfbench.datasets.images import load_grey, load_unscaled, register_images
from nmfbench.datasets.synthetic import digits_like

__all__ = ["load_bundled_digits"]

MNIST = {
    "mnist": {
        "title": "MNIST test digits",
        "file": "mnist_t10k_28x28.npz",
        "sha256": "6a63edf5832fe8a9646e30414471899e1b0c9018700ad587bfeb2ce0d8f457fd",
        "content": "db62efd75bab3ed964f18b0328ac6f41a4ad759702414786648d75b3e347e705",
        "n_bytes": 7860008,
        "n_samples": 10000,
        "n_features": 784,
        "n_classes": 10,
        "source": "MNIST; LeCun, Bottou, Bengio & Haffner 1998 (from NIST SD-3/SD-1)",
        "licence": "CC BY-SA 3.0, as commonly stated",
        "homes": (
            Home(
                ("{mnist}/t10k-images-idx3-ubyte.gz", "{mnist}/t10k-labels-idx1-ubyte.gz"),
                convert.idx,
                hashes=(
                    "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
                    "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
                ),
            ),
        ),
        "stand_in": partial(digits_like, image_shape=(28, 28)),
    },
}
register_images(MNIST, load_grey, "grey levels / 255, in [0, 1]")

SEMEION = {
    "semeion": {
        "title": "Semeion handwritten digits",
        "file": "semeion_16x16.npz",
        "sha256": "ff0e36237d787634faec08cb97647b211a81a5feed0297568aa57c1f36511c87",
        "content": "eeafc755c0669ab4b739fbb1c4fe622bbb29823415f4664381aeb6aa6a2ad836",
        "n_bytes": 411002,
        "n_samples": 1593,
        "n_features": 256,
        "n_classes": 10,
        "source": "Semeion Research Center and Tactile Srl; UCI repository",
        "licence": "CC BY 4.0",
        "homes": (Home(("{uci}/semeion/semeion.data",), convert.semeion),),
        "stand_in": partial(digits_like, image_shape=(16, 16), binary=True),
    },
}
register_images(SEMEION, load_unscaled, "binary pixels, 0 or 1")


@register_dataset(
    "digits",
    kind="images",
    title="Handwritten digits of scikit-learn",
    n_samples=1797,
    n_features=64,
    n_classes=10,
    source="scikit-learn's load_digits: test part of UCI's Optical Recognition of Handwritten "
    "Digits; Kaynak 1995",
    licence="CC BY 4.0",
    scaling="ink counts / 16, in [0, 1]",
)
def load_bundled_digits():
    """Comes with scikit-learn: there is nothing to download."""
    digits = load_digits()
    return Bunch(X=digits.data / 16.0, y=digits.target, image_shape=(8, 8), upper=1.0)
