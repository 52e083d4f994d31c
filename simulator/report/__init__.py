"""Reports as pages: one HTML file each, with text, tables and plots that can be zoomed, which needs nothing but a browser."""
