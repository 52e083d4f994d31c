"""Report pages: one HTML file each, with text, tables and zoomable plots, that needs only a browser."""
