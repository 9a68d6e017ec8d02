"""Where PyTorch and others call back: one file a subject, each with an `install`."""
