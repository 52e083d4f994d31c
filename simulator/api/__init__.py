"""What a program or a notebook works with. Users take the names from `simulator` itself."""
