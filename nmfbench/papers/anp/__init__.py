"""Liu, Yang, Wu & Li (2012), A-optimal non-negative projection for image representation."""
