"""One probe a kind of component: reads its fields from attributes and yields them as entries."""
