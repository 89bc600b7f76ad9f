"""An external class under our contract: an estimator for the tasks, checked and timed."""

from __future__ import annotations

import contextlib
import warnings
from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import NMF, MiniBatchNMF
from sklearn.utils import gen_batches

from nmfbench.core.randomness import same_global_states
from nmfbench.core.trace import TRACE_DTYPE, Trace
from nmfbench.guests.errors import GuestFault
from nmfbench.guests.signature import has_own, parameters_of, takes_start
from nmfbench.guests.validate import checked_count, checked_factor, checked_indices, own_trace
from nmfbench.optim.losses import LOSSES
from nmfbench.optim.projections import PROJECTIONS

__all__ = ["VERSION", "Guest"]

VERSION = 2
"""Raised when results of external classes change by what this module does around them."""

_BETA_LOSSES = {
    "frobenius": "frobenius",
    2: "frobenius",
    "kullback-leibler": "kl",
    1: "kl",
    "itakura-saito": "itakura-saito",
    0: "itakura-saito",
}


class Guest:
    """An external class as an estimator that the tasks can use.

    Each fit makes a new object of the class and gives it its own copy of the data. Only the call
    of its method is on the clock; a tiny fit before lets it compile what it compiles.

    Parameters
    ----------
    kind : type
        As :mod:`nmfbench.guests` asks for.

    Attributes
    ----------
    model_ : object
        The object fitted. Fitted attributes that are not found here are looked up on it.
    components_ : ndarray of shape (n_components, n_features)
    objective_ : float or None
        The loss at the factors returned; None where it is not defined.
    trace_ : structured ndarray
        The guest's own, if it has one of our form. Else the start, if it was given, and the end.
    """

    def __init__(self, kind):
        self.kind = kind
        self._params = {}
        self._no_stop_rule = False

    def __repr__(self):
        given = ", ".join(f"{name}={value!r}" for name, value in self._params.items())
        return f"{self.kind.__name__}({given})"

    def __getattr__(self, name):
        model = self.__dict__.get("model_")
        if model is None or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = getattr(model, name)
        if value is None and name in ("anchor_indices_", "labels_"):  # as if there were none
            raise AttributeError(f"{name} is None")
        return value

    # -- parameters ------------------------------------------------------------------------

    def get_params(self, deep=True):
        """Parameters given, and the defaults of the others."""
        return parameters_of(self.kind)[0] | self._params

    def set_params(self, **params):
        """Set parameters that the class has.

        A tolerance of zero, which asks for no stop rule, is left out where there is none.
        """
        known, any_name, _ = parameters_of(self.kind)
        if "tol" in params:
            self._no_stop_rule = params["tol"] == 0
        for name, value in params.items():
            if name in known or any_name:
                self._params[name] = value
            elif not (name == "tol" and value == 0):
                raise GuestFault(
                    f"{self.kind.__name__} has no parameter {name}",
                    f"it has {', '.join(known)}",
                )
        return self

    # -- declarations of the class ----------------------------------------------------------

    @property
    def loss(self) -> str:
        """Key of the loss it minimises."""
        params = self.get_params()
        if self._is_sklearn:
            return _BETA_LOSSES.get(params["beta_loss"], "frobenius")
        declared = getattr(self.kind, "loss", None)
        return declared if isinstance(declared, str) and declared in LOSSES else "frobenius"

    @property
    def signed(self) -> bool:
        """Whether factors may be negative, as declared; of scikit-learn's classes by their tags."""
        declared = True if self._only_low_rank else getattr(self.kind, "signed", None)
        if declared is None and self.kind.__module__.startswith("sklearn."):
            params = self.get_params().items()
            positive = [value for name, value in params if name.startswith("positive_")]
            return self._input_tag("positive_only") is False and not (positive and all(positive))
        return declared is True

    @property
    def fixes_scale(self) -> bool:
        return getattr(self.kind, "fixes_scale", False) is True

    @property
    def symmetric(self) -> bool:
        return getattr(self.kind, "symmetric", False) is True

    @property
    def takes_factors(self) -> bool:
        """Whether it can start from given factors."""
        if self._is_sklearn and self._params.get("init", "custom") != "custom":
            return False
        return any(takes_start(self.kind, name) for name in ("fit", "fit_transform"))

    @property
    def accepts_sparse(self) -> bool:
        """Whether it works on CSR data."""
        declared = getattr(self.kind, "accepts_sparse", None)
        return (self._input_tag("sparse") if declared is None else declared) is True

    def _input_tag(self, name):
        """An input tag of scikit-learn's; None if the class has no such tags."""
        if hasattr(self.kind, "__sklearn_tags__"):
            with contextlib.suppress(Exception):
                return getattr(self.make().__sklearn_tags__().input_tags, name)
        return None

    @property
    def _is_sklearn(self):
        return issubclass(self.kind, NMF | MiniBatchNMF)

    # -- fits ------------------------------------------------------------------------------

    def fit(self, X, y=None, *, W=None, H=None):
        """Fit, and check what it gives.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_samples, n_features)
        y : ignored
        W, H : ndarray, optional
            Initial factors.

        Raises
        ------
        GuestFault
            If it cannot start from given factors, or what it gives is no factorization.
        """
        self.fit_transform(X, W=W, H=H)
        return self

    def fit_transform(self, X, y=None, *, W=None, H=None):
        """Fit, and return the representation W of shape (n_samples, n_components)."""
        self.__dict__.pop("model_", None)
        given = {}
        if W is not None:
            if not self.takes_factors:
                raise GuestFault(
                    f"{self.kind.__name__} cannot start from given factors, which this task gives",
                    "let fit or fit_transform take W and H",
                )
            given = {"W": W, "H": H}
        self._warm_up(self._data(X))
        custom = {"init": "custom"} if given and self._is_sklearn else {}
        model, data = self.make(**custom), self._data(X)
        factors = {name: factor.copy() for name, factor in given.items()}
        method = self.method(bool(given))
        if method == "partial_fit":
            call = partial(self._fit_stream, model)
        else:
            call = getattr(model, method)
        clock = Trace()
        with clock.clock():
            W = call(data, **factors)
        self.model_ = model
        self.components_ = self._components(X)
        self._check_extras(X)
        supplied = method != "fit_transform" or W is None
        W = self.transform(X) if supplied else self._representation(W, X)
        n_iter = checked_count("n_iter_", getattr(model, "n_iter_", None))
        if n_iter is None and self._no_stop_rule:  # then it makes all of them
            n_iter = checked_count("max_iter", self.get_params().get("max_iter"))
        self.n_iter_ = n_iter or 0
        loss = self._loss_at(X, W, self.components_)
        self.objective_ = None if np.isnan(loss) else loss
        self.trace_ = own_trace(model)
        if self.trace_ is None:
            start = [(0, 0.0, 0.0, self._loss_at(X, **given))] if given else []
            end = (max(1, self.n_iter_), clock.seconds, clock.cpu_seconds, loss)
            self.trace_ = np.array([*start, end], dtype=TRACE_DTYPE)
        return W

    def _fit_stream(self, model, X):
        """Two passes over the samples in one random order, in blocks of as many as components.

        That is what the task ``online`` gives to a stream by default.
        """
        params = self.get_params()
        order = np.random.default_rng(params.get("random_state", 0)).permutation(X.shape[0])
        for _ in range(2):
            for block in gen_batches(X.shape[0], params.get("n_components") or X.shape[0]):
                model.partial_fit(X[order[block]])

    def transform(self, X):
        """Its own representation of X; without one, the exact projection on the components."""
        if "model_" not in self.__dict__:
            raise GuestFault(f"{self.kind.__name__} is not fitted", "call fit first")
        if callable(getattr(self.model_, "transform", None)):
            return self._representation(self.model_.transform(self._data(X)), X, "transform(X)")
        H = self.components_
        mean = self._mean
        if self.signed or mean is not None:
            rest = self._dense(X) - (0 if mean is None else mean)
            if self.signed:
                return rest @ np.linalg.pinv(H)
            return PROJECTIONS["frobenius"](rest, H)
        return PROJECTIONS[self.loss](X, H.astype(X.dtype, copy=False))

    def inverse_transform(self, W):
        """Data from a representation: ``W @ components_``, and ``mean_``, if it has one."""
        mean = self._mean
        return W @ self.components_ + (0 if mean is None else mean)

    def partial_fit(self, X, y=None):
        """Go on with a further batch of samples.

        Raises
        ------
        GuestFault
            If the class has no such method.
        """
        if not callable(getattr(self.kind, "partial_fit", None)):
            raise GuestFault(f"{self.kind.__name__} has no partial_fit", "it fits whole data only")
        if "model_" not in self.__dict__:
            self.model_ = self.make()
        self.model_.partial_fit(self._data(X))
        self.components_ = self._components(X)
        return self

    @property
    def _mean(self):
        return getattr(self.__dict__.get("model_"), "mean_", None)

    def make(self, **params):
        """A new object of the class."""
        return self.kind(**(self._params | params))

    def method(self, factors: bool) -> str:
        """Name the method that a fit calls.

        ``fit_transform``, which gives W at once, where there is one that takes what is given; else
        ``fit``; ``partial_fit`` of a class that has neither.
        """
        if has_own(self.kind, "fit_transform") and (
            not factors or takes_start(self.kind, "fit_transform")
        ):
            return "fit_transform"
        names = ("fit", "fit_transform")
        others = (name for name in names if callable(getattr(self.kind, name, None)))
        return next(others, "partial_fit")

    def _data(self, X):
        """Its own copy of the data, made dense if need be."""
        if sp.issparse(X) and not self.accepts_sparse:
            return X.toarray()
        return X.copy()

    def _dense(self, X):
        return X.toarray() if sp.issparse(X) else X

    def _warm_up(self, X):
        """Let it compile, for data of this kind, before the clock starts."""
        signature = (
            self.kind,
            X.dtype,
            sp.issparse(X),
            X.flags.c_contiguous if isinstance(X, np.ndarray) else None,
        )
        if signature in _WARM or self.symmetric:
            return
        _WARM.add(signature)
        tiny = np.random.default_rng(0).random((6, 5)).astype(X.dtype)
        tiny = sp.csr_matrix(tiny) if sp.issparse(X) else tiny
        known = parameters_of(self.kind)[0]
        small = {"n_components": 2} | {name: 2 for name in ("max_iter",) if name in known}
        # An error here comes again in the timed fit, which reports it.
        with (
            same_global_states(),
            contextlib.suppress(Exception),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            model = self.make(**small)
            getattr(model, self.method(factors=False))(tiny)

    # -- what it gave ----------------------------------------------------------------------

    @property
    def _only_low_rank(self):
        """Whether its fit left a low-rank part of the data, but no components."""
        model = self.__dict__.get("model_")
        return hasattr(model, "low_rank_") and not hasattr(model, "components_")

    def _components(self, X):
        r = self.get_params().get("n_components")
        if self._only_low_rank:
            L = checked_factor("low_rank_", self.model_.low_rank_, X.shape, signed=True)
            H = np.linalg.svd(L, full_matrices=False)[2][:r]
        elif hasattr(self.model_, "components_"):
            H = self.model_.components_
        else:
            raise GuestFault(
                f"{self.kind.__name__} has no components_ after the fit",
                "set self.components_, of shape (n_components, n_features)",
            )
        rows = r if isinstance(r, int) else None
        if getattr(self.model_, "anchor_indices_", None) is not None:
            rows = None  # data may be exhausted before
        return checked_factor("components_", H, (rows, X.shape[1]), signed=self.signed)

    def _representation(self, W, X, name="fit_transform(X)"):
        shape = X.shape[0], self.components_.shape[0]
        return checked_factor(name, W, shape, signed=self.signed)

    def _check_extras(self, X):
        """Check anchors, labels and mean, where it has them."""
        n, m = X.shape
        anchors = getattr(self.model_, "anchor_indices_", None)
        if anchors is not None:
            self.anchor_indices_ = checked_indices("anchor_indices_", anchors, n)
            if len(self.anchor_indices_) != len(self.components_):
                raise GuestFault(
                    f"there are {len(self.anchor_indices_)} anchor_indices_, but "
                    f"{len(self.components_)} components",
                    "each component is the row of X at an anchor",
                )
        labels = getattr(self.model_, "labels_", None)
        if labels is not None:
            labels = np.asarray(labels)
            if labels.shape != (n,):
                raise GuestFault(f"labels_ has shape {labels.shape}", f"it must be ({n},)")
            self.labels_ = labels
        if self._mean is not None and np.shape(self._mean) != (m,):
            raise GuestFault(f"mean_ has shape {np.shape(self._mean)}", f"it must be ({m},)")

    def _loss_at(self, X, W, H):
        """The loss of factors, NaN where it is not defined."""
        mean = self._mean
        if mean is not None:
            if self.loss != "frobenius":
                return float("nan")
            X = self._dense(X) - mean
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return float(LOSSES[self.loss](X, W, np.ascontiguousarray(H.T)))


_WARM: set[tuple] = set()
