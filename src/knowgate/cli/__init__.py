"""The command line. Commands import what is heavy when they run, so that `knowgate --help` answers at once."""
