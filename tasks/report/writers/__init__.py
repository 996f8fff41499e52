"""Writers of a document: Markdown, HTML and LaTeX."""
