"""Components in general: their base class, names, factories, settings and order in a pipeline."""
