"""Written mathematics as small expression trees."""
