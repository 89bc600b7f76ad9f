def project_manhattan(X, H):
    raise NotImplementedError
