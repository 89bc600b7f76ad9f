def project_frobenius(X, H):
    raise NotImplementedError
