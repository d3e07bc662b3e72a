"""Downloads of learning management systems, recognised by the names in them; one module for each system."""
