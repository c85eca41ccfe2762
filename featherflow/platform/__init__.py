"""What programs use beside graphs: logging, flags, the main function, files."""
