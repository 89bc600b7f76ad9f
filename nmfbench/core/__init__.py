"""Ground that everything stands on: names, validation, clocks."""
