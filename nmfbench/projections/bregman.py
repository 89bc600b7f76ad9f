def project_kl(X, H):
    raise NotImplementedError


def project_itakura_saito(X, H):
    raise NotImplementedError
