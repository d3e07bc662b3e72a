"""From results to pages: view models, templates, PDF."""
