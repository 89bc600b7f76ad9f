"""Made-up records for bases, reconstructions and their errors: claims that hold or do not."""


def _lower(*names):
    """MahNMF and the hybrid have the lower values, or the higher ones."""

    def made(holds):
        def metrics(row, rng):
            low = row["solver"].startswith("mahnmf") == holds
            return {name: (0.2 if low else 0.4) + 0.01 * rng.standard_normal() for name in names}

        return metrics

    return made


def _bases(holds):
    """Noise gets into the bases of two methods, be the other two the worse ones without it."""

    def metrics(row, rng):
        mah = row["solver"].startswith("mahnmf")
        free = 0.3 if mah == holds else 0.1
        noise = 0.0 if mah == holds or not isinstance(row["corruption"], str) else 0.1
        scores = free + noise, 0.2 if mah == holds else 0.4
        names = "contamination", "lopsidedness"
        return {n: s + 0.01 * rng.standard_normal() for n, s in zip(names, scores, strict=True)}

    return metrics


OUTCOMES = {
    "mahnmf/fig6": _bases,
    "mahnmf/fig8": _bases,
    "mahnmf/fig9": _lower(
        "mean-error-train", "mean-error-test", "edge-error-train", "edge-error-test"
    ),
    "mahnmf/table1": _lower("relative-error-train", "relative-error-test"),
}
