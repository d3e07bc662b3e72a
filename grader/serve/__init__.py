"""The review page: what awaits a person, decided in the browser. Nothing below knows this room."""
