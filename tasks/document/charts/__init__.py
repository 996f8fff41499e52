"""Charts that answer to the pointer: Vega-Lite specifications, each beside a figure's SVG."""
