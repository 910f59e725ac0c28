"""Find the speculative-decoding configuration that is really fastest on a given GPU host, and prove it."""
