"""View models: everything a page shows, decided and put into words, so that templates only lay it out."""
