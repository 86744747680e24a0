"""What AWS says, and what the files of a platform are called: each fact once, with its source, for everybody to import."""
