"""Faces: one grey image a row, cropped and aligned by the source."""

from functools import partial

from nmfbench.datasets import convert
from nmfbench.datasets.convert import Home
from nmfbench.datasets.images import load_grey, register_images
from nmfbench.datasets.synthetic import faces_like

__all__ = []

_CAI = "; 32x32 alignment and crop by Deng Cai"
_ORL = "AT&T Laboratories Cambridge (ORL) Database of Faces; Samaria & Harter, WACV 1994"
_UMIST = "UMIST Face Database; Graham & Allinson 1998"


def _cai(path):
    return (Home((f"{{cai}}/{path}",), convert.cai_images()),)


def _faces(seed, shape=(32, 32), **sizes):
    return partial(faces_like, seed=seed, image_shape=shape, **sizes)


ROWS = {
    "orl": {
        "title": "ORL faces",
        "file": "orl_32x32.npz",
        "sha256": "49f550d5e6312ffd5c35cc87abf2f8c1862ecaf435db00f592f1ae2c27bfbbae",
        "content": "777db4c1384e314c4a878c5b612d65865b3440cfbbd0499d4faf0a843c3cf3bb",
        "n_bytes": 410408,
        "n_samples": 400,
        "n_features": 1024,
        "n_classes": 40,
        "source": _ORL + _CAI,
        "licence": "free for research, credit AT&T Laboratories Cambridge",
        "homes": (
            *_cai("ORL/ORL_32x32.mat"),
            Home(
                ("{olivetti}/5976027",),
                convert.olivetti,
                exact=False,
                variant="Olivetti faces (64x64, another crop), reduced to 32x32 by 2x2 means",
                hashes=("b612fb967f2dc77c9c62d3e1266e0c73d5fca46a4b8906c18e454d41af987794",),
            ),
        ),
        "stand_in": _faces(1, n_classes=20),
    },
    "orl-112x92": {
        "title": "ORL faces, original resolution",
        "file": "orl_112x92.npz",
        "sha256": "ea77f24a794637761734f65523a5d7b6ae9390bce8cde3c92d86723fc600e80f",
        "content": "1350bc9d3e4e8cd9baa5de996ead5ea97ab942fc9727ddedb507f92a5a6825bb",
        "n_bytes": 4122408,
        "n_samples": 400,
        "n_features": 10304,
        "n_classes": 40,
        "source": _ORL,
        "licence": "free for research, credit AT&T Laboratories Cambridge",
        "homes": (
            Home(
                ("{att}/att_faces.zip",),
                convert.att_faces,
                exact=False,
                variant="AT&T archive in its own order of subjects and images",
            ),
        ),
        "stand_in": _faces(2, (112, 92), n_classes=10),
    },
    "yale": {
        "title": "Yale faces",
        "file": "yale_32x32.npz",
        "sha256": "3b14e8cbdf46e6fa3766a1bb81dd2cc4bfcfabf315c35aa485897f0cea86b28d",
        "content": "99824025d79c5c73e09a68955ef035f876cb8200ef5fd220e8a105ff228d0c9e",
        "n_bytes": 169298,
        "n_samples": 165,
        "n_features": 1024,
        "n_classes": 15,
        "source": "Yale Face Database; Belhumeur, Hespanha & Kriegman, PAMI 1997" + _CAI,
        "licence": "non-commercial research",
        "homes": _cai("Yale/Yale_32x32.mat"),
        "stand_in": _faces(3, n_classes=15),
    },
    "yaleb": {
        "title": "Extended Yale B faces, frontal",
        "file": "yaleb_32x32.npz",
        "sha256": "20a3b2b6481d491c01af4cb6168bdcc20db7b24e6ff2d7aba7507fba45bf3274",
        "content": "c6ff976c9f0420967a1c2c07b815247182fd6ba44fb46ed65681fce9b7770afa",
        "n_bytes": 2476772,
        "n_samples": 2414,
        "n_features": 1024,
        "n_classes": 38,
        "source": (
            "Extended Yale B; Georghiades, Belhumeur & Kriegman, PAMI 2001; Lee, Ho & Kriegman, "
            "PAMI 2005" + _CAI
        ),
        "licence": "free for research",
        "homes": _cai("YaleB/YaleB_32x32.mat"),
        "stand_in": _faces(4, n_classes=20, n_per_class=30, lighting=0.6),
    },
    "pie": {
        "title": "CMU PIE faces, pose 27",
        "file": "pie_pose27_32x32.npz",
        "sha256": "f7d67d4f2f91ca0c3c9eda702d6403b43ea49ce84511e7c30f2b3c21390bce5e",
        "n_samples": 2856,
        "n_features": 1024,
        "n_classes": 68,
        "source": "CMU PIE; Sim, Baker & Bsat, PAMI 2003" + _CAI,
        "licence": "on request from CMU, for research; no re-distribution, no pictures in reports",
        "stand_in": _faces(5, n_classes=20, n_per_class=30, lighting=0.6),
    },
    "umist": {
        "title": "UMIST faces",
        "file": "umist_28x23.npz",
        "sha256": "8ea3f00ec84709cec6f9944c6f9ea834065b2f5ad8ccf1d7c7625c9b3fdaaa36",
        "content": "c925d94e1aca8665dfa8011c948cadcdd31da5381897d882a5b7731931ccd63d",
        "n_bytes": 1482358,
        "n_samples": 575,
        "n_features": 644,
        "n_classes": 20,
        "source": _UMIST,
        "licence": "research use",
        "homes": (
            Home(
                ("{roweis}/umist_cropped.mat",),
                convert.umist,
                exact=False,
                variant="umist_cropped (112x92), reduced to 28x23 by 4x4 means",
            ),
        ),
        "stand_in": _faces(6, (28, 23), n_classes=20),
    },
    "umist-32x32": {
        "title": "UMIST faces, 32x32",
        "file": "umist_32x32.npz",
        "sha256": "afe503f5d07b2d0aaa2d6841f90ac4406d007664102b65f44916a40799fdb228",
        "n_samples": 575,
        "n_features": 1024,
        "n_classes": 20,
        "source": _UMIST,
        "licence": "research use",
        "stand_in": _faces(6, n_classes=20),
    },
    "cbcl": {
        "title": "MIT CBCL faces, no subject labels",
        "file": "cbcl_faces_19x19.npz",
        "sha256": "b9029b6fba7fb9a99733c936f5220c8384c38cc95da87d06eea0f4599bc1aab8",
        "content": "d9e63d3f57bb7ddee6c135e78bb893040c8c998f6e68a1b64ca108665acd2dda",
        "n_bytes": 876877,
        "n_samples": 2429,
        "n_features": 361,
        "n_classes": None,
        "source": "CBCL Face Database #1, MIT Center for Biological and Computation Learning",
        "licence": "research use",
        "homes": (
            Home(
                ("{cbcl}/faces.tar.gz",),
                convert.cbcl,
                exact=False,
                variant="CBCL training faces as archived at MIT, in file-name order",
            ),
        ),
        "stand_in": _faces(7, (19, 19), n_classes=60, labelled=False),
    },
}
register_images(ROWS, load_grey, "grey levels / 255, in [0, 1]")
