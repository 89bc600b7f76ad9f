"""Made-up records on clips with masks: claims that hold or do not."""

import numpy as np

_OURS = [f"MahNMF ({name}){at}" for name in ("RRI", "OGM") for at in ("", ", r = 1")]
_FRAMES, _RATES = 20, np.linspace(0, 1, 21)


def _videos(holds):
    """MahNMF is as good as others, its background better than the mean; or it is far worse."""

    def metrics(row, rng):
        worse = row["method"] in _OURS and not holds
        hits = _RATES ** (0.8 if worse else 0.2)
        counts = {"alarms": _RATES, "hits": hits}
        error = 9.0 if worse else 2.0
        return {
            "pauc@0.2": hits[:5].mean(),
            "age": error + 0.1 * rng.random(),
            "age-fg": 2 * error + 0.1 * rng.random(),
            "age-mean": 5.0,
            "age-fg-mean": 10.0,
            "arrays": {
                name: np.tile(np.rint(1000 * x), (_FRAMES, 1)) for name, x in counts.items()
            },
        }

    return metrics


OUTCOMES = {"mahnmf/fig16": _videos, "mahnmf/fig17": _videos}
