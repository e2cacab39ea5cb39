"""What makes operator cases: tensors, models, LiteRT's results, files. The cases themselves stand in families/."""
