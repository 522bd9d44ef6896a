"""Who we are to the APIs: profiles, where their secrets come from, and what they add to a request."""
