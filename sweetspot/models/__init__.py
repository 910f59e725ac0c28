"""The models of a study: made on the spot or found, told apart, and the prompts that they are given."""
