"""Data sets by name: look them up, check them, and hand out fresh arrays."""

import inspect
from functools import partial

import numpy as np
import scipy.sparse as sp

from nmfbench.core.registry import datasets
from nmfbench.datasets.errors import DataError, DataMissingError, DownloadError
from nmfbench.datasets.files import find_file, read_registered, read_variant, variant_file
from nmfbench.datasets.images import area_averaged

__all__ = [
    "DataError",
    "DataMissingError",
    "DownloadError",
    "dataset_available",
    "dataset_info",
    "dataset_variant",
    "load_dataset",
]


def load_dataset(name, rng=None, *, stand_in=False, variant=False, **params):
    """Load or generate a data set. Nothing is downloaded.

    Parameters
    ----------
    name : str
        A name that ``nmfbench list datasets`` shows.
    rng : numpy.random.Generator or int, optional
        Randomness of generated sets (seed 0 by default). Real data and stand-ins ignore it.
    stand_in : bool, default=False
        Return the labelled synthetic stand-in, whether or not the data are available.
    variant : bool, default=False
        Return the version from elsewhere that ``fetch`` found instead of the named data, such
        as the Olivetti faces for ``orl``; it counts as a stand-in.
    **params
        ``largest_classes``: number of most frequent classes to keep (ties: the lower label); of
        text, only the words that still occur are kept. ``samples_per_class``: most samples then
        kept of each class, drawn once and for all, in their order. ``image_side``: side in pixels
        of the square that images are resized to, by averages over areas. ``views``: names of the
        views to keep, in order. Generated sets have parameters of their own.

    Returns
    -------
    sklearn.utils.Bunch
        ``X`` (n_samples, n_features), ``y`` or None, ``image_shape`` or None, ``upper`` (top of
        the range that the values come from, 1.0 for images; None where corrupted values may exceed
        the range of the data), ``name``, ``is_stand_in``, ``variant`` (None, or how the data differ
        from the named set), ``stand_in_for`` (the paper's data that this real set replaces, or
        None), and what the kind of data adds: ``masks``, ``views``, ``terms``, ``images`` ... The
        arrays are the caller's own.

    Raises
    ------
    DataMissingError
        If the data are not on this machine.
    DataError
        If a file is damaged or is not what it should be.
    UnknownNameError
        If no data set has that name.
    ValueError
        If a parameter is unknown or out of range.
    """
    entry = datasets[name]
    info = entry.info
    own, common = _split_params(entry, params)
    if (stand_in or variant) and "file" not in info:
        raise ValueError(f"dataset {name!r} comes with the suite: it has no stand-in or variant.")
    given = (np.random.default_rng(0 if rng is None else rng),) if info.get("generated") else ()
    load = partial(entry.target, **own)
    if "file" in info:
        bunch = _load_file(entry, lambda arrays: load(arrays, *given), stand_in, variant)
    else:
        bunch = load(*given)
    for attribute in ("y", "image_shape", "upper", "variant"):
        bunch.setdefault(attribute, None)
    bunch.setdefault("is_stand_in", False)
    bunch.update(name=name, stand_in_for=info.get("stand_in_for"), scaling=info.get("scaling"))
    as_registered = "file" in info and not info.get("generated") and not bunch.is_stand_in
    check_shape(bunch, info, exact=as_registered)
    if (wanted := common.get("views") or info.get("default_views")) is not None:
        _keep_views(bunch, wanted)
    if common.get("largest_classes") is not None:
        _keep_largest(bunch, common["largest_classes"])
    if common.get("samples_per_class") is not None:
        _keep_per_class(bunch, common["samples_per_class"])
    if common.get("image_side") is not None:
        _resize(bunch, common["image_side"])
    return bunch


def dataset_available(name):
    """Whether a data set can be loaded as it is: bundled, generated, or its file is here."""
    file = datasets[name].info.get("file")
    return file is None or find_file(file) is not None


def dataset_variant(name):
    """Describe the variant of a data set that was fetched; None if there is none."""
    file = datasets[name].info.get("file")
    found = None if file is None else read_variant(file)
    return None if found is None else found[1]


def dataset_info(name):
    """Metadata of a data set, as one flat row of plain values.

    Examples
    --------
    >>> row = dataset_info("digits")
    >>> row["n_samples"], row["available"], row["stand_in_for"]
    (1797, True, None)
    """
    entry = datasets[name]
    keys = ("kind", "title", "n_samples", "n_features", "n_classes", "source", "licence")
    row = {"name": name} | {key: entry.info.get(key) for key in keys}
    return row | {
        "available": dataset_available(name),
        "stand_in_for": entry.info.get("stand_in_for"),
        "scaling": entry.info.get("scaling"),
        "file": entry.info.get("file"),
        "sha256": entry.info.get("sha256"),
        "public_home": bool(entry.info.get("homes")),
        "layout": entry.info.get("layout"),
        "has_stand_in": entry.info.get("stand_in") is not None,
    }


def _split_params(entry, params):
    """The loader's own parameters, and the parameters that every set of its kind has."""
    # Not the arrays, nor the generator of random numbers.
    first = ("file" in entry.info) + bool(entry.info.get("generated"))
    names = list(inspect.signature(entry.target).parameters)[first:]
    shared = []
    if entry.info.get("n_classes"):
        shared += ["largest_classes", "samples_per_class"]
    if entry.info.get("kind") == "images":
        shared.append("image_side")
    if entry.info.get("kind") == "multiview":
        shared.append("views")
    unknown = sorted(set(params) - set(names) - set(shared))
    if unknown:
        raise ValueError(
            f"dataset {entry.key!r} has no parameter {', '.join(map(repr, unknown))}; "
            f"it has {', '.join(names + shared) or 'none'}."
        )
    own = {name: value for name, value in params.items() if name in names}
    return own, {name: value for name, value in params.items() if name not in names}


def _load_file(entry, load, stand_in, variant):
    if stand_in:
        make = entry.info.get("stand_in")
        if make is None:
            raise DataMissingError(f"{entry.key!r} has no stand-in: {_how_to_get(entry)}")
        bunch = make()
        bunch.is_stand_in = True
        return bunch
    if variant:
        found = read_variant(entry.info["file"])
        if found is None:
            raise DataMissingError(f"no variant of {entry.key!r} was fetched: {_how_to_get(entry)}")
        bunch = _convert(entry, load, found[0], variant_file(entry.info["file"]))
        bunch.variant, bunch.is_stand_in = found[1], True
        return bunch
    path = find_file(entry.info["file"])
    if path is None:
        raise DataMissingError(_how_to_get(entry))
    arrays = read_registered(path, entry.info)
    return _convert(entry, load, arrays, path)


def _convert(entry, load, arrays, path):
    try:
        return load(arrays)
    except (ValueError, TypeError, IndexError) as error:
        raise DataError(f"{path} does not hold what {entry.key!r} needs: {error}.") from error


def _how_to_get(entry):
    info = entry.info
    lines = [f"the data of {entry.key!r} ({info['file']}) are not on this machine."]
    if info.get("homes"):
        lines.append(f"Get them with 'nmfbench data fetch {entry.key}',")
    else:
        lines.append("They have no public home that this suite could fetch them from:")
    lines.append(
        f"{'or ' if info.get('homes') else ''}put the prepared file into a folder and name that "
        "folder in NMFBENCH_DATA."
    )
    if info.get("layout"):
        lines.append(f"It holds the arrays {info['layout']}.")
    if variant_file(info["file"]).is_file():
        lines.append("--stand-in takes the variant that was fetched.")
    elif info.get("stand_in") is not None:
        lines.append("--stand-in takes a labelled synthetic stand-in.")
    return " ".join(lines)


def check_shape(bunch, info, exact):
    """Raise DataError unless ``X`` and ``y`` fit, and with ``exact`` are of the registered size."""
    if bunch.X.ndim != 2:
        raise DataError(f"{bunch.name!r}: X holds {bunch.X.ndim} dimensions instead of 2.")
    n, m = bunch.X.shape
    y = bunch.y
    if y is not None and len(y) != n:
        raise DataError(f"{bunch.name!r} has {n} samples but {len(y)} labels.")
    if not exact:
        return
    if "n_labels" in info and bunch.Y.shape != (n, info["n_labels"]):
        raise DataError(
            f"{info['file']} holds {bunch.Y.shape[1]} classes for {bunch.name!r}; "
            f"{info['n_labels']} are expected."
        )
    m_kept = m
    if info.get("default_views"):
        kept = info["default_views"]
        pairs = zip(bunch.view_names, bunch.views, strict=True)
        m_kept = sum(view.stop - view.start for name, view in pairs if name in kept)
    if (n, m_kept) != (info["n_samples"], info["n_features"]):
        raise DataError(
            f"{info['file']} holds {n} x {m_kept} values for {bunch.name!r}; "
            f"{info['n_samples']} x {info['n_features']} are expected."
        )


def _keep_views(bunch, wanted):
    known = dict(zip(bunch.view_names, bunch.views, strict=True))
    wanted = [wanted] if isinstance(wanted, str) else list(wanted)
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise ValueError(f"{bunch.name!r} has the views {', '.join(known)}; got {wanted}.")
    columns = np.concatenate([np.r_[known[name]] for name in wanted])
    ends = np.cumsum([known[name].stop - known[name].start for name in wanted])
    bunch.X = bunch.X[:, columns]
    bunch.views = [
        slice(int(start), int(end)) for start, end in zip([0, *ends[:-1]], ends, strict=True)
    ]
    bunch.view_names = wanted


def _keep_largest(bunch, k):
    labels, counts = np.unique(bunch.y, return_counts=True)
    if bunch.is_stand_in and isinstance(k, int):
        k = min(k, len(labels))  # a stand-in may have fewer classes than the set it stands for
    if not (isinstance(k, int | np.integer) and 1 <= k <= len(labels)):
        raise ValueError(
            f"largest_classes must be a whole number from 1 to {len(labels)}, the number of "
            f"classes of {bunch.name!r}; got {k!r}."
        )
    kept = labels[np.argsort(-counts, kind="stable")[:k]]
    _keep_rows(bunch, np.flatnonzero(np.isin(bunch.y, kept)))
    if sp.issparse(bunch.X) and "views" not in bunch:
        used = np.flatnonzero(bunch.X.getnnz(axis=0))
        bunch.X = bunch.X[:, used]
        if bunch.get("terms") is not None:
            bunch.terms = bunch.terms[used]


def _keep_per_class(bunch, count):
    if not (isinstance(count, int | np.integer) and count >= 1):
        raise ValueError(f"samples_per_class must be a whole number from 1 on, got {count!r}.")
    rng = np.random.default_rng(0)
    classes = [np.flatnonzero(bunch.y == label) for label in np.unique(bunch.y)]
    kept = [rng.choice(rows, min(count, len(rows)), replace=False) for rows in classes]
    _keep_rows(bunch, np.sort(np.concatenate(kept)))


def _resize(bunch, side):
    if not (isinstance(side, int | np.integer) and side >= 1):
        raise ValueError(f"image_side must be a whole number from 1 on, got {side!r}.")
    images = bunch.X.reshape(-1, *bunch.image_shape)
    bunch.X = area_averaged(images, (side, side)).reshape(len(images), -1)
    bunch.image_shape = side, side


def _keep_rows(bunch, rows):
    """Keep some samples, with their labels and annotations."""
    place = np.full(len(bunch.y), -1)
    place[rows] = np.arange(len(rows))
    bunch.X, bunch.y = bunch.X[rows], bunch.y[rows]
    if bunch.get("docs") is not None:
        bunch.docs = bunch.docs[rows]
    for name in ("train_idx", "test_idx"):  # they point at rows, so they follow them
        if name in bunch:
            bunch[name] = place[bunch[name]][place[bunch[name]] >= 0]
