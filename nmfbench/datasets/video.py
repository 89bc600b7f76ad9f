"""Video: one grey frame a row, with masks of the moving objects where the source has them."""

from functools import partial

import numpy as np
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset
from nmfbench.datasets.synthetic import video_like

__all__ = ["load_video"]


def load_video(arrays):
    """Frames in [0, 1], with ``masks``, ``gt_frames`` and ``frame_index`` or None.

    ``masks[k]`` belongs to row ``gt_frames[k]`` of ``X``. It uses the codes of changedetection.net:
    0 background, 50 shadow, 170 unknown (leave out of scores), 255 foreground. ``frame_index`` is
    the source's own frame number.
    """
    found = {name: arrays[name].copy() if name in arrays else None for name in _OPTIONAL}
    return Bunch(
        X=arrays["X"].astype(np.float64) / 255.0,
        y=None,
        image_shape=tuple(int(n) for n in arrays["image_shape"]),
        upper=1.0,
        masks=found["gt"],
        gt_frames=found["gt_frames"],
        frame_index=found["frame_index"],
    )


_OPTIONAL = ("gt", "gt_frames", "frame_index")
_I2R = (
    "I2R (Institute for Infocomm Research) sequences; Li, Huang, Gu & Tian, IEEE TIP 13(11), 2004"
)
_SBI = (
    "Scene Background Initialization (SBI2015); Maddalena & Petrosino, ICIAP 2015 workshops; "
    "masks by Wang, Luo & Jodoin, Pattern Recognition Letters 2017"
)
_CDNET = "changedetection.net; Goyette et al., CVPRW 2012; Wang et al., CVPRW 2014"
_WALLFLOWER = "Wallflower; Toyama, Krumm, Brumitt & Meyers, ICCV 1999 (Microsoft Research)"
_MASKED = "with masks"

# clip: file, frames, pixels, title, source, SHA-256, paper's clip that it stands in for
CLIPS = {
    "hall": ("i2r_hall", 100, 25344, "Airport hall", _I2R,
             "44cba6480214b3bfb9a7da9120997e3db6d3244b21a8e9016a3d9f4903c16567", None),
    "shoppingmall": ("i2r_shoppingmall", 50, 81920, "Shopping mall", _I2R,
                     "5699956c3550a1c4c4556f881957da77f1375f79162fc0a29ab24557d1992c37", None),
    "lobby": ("i2r_lobby", 30, 20480, "Lobby around a light switch", _I2R,
              "5fd5398177971b2a59aa28454dc21b48fa766db8489748cc860f508c8139ec90", None),
    "escalator": ("i2r_escalator", 200, 20800, "Escalator", _I2R,
                  "9cd13e2f60c264ca0757357edcba1b4636b39d62dcc16939e28693af05caf558",
                  "I2R Bootstrap (mahnmf)"),
    "watersurface": ("i2r_watersurface", 48, 20480, "Water surface", _I2R,
                     "6bbd9141c229a15c9cc7a06ab4c038a9936c048e455b4ce86a055fd121421c7e", None),
    "hallandmonitor": ("sbi_hallandmonitor", 296, 21120, "Corridor", _SBI,
                       "ac1ffaa9441e5c25c328d4da964e38e0de5f29148d20f00021946c9af1db2aa3",
                       f"I2R Airport Hall {_MASKED}"),
    "caviar1": ("sbi_caviar1", 610, 24576, "Shopping-centre corridor", _SBI,
                "1cc176bdcb890561ce76590443634c33965bd73df0cc3b2f00774ad443c8883a",
                f"I2R Shopping Mall or Airport Hall {_MASKED}"),
    "humanbody2": ("sbi_humanbody2", 740, 19200, "Office with large moving people", _SBI,
                   "ed1cc9e27d084bf6490c4f03e2fbb252dbfb81e6d30f2ddfc009f7c0500ad2f3",
                   f"I2R Restaurant {_MASKED}"),
    "ibmtest2": ("sbi_ibmtest2", 90, 19200, "Lobby with walkers", _SBI,
                 "5e12b176742a5d196e24e83844fcdf1bf6690594b48eb7551876b1c35196265e",
                 f"I2R Lobby {_MASKED}; no light switching"),
    "highwayi": ("sbi_highwayi", 440, 19200, "Motorway with long shadows", _SBI,
                 "052b03a3e992c6afc80c23179f3fe771392e96d10aca6d06aeca07613abb73a1", None),
    "highway": ("cdnet_highway", 862, 19200, "Motorway, 49 masks", _CDNET,
                "fcae163682b3266079987fa6ef4920947e578d0f57be1f9d9746c77cfd1194a1",
                f"I2R clips {_MASKED}"),
    "wavingtrees": ("wallflower_wavingtrees", 287, 19200, "Waving tree, one mask", _WALLFLOWER,
                    "9f29e7e68961aa65dbdd441b5009c9bc063525b4b0470ec1f0bd66409c53177c", None),
}  # fmt: skip

for _seed, (_clip, _row) in enumerate(CLIPS.items(), start=41):
    _file, _frames, _pixels, _title, _source, _sha256, _for = _row
    register_dataset(
        f"video-{_clip}",
        kind="video",
        title=_title,
        file=f"video_{_file}.npz",
        sha256=_sha256,
        n_samples=_frames,
        n_features=_pixels,
        n_classes=None,
        source=_source,
        licence="academic research use",
        scaling="grey levels / 255, in [0, 1]",
        stand_in_for=_for,
        stand_in=partial(video_like, seed=_seed),
    )(load_video)
