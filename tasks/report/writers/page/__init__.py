"""The files of the HTML page: template, style and script."""
