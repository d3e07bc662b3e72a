"""Reports: results become pages by view models, templates and PDF."""
