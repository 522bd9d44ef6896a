"""The REST door: a file for each subject, `app` puts them together."""
