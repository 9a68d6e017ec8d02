"""Finds live objects with durable state; calls nothing of theirs and keeps none of them alive."""
