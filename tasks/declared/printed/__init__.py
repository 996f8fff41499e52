"""The values that the paper prints, as CSV; see `tasks.declared.published`."""
